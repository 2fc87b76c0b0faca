"""Text as it is written becomes text as it is said."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from voice_gateway.speaking.plain_text import CODE, spoken_text

SPOKEN = {
    # Markdown
    "The **kitchen light** is _on_.": "The kitchen light is on.",
    "***Really***, ~~no~~ `yes`.": "Really, no yes.",
    "## Lights\nTwo are on.": "Lights. Two are on.",
    "- milk\n- bread\n* eggs": "milk. bread. eggs.",
    "1. Open the lid\n2. Pour it": "1, Open the lid. 2, Pour it.",
    "- [x] done\n- [ ] open": "done. open.",
    "> Quoted\n> Twice": "Quoted. Twice.",
    "| Room | Light |\n|---|:--:|\n| Attic | on |": "Room, Light. Attic, on.",
    "above\n\n---\n\nbelow": "above. below.",
    "See [the manual](https://example.com/a_(b)?c=d).": "See the manual.",
    "It is at https://www.example.com/path?q=1.": "It is at example dot com.",
    "Look at www.example.org/x, please": "Look at example dot org, please",
    "Run:\n```python\nprint(1)\n```\nDone.": f"Run: {CODE} Done.",
    "```\nnever closed": CODE,
    "<b>bold</b> &amp; <br/>plain": "bold and plain",
    "floor_lamp is on": "floor lamp is on",
    "Sure 👍🏽!": "Sure!",
    "e.g. the lamp, i.e. it": "for example the lamp, that is it",
    "2 + 3 = 5, 5 * 3 = 15": "2 plus 3 equals 5, 5 times 3 equals 15",
    "Heating → off": "Heating to off",
    "lock #2 and/or the door": "lock number 2 or the door",
    "It is on – as always": "It is on, as always",
    # Units and amounts
    "It is 21.5 °C.": "It is 21.5 degrees Celsius.",
    "-1 °C outside": "minus 1 degree Celsius outside",
    "turned by 90°": "turned by 90 degrees",
    "18-22 °C": "18 to 22 degrees Celsius",
    "18 - 22 °C": "18 to 22 degrees Celsius",
    "50% or 50–60%": "50 percent or 50 to 60 percent",
    "5–7 days": "5 to 7 days",
    "1,250 kWh and 3 kW": "1,250 kilowatt hours and 3 kilowatts",
    "90 km/h, 12 m/s": "90 kilometers per hour, 12 meters per second",
    "8 l/min": "8 liters per minute",
    "$12.50 or 3 €, $1": "12.50 dollars or 3 euros, 1 dollar",
    "It costs $1.5 million.": "It costs 1.5 million dollars.",
    "a 4K m3u list of 10 lamps": "a 4K m3u list of 10 lamps",
    # Times and dates
    "It is 3:45 pm.": "It is 3 45 PM.",
    "at 18:00": "at 6 PM",
    "at 07:05": "at 7 oh 5 AM",
    "at 7:30, 7:00": "at 7 30, 7 o'clock",
    "00:30": "12 30 AM",
    "2026-11-15": "November 15, 2026",
    "2026-11-15T09:30:00": "November 15, 2026 at 9 30 AM",
    "2026-99-15": "2026-99-15",
    "09:00-17:00": "9 AM to 5 PM",
    "ratio 16:9": "ratio 16:9",
    # Numbers that are neither
    "call 555-1234 or 1-800-555-0199": "call 555-1234 or 1-800-555-0199",
    "Python 3.11": "Python 3.11",
}


def test_markdown_units_and_times_become_words():
    wrong = {text: said for text, expected in SPOKEN.items() if (said := spoken_text(text)) != expected}
    assert wrong == {}


@settings(deadline=None)
@given(
    st.text(alphabet=st.one_of(st.sampled_from("*_`#[]()|<>-~.:/\n 1aZ°%$@&"), st.characters()), max_size=80)
)
def test_no_text_leaves_marks_or_double_spaces(text):
    said = spoken_text(text)
    assert not re.search(r"[*`#|<>\[\]_~\n\r\t]", said)
    assert said == said.strip()
    assert "  " not in said
