"""What arguments and answers are made of."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

_LARGEST = 1 << 53
"""What JSON has exactly everywhere; the adapter's messages have no numbers that do not fit into 64 bits."""


class Arguments(BaseModel):
    """Base of a tool's arguments. Each field has a description and an example."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    @field_validator("*")
    @classmethod
    def _numbers_fit(cls, value: Any) -> Any:
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, int) and abs(one) > _LARGEST:
                raise ValueError("the number is too large")
        return value


class Part(BaseModel):
    """Base of what answers are made of."""

    model_config = ConfigDict(defer_build=True)


class Answer(Part):
    """Base of a tool's answers."""

    left_out: str | None = None
    """What the size limit left out, and how to get it; None: nothing."""

    def joined(self, lines: list[str]) -> str:
        """The lines as one text, with what was left out at its end."""
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])

    def to_text(self) -> str:
        """What a reader sees first: short, without what only programs need."""
        raise NotImplementedError
