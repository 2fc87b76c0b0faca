"""Who is trusted, and why: one function decides."""

import pytest

from voice_gateway.llm.model import trust
from voice_gateway.reports import autonomy_report
from voice_gateway.turn import Autonomy


@pytest.mark.parametrize(
    ("setting", "provider", "size", "autonomy", "why"),
    [
        ("auto", "anthropic", None, Autonomy.ACT, "Anthropic is trusted"),
        ("auto", "ollama", "7.6B", Autonomy.ACT, "the model has 7.6B parameters"),
        ("auto", "ollama", "494.03M", Autonomy.ASK, "the model has 494.03M parameters"),
        ("auto", "ollama", None, Autonomy.ASK, "its size is not known"),
        ("ask", "anthropic", None, Autonomy.ASK, "brain.autonomy is ask"),
        ("act", "ollama", "0.5B", Autonomy.ACT, "brain.autonomy is act"),
        ("look", "anthropic", None, Autonomy.LOOK, "brain.autonomy is look"),
    ],
)
def test_the_setting_then_the_provider_then_the_size(setting, provider, size, autonomy, why):
    found = trust(setting, provider=provider, parameter_size=size)

    assert found.autonomy is autonomy
    assert why in found.why
    assert why in autonomy_report(found)
