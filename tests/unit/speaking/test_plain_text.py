"""What is written becomes what is said."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.speaking.plain_text import CODE, spoken_text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("The **kitchen light** is _on_.", "The kitchen light is on."),
        ("***Really***, ~~no~~ `yes`.", "Really, no yes."),
        ("## Lights\nTwo are on.", "Lights. Two are on."),
        ("- milk\n- bread\n* eggs", "milk. bread. eggs."),
        ("1. Open the lid\n2. Pour it", "1, Open the lid. 2, Pour it."),
        ("- [x] done\n- [ ] open", "done. open."),
        ("> Quoted\n> twice", "Quoted. twice."),
        ("| Room | Light |\n|---|:--:|\n| Attic | on |", "Room, Light. Attic, on."),
        ("above\n\n---\n\nbelow", "above. below."),
        ("See [the manual](https://example.com/a_(b)?c=d).", "See the manual."),
        ("![a chart](x.png)", "a chart"),
        ("It is at https://www.example.com/path?q=1.", "It is at example dot com."),
        ("Look at www.example.org/x, please", "Look at example dot org, please"),
        ("Write to jane.doe@example.com now", "Write to jane dot doe at example dot com now"),
        ("Run:\n```python\nprint(1)\n```\nDone.", f"Run: {CODE} Done."),
        ("```\nnever closed", CODE),
        ("<b>bold</b> &amp; <br/>plain", "bold and plain"),
        ("floor_lamp is on", "floor lamp is on"),
        ("Sure 👍🏽!", "Sure!"),
        ("e.g. the lamp, i.e. it", "for example the lamp, that is it"),
        ("2 + 3 = 5", "2 plus 3 equals 5"),
        ("Heating → off", "Heating to off"),
        ("lock #2 and/or the door", "lock number 2 or the door"),
    ],
)
def test_marks_become_words(written, said):
    assert spoken_text(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It is 21.5 °C.", "It is 21.5 degrees Celsius."),
        ("It is 70°F", "It is 70 degrees Fahrenheit"),
        ("-1 °C outside", "minus 1 degree Celsius outside"),
        ("turned by 90°", "turned by 90 degrees"),
        ("set to 50%", "set to 50 percent"),
        ("18-22 °C", "18 to 22 degrees Celsius"),
        ("5–7 days", "5 to 7 days"),
        ("1,250 kWh and 3 kW", "1,250 kilowatt hours and 3 kilowatts"),
        ("90 km/h, 12 m/s", "90 kilometers per hour, 12 meters per second"),
        ("8 µg/m³ and 400 ppm", "8 micrograms per cubic meter and 400 parts per million"),
        ("5 min 30 s", "5 minutes 30 seconds"),
        ("$12.50 or 3 €", "12.50 dollars or 3 euros"),
        ("$1", "1 dollar"),
        ("a 4K m3u list of 10 lamps", "a 4K m3u list of 10 lamps"),
    ],
)
def test_units_become_words(written, said):
    assert spoken_text(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It is 3:45 pm.", "It is 3 45 PM."),
        ("at 18:00", "at 6 PM"),
        ("at 07:05", "at 7 oh 5 AM"),
        ("at 7:30", "at 7 30"),
        ("at 7:00", "at 7 o'clock"),
        ("00:00:30", "12 AM and 30 seconds"),
        ("2026-11-15", "November 15, 2026"),
        ("2026-11-15T09:30:00", "November 15, 2026 at 9 30 AM"),
        ("2026-99-15", "2026-99-15"),
        ("ratio 16:9", "ratio 16:9"),
        ("call 555-1234", "call 555-1234"),
    ],
)
def test_times_and_dates_become_words(written, said):
    assert spoken_text(written) == said


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet=st.one_of(st.sampled_from("*_`#[]()|<>-~.:/\n 1aZ°%$@&"), st.characters()), max_size=80)
)
def test_nothing_of_the_marks_is_left_whatever_was_written(text):
    said = spoken_text(text)
    assert not re.search(r"[*`#|<>\[\]_~\n\r\t]", said)
    assert said == said.strip()
    assert "  " not in said


def test_a_long_text_takes_no_noticeable_time():
    said = spoken_text("**a [b](" * 2000)
    assert said.startswith("a b")
