"""What every section of the settings tree is."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class Section(BaseModel):
    """A part's own settings: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty_means_none(cls, values: Any) -> Any:
        """TOML and the environment have no word for "none": an empty text says it, also of a list."""
        if not isinstance(values, dict):
            return values
        nothing = {type(None): None, tuple: ()}
        kinds = {key: type(field.default) for key, field in cls.model_fields.items()}
        empty = {key: nothing[kind] for key, kind in kinds.items() if kind in nothing}
        return {key: empty.get(key, "") if value == "" else value for key, value in values.items()}
