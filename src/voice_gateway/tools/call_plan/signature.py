"""Say how a tool wants to be called, and what was wrong with a call. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any

from voice_gateway.tools.call_plan.check import Problem
from voice_gateway.tools.call_plan.schema import JsonSchema, properties_of, required_of, variants
from voice_gateway.tools.masking import is_secret_name, shorten

MOST_CHOICES = 12


def signature(name: str, schema: JsonSchema) -> str:
    """`control_zwave_device(deviceName: string, action: on|off|dim, level?: integer 0-100)`"""
    required = required_of(schema)
    parts = [
        f"{parameter}{'' if parameter in required else '?'}: {_kind(form, schema)}"
        for parameter, form in properties_of(schema).items()
    ]
    return f"{name}({', '.join(parts)})"


def refusal(
    name: str, schema: JsonSchema, args: dict[str, Any], problems: Sequence[Problem], unknown: Iterable[str]
) -> str:
    """What is missing, what is wrong, what is unknown, what is required, and the signature."""
    said = []
    if missing := [problem.where for problem in problems if not problem.why]:
        said.append("missing " + ", ".join(missing))
    said += [_wrong(problem, args) for problem in problems if problem.why]
    said += [f'unknown parameter "{shorten(extra, 60)}"' for extra in unknown]
    required = ", ".join(required_of(schema)) or "none"
    usage = shorten(signature(name, schema), 1000)
    return f"{name} was not run: {'; '.join(said)}. Required parameters: {required}. Use {usage}"


def _wrong(problem: Problem, args: dict[str, Any]) -> str:
    if not problem.where:
        return problem.why
    value = args.get(problem.where)
    shown = isinstance(value, str | int | float | bool) and not is_secret_name(problem.where)
    got = f", not {shorten(repr(value), 60)}" if shown else ""
    return f"{problem.where} {problem.why}{got}"


def _kind(schema: Any, root: JsonSchema, left: int = 3) -> str:
    forms = [form for form in variants(schema, root) if form.get("type") != "null"]
    return " or ".join(dict.fromkeys(_one_kind(form, root, left) for form in forms)) or "any"


def _one_kind(form: JsonSchema, root: JsonSchema, left: int) -> str:
    choices = form.get("enum")
    if isinstance(choices, list):
        more = ["…"] if len(choices) > MOST_CHOICES else []
        return "|".join([str(choice) for choice in choices[:MOST_CHOICES]] + more)
    if "const" in form:
        return str(form["const"])
    kind = form.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(str(one) for one in kind if one != "null")
    if kind == "array" and "items" in form and left:  # a schema may contain itself
        return f"array of {_kind(form['items'], root, left - 1)}"
    return f"{kind}{_limits(form)}" if kind in ("integer", "number") else str(kind)


def _limits(form: JsonSchema) -> str:
    low, high = form.get("minimum"), form.get("maximum")
    if low is not None and high is not None:
        return f" {low}-{high}"
    if low is not None:
        return f" from {low}"
    return f" up to {high}" if high is not None else ""
