import jsonschema
import pytest

from zwave_mcp.schemas import TOOLS


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_a_tool_says_what_a_small_model_needs(spec):
    text = spec.description
    assert text.startswith("REQUIRED")  # the most important thing first
    assert "MUST call this whenever the user asks about" in text
    assert "DO NOT use for" in text
    assert "Good:" in text
    assert "Bad:" in text
    assert len(text) / 3.5 < 200  # tokens, counted generously
    assert len(text.split("{")) - 1 <= 7  # examples
    assert spec.parameters["additionalProperties"] is False
    for name, parameter in spec.parameters["properties"].items():
        assert "_" not in name
        assert parameter["description"]
    jsonschema.Draft202012Validator.check_schema(spec.parameters)
    jsonschema.Draft202012Validator.check_schema(spec.output)
