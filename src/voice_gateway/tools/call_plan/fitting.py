"""Make a tool's own arguments out of checked ones: as its schema, or its pydantic model, wants them."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from voice_gateway.tools.call_plan.check import Problem, compile_check
from voice_gateway.tools.call_plan.schema import JsonSchema

Fit = Callable[[dict[str, Any]], dict[str, Any]]  # raises Misfit


class Misfit(Exception):
    """The arguments do not fit, yet."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(f"{len(problems)} problems")
        self.problems = problems


def fit_for_schema(schema: JsonSchema, owner: str) -> Fit:
    check = compile_check(schema, owner)

    def fit_schema(args: dict[str, Any]) -> dict[str, Any]:
        if problems := check(args):
            raise Misfit(problems)
        return args

    return fit_schema


def fit_for_model(model: type[BaseModel]) -> Fit:
    # LangChain passes every field, defaults included; `args` and `kwargs` stand for a function's own
    # variadic parameters and are passed only when given.
    always = tuple(name for name in model.model_fields if name not in ("args", "kwargs"))
    variadic = tuple(name for name in ("args", "kwargs") if name in model.model_fields)
    plain = not variadic and model.model_config.get("extra") != "allow"

    def fit_model(args: dict[str, Any]) -> dict[str, Any]:
        try:
            made = model.model_validate(args)
        except ValidationError as error:
            raise Misfit(_problems(error)) from None
        if plain:
            return made.__dict__
        ready = {name: getattr(made, name) for name in always}
        ready.update({name: getattr(made, name) for name in variadic if name in made.model_fields_set})
        if made.model_extra:
            ready.update(made.model_extra)
        return ready

    return fit_model


_SCALARS = (str, int, float, bool)


def as_reached(args: dict[str, Any], ready: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the plain values that pydantic made of them: 50 where "50" was given."""
    if args is ready:
        return args
    for name, value in args.items():
        made = ready.get(name)
        if made is not value and type(made) in _SCALARS and (type(made) is not type(value) or made != value):
            args = {**args, name: made}
    return args


def _problems(error: ValidationError) -> list[Problem]:
    found = []
    for one in error.errors(include_url=False, include_input=False, include_context=False)[:8]:
        where = ".".join(str(step) for step in one["loc"])
        message = one["msg"]
        why = "" if one["type"] == "missing" else f"is wrong: {message[:1].lower()}{message[1:200]}"
        found.append(Problem(where, why))
    return found
