"""The console's files: small, whole, without an outside address, and no words in them become code."""

import re
from pathlib import Path

import voice_gateway.channels

STATIC = Path(voice_gateway.channels.__file__).parent / "web" / "static"
FILES = sorted(file for file in STATIC.rglob("*") if file.is_file())
TEXTS = [file for file in FILES if file.suffix in (".html", ".js", ".css", ".webmanifest", ".svg")]
NAMESPACE = "http://www.w3.org/2000/svg"  # a name, which nobody asks for


def named(files: list[Path]) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in files}


def test_all_of_it_is_at_most_300_kilobytes() -> None:
    assert sum(file.stat().st_size for file in FILES) <= 300_000


def test_no_file_names_an_outside_address() -> None:
    for name, text in named(TEXTS).items():
        assert not re.search(r"(?:https?:)?//[a-z0-9]", text.replace(NAMESPACE, "").replace("// ", "")), name


def test_no_script_or_style_stands_in_a_page() -> None:
    for name, text in named([file for file in TEXTS if file.suffix == ".html"]).items():
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text), name
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text)), name


def test_scripts_set_text_only() -> None:
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|DOMParser|srcdoc"
    for name, text in named([file for file in TEXTS if file.suffix == ".js"]).items():
        assert not re.search(ways, text), name


def test_every_named_file_exists() -> None:
    for name, text in named(TEXTS).items():
        for wanted in re.findall(r"""(?:from |src=|href=|addModule\(|"src": |src: )"\.?/([\w.-]+)\"""", text):
            assert (STATIC / wanted).is_file(), f"{name}: {wanted}"
