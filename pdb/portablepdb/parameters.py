"""The parameters of methods, and the constants of parameters, fields and properties (ECMA-335 II.22.9, II.22.33)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .handles import TableNumber
from .references import Constant, Member

if TYPE_CHECKING:
    from .metadata_index import MetadataIndex

T = TableNumber


class Parameter(Member):
    """A Param row (II.22.33): ``sequence`` is 0 for the return value, 1 for the first parameter."""

    _flags = "ParamAttributes"

    @property
    def sequence(self) -> int:
        """Which parameter, from 1; 0 is the return value."""
        return int(self._row.sequence)

    @property
    def constant(self) -> Constant | None:
        """The default value; None if there is none."""
        return constant_of(self._metadata, self)

    @property
    def marshalling(self) -> bytes | None:
        """The marshalling descriptor's blob (II.23.4), not decoded; None if it has none."""
        return self._metadata.marshalling_of(self)


def parameters_of(metadata: MetadataIndex, token: int) -> list[Parameter]:
    """The Param rows of a MethodDef in order."""
    table = metadata.image.table(T.PARAM)
    return [Parameter(metadata, T.PARAM << 24 | row, table.row(row)) for row in metadata.parameter_rows(token)]


def constant_of(metadata: MetadataIndex, token: int) -> Constant | None:
    """The Constant row of a Field, Param or Property; None if it has none."""
    row = metadata.image.table(T.CONSTANT).row_with("parent", token)
    return None if row is None else Constant(row.type & 0xFF, metadata.image.blobs[row.value])
