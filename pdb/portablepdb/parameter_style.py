"""What is written of the parameters in a method's name."""

from __future__ import annotations

from collections.abc import Mapping

from .records import Record


class ParameterStyle(Record):
    """What is written of each parameter: ``int count``, ``count``, ``int``, ``int count = 3``, ``3``."""

    types: bool = True
    names: bool = True
    values: Mapping[str, str] = {}
    """The values of parameters, by their names; those that are not in it have none."""

    def written(self, type_text: str, name: str) -> str:
        """One parameter; one without a name has its type at least."""
        words = [type_text] if self.types or not name else []
        if self.names and name:
            words.append(name)
        value = self.values.get(name)
        if value is not None:
            words += ["=", value] if self.names and name else [value]
        return " ".join(words) or name
