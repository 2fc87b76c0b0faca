"""What is written becomes what is said."""

import re
from time import process_time

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
        ("> Quoted\n> Twice", "Quoted. Twice."),
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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It costs $1.5 million.", "It costs 1.5 million dollars."),
        ("$5k, €3M, $2bn", "5 thousand dollars, 3 million euros, 2 billion dollars"),
        ("$5-10, $5–$10, $5 – $7", "5 to 10 dollars, 5 to 10 dollars, 5 to 7 dollars"),
        ("about €0.30/kWh", "about 0.30 euros per kilowatt hour"),
        ("$9.99/month", "9.99 dollars per month"),
        ("-$5 and -5", "minus 5 dollars and minus 5"),
        ("£1,200.50", "1,200.50 pounds"),
        ("3 million people, 5 m long", "3 million people, 5 meters long"),
        ("5 °C–8 °C", "5 degrees Celsius to 8 degrees Celsius"),
        ("5 °C – 8 °C", "5 degrees Celsius to 8 degrees Celsius"),
        ("18 - 22 °C", "18 to 22 degrees Celsius"),
        ("-5–-2 °C", "minus 5 to minus 2 degrees Celsius"),
        ("50–60% or 50% - 60%", "50 to 60 percent or 50 percent to 60 percent"),
        ("8 - 3 = 5", "8 minus 3 equals 5"),
        ("It is on – as always", "It is on, as always"),
        ("the 16 A fuse, 1 A.", "the 16 amperes fuse, 1 ampere."),
        ("Gate 5A and at 5 A man came", "Gate 5A and at 5 A man came"),
        ("3.4 GHz, 2 TB, 100 Mbps", "3.4 gigahertz, 2 terabytes, 100 megabits per second"),
        ("2.1 bar, 101 kPa, 32 psi", "2.1 bar, 101 kilopascals, 32 pounds per square inch"),
        ("6 ft, 150 lbs, 1 lb, 8 oz", "6 feet, 150 pounds, 1 pound, 8 ounces"),
        ("12 in wide, 5 in.", "12 inches wide, 5 inches."),
        ("2 in the kitchen, 3 in all", "2 in the kitchen, 3 in all"),
        ("He is 5'11\" tall", "He is 5 feet 11 tall"),
        ("2700 K, 4K", "2700 kelvin, 4K"),
        ("in the 1980s, low 60s, 30s", "in the 1980's, low 60's, 30 seconds"),
        ("8 l/min", "8 liters per minute"),
        ("1/2 cup, 1 1/2 cups, 2½, ¾", "one half cup, 1 and a half cups, 2 and a half, three quarters"),
        ("1920x1080, 3x faster", "1920 by 1080, 3 times faster"),
        ("12 x $3 = $36, 5 * 3 = 15", "12 times 3 dollars equals 36 dollars, 5 times 3 equals 15"),
        ("-40 °C = -40 °F", "minus 40 degrees Celsius equals minus 40 degrees Fahrenheit"),
        ("10^3 is 1000 (~1k)", "10 to the power of 3 is 1000 (about 1k)"),
        ("2 tbsp oil, 5¢, 3 mi", "2 tablespoons oil, 5 cents, 3 miles"),
        ("20 °C ±2", "20 degrees Celsius plus or minus 2"),
    ],
)
def test_amounts_are_said_as_people_say_them(written, said):
    assert spoken_text(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("1h30m", "1 hour 30 minutes"),
        ("5m30s, 2h 5m, 1d 4h", "5 minutes 30 seconds, 2 hours 5 minutes, 1 day 4 hours"),
        ("1 h 30 min", "1 hour 30 minutes"),
        ("5 m and 20 m", "5 meters and 20 meters"),
        ("at 17:00 h", "at 5 PM"),
        ("at 17:30h, 8:00 hrs", "at 5 30 PM, 8 o'clock"),
        ("09:00-17:00", "9 AM to 5 PM"),
        ("9:30 – 11:00", "9 30 to 11 o'clock"),
        ("9am-5pm", "9am to 5pm"),
        ("2026-11-15T09:30:00-05:00", "November 15, 2026 at 9 30 AM"),
        ("Mon-Fri", "Monday to Friday"),
        ("Sun, Nov 15", "Sunday, November 15"),
        ("on 3 Dec. 2026, 3 Dec.", "on 3 December 2026, 3 December."),
        ("The sun sat in mar", "The sun sat in mar"),
        ("at 5 A.M.", "at 5 A.M."),
        ("2019-2020", "2019 to 2020"),
        ("It is 24/7", "It is 24 7"),
    ],
)
def test_lengths_of_time_and_names_of_days_become_words(written, said):
    assert spoken_text(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("192.168.1.10:8123", "192 dot 168 dot 1 dot 10 port 8123"),
        ("version 1.2.3, v2.0.1.", "version 1 point 2 point 3, version 2 point 0 point 1."),
        ("update 2026.11.1", "update 2026 point 11 point 1"),
        ("Python 3.11", "Python 3.11"),
        ("(555) 123-4567", "(555) 123-4567"),
        ("+1 555-123-4567", "+1 555-123-4567"),
        ("1-800-555-0199", "1-800-555-0199"),
        ("room No. 5", "room number 5"),
        ("1️⃣ First", "1 First"),
        ("- **Light**: *on*\n  - `dim`: 40%", "Light: on. dim: 40 percent."),
        ("1. **One**\n   - _two_", "1, One. two."),
        ("Berlin–Hamburg", "Berlin to Hamburg"),
    ],
)
def test_addresses_versions_and_telephones_are_kept_apart(written, said):
    assert spoken_text(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "The kitchen light is on and the\nheating is off.",
            "The kitchen light is on and the heating is off.",
        ),
        ("It is set to\n21 °C", "It is set to 21 degrees Celsius"),
        ("> Quoted\n> twice", "Quoted twice"),
        ("- a lamp in the hall\n  that is old\n- a fan", "a lamp in the hall that is old. a fan."),
        ("milk\nbread", "milk. bread."),
        ("Kitchen: on\nHall: off", "Kitchen: on. Hall: off."),
        ("Two lights are on  \nthat is all", "Two lights are on. that is all."),
        ("# Lights\nall are off", "Lights. all are off."),
        (
            "Here is what I have found about the weather of tomorrow for\nHamburg and Kiel",
            "Here is what I have found about the weather of tomorrow for Hamburg and Kiel",
        ),
        ("One\n\nand two", "One. and two."),
    ],
)
def test_a_line_that_was_only_wrapped_is_no_sentence(written, said):
    assert spoken_text(written) == said


@settings(deadline=None)
@given(
    st.text(alphabet=st.one_of(st.sampled_from("*_`#[]()|<>-~.:/\n 1aZ°%$@&"), st.characters()), max_size=80)
)
def test_nothing_of_the_marks_is_left_whatever_was_written(text):
    said = spoken_text(text)
    assert not re.search(r"[*`#|<>\[\]_~\n\r\t]", said)
    assert said == said.strip()
    assert "  " not in said


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["  ", "> a\nb\n", "5–", "1,111", "1h2", "$5 - ", "12:30-", "a  \n"])
def test_no_text_makes_the_patterns_slow(piece):
    started = process_time()
    spoken_text(piece * 8000)
    assert process_time() - started < 2  # four times as long for twice the text would be many seconds


def test_a_long_text_takes_no_noticeable_time():
    said = spoken_text("**a [b](" * 2000)
    assert said.startswith("a b")
