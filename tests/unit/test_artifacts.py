"""Pictures, sounds and files: how they are described."""

import base64

import pytest

from voice_gateway.artifacts import description_of, without_secrets
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


def test_an_address_without_secrets():
    assert without_secrets("box://notes/today?x=1") == "box://notes/today"
    assert without_secrets("x\x1b[2J?a") == "x [2J"
