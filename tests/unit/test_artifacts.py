"""Pictures, sounds and files: what is said of them, what is in them, what their files are called."""

import base64

import pytest

from voice_gateway.artifacts import content, description_of, file_name, without_secrets
from voice_gateway.turn import Artifact

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(299_992)).decode()


@pytest.mark.parametrize(
    ("artifact", "words"),
    [
        (Artifact("image", "image/png", data=PNG), "an image of 300 kB"),
        (Artifact("audio", "audio/wav", data="AAAA"), "a sound recording of 3 bytes"),
        (Artifact("video", data="A" * 4_000_000), "a video of 3.0 MB"),
        (Artifact("file", name="report.pdf", data="AAAA"), "a file called report.pdf of 3 bytes"),
        (Artifact("image", uri="https://box.test/a.png"), "an image"),
        (Artifact("link", name="Notes\x1b[2J\nof today"), "a link to Notes [2J of today"),
        (Artifact("link", uri="https://ann:pw@box.test/a/b?token=x#y"), "a link to https://box.test/a/b"),
        (Artifact("link", name="https://box.test/?key=s3"), "a link to https://box.test/"),
        (Artifact("link"), "a link to something"),
    ],
)
def test_an_artifact_is_described(artifact, words):
    assert description_of(artifact) == words


@pytest.mark.parametrize(
    ("artifact", "name"),
    [
        (Artifact("image", "image/png", data=PNG), "image-1.png"),
        (Artifact("image", "image/jpeg", "holiday", "AAAA"), "holiday.jpg"),
        (Artifact("image", "image/jpeg", "holiday.jpeg", "AAAA"), "holiday.jpeg"),
        (Artifact("image", "image/png", "holiday.exe", "AAAA"), "holiday.exe.png"),
        (Artifact("file", "", "", PNG, "box://x/../../etc/passwd"), "passwd.bin"),
        (Artifact("file", "application/pdf", "..\\..\\report", "AAAA"), "report.pdf"),
        (Artifact("file", "application/pdf", ".bashrc", "AAAA"), "bashrc.pdf"),
        (Artifact("file", "text/markdown", "", "AAAA", "demo://doc/plan.md"), "plan.md"),
        (Artifact("file", "x/never-heard-of", "///", "AAAA"), "file-1.bin"),
        (Artifact("audio", "audio/wav; rate=8000", "what? a *sound*", "AAAA"), "what-a-sound.wav"),
        (Artifact("file", "", "a" * 300, "AAAA"), "a" * 80 + ".bin"),
        (Artifact("file", "text/plain", "", "AAAA", "https://box.test/n?token=secret.exe"), "n.txt"),
    ],
)
def test_a_file_has_a_safe_name_and_the_extension_of_its_type(artifact, name):
    assert file_name(artifact) == name


@pytest.mark.parametrize("data", ["QUJD", "QUJDRA==", "QUJDRA", "QU JD\n", "QUJD-_", "Q", "", "====", "é"])
def test_whatever_came_as_base64_can_be_decoded(data):
    assert isinstance(content(Artifact("file", data=data)), bytes)


def test_an_address_without_secrets():
    assert without_secrets("box://notes/today?x=1") == "box://notes/today"
    assert without_secrets("x\x1b[2J?a") == "x [2J"
