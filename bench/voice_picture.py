"""`python -m bench.voice_picture`: draws docs/voice-latency.svg from the last results of `voice_latency`."""

import json

from bench.driver import ROOT
from bench.table import RESULTS

PICTURE = ROOT / "docs" / "voice-latency.svg"
# What the bars show, in order, each with the row of the results it comes from and its colour.
STAGES = (
    ("silence that ends the command", "silence that ended the command", "#8da0cb"),
    ("speech to text, still to wait for", "  of it waited for behind the silence", "#66c2a5"),
    ("understanding and tool", "understanding, with its tool", "#fc8d62"),
    ("first sentence synthesized", "first sentence synthesized", "#e78ac3"),
)
WIDTH, LEFT, BAR, STEP, TOP = 760, 250, 22, 34, 44


def picture(figures: dict[str, float]) -> str:
    whole = figures["end of speech to first sound of the answer"]
    scale = (WIDTH - LEFT - 90) / whole
    height = TOP + STEP * (len(STAGES) + 1) + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        '<text x="12" y="26" font-size="16">From the end of speech to the first sound of the answer</text>',
    ]
    at = 0.0
    for number, (name, row, colour) in enumerate(STAGES):
        lines += _bar(number, name, at, figures[row], scale, colour)
        at += figures[row]
    lines += _bar(len(STAGES), "all of it", 0.0, whole, scale, "#666666")
    return "\n".join([*lines, "</svg>\n"])


def _bar(number: int, name: str, start: float, length: float, scale: float, colour: str) -> list[str]:
    top, left, width = TOP + STEP * number, LEFT + start * scale, max(1.5, length * scale)
    return [
        f'<text x="12" y="{top + 16}">{name}</text>',
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{BAR}" fill="{colour}"/>',
        f'<text x="{left + width + 6:.1f}" y="{top + 16}">{length:.0f} ms</text>',
    ]


def main() -> None:
    rows = json.loads((RESULTS / "voice_latency.json").read_text())["rows"]
    PICTURE.write_text(picture({row["what"]: row["ours"] for row in rows}))
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
