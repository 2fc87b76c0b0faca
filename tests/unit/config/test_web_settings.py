"""The settings of the console: what may be a host name, and who needs a token."""

import pytest
from pydantic import ValidationError

from voice_gateway.config import WebSettings


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("home.example", "home.example"),
        ("Home.Example", "home.example"),
        ("home.example.", "home.example"),
        ("home.example:8443", "home.example"),  # the name counts at every port
        ("192.0.2.7:80", "192.0.2.7"),
        ("fd00::7", "fd00::7"),
        ("[fd00::7]", "fd00::7"),
        ("[FD00::7]:8443", "fd00::7"),
    ],
)
def test_a_host_is_known_by_its_name_alone(written, meant):
    assert WebSettings(hosts=(written,)).hosts == (meant,)


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            ".",
            ":80",
            "https://home.example",
            "home.example/",
            "*.example",
            "a@b",
            "a b",
            "häuschen.example",
        ),
        *(
            "home.example:http",
            "home.example:0",
            "[fd00::7",
            "home\n.example",
        ),
    ],
)
def test_what_no_browser_would_call_a_host_is_refused(written):
    with pytest.raises(ValidationError, match="is no host name"):
        WebSettings(hosts=(written,))
