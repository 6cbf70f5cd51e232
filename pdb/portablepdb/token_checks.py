"""What a caller gives for a token: refused where it is no token, or one of the wrong table, or of no row."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from .errors import NoSuchEntryError
from .handles import TableNumber, row_of, table_of

if TYPE_CHECKING:
    from .root import MetadataImage

T = TableNumber

_OWNERS: dict[int, str] = {
    T.TYPE_DEF: "a type",
    T.FIELD: "a field",
    T.METHOD_DEF: "a method",
    T.PARAM: "a parameter",
    T.PROPERTY: "a property",
    T.EVENT: "an event",
}
_MOST_NAMED = 3


def require_token(token: object) -> None:
    """TypeError for what is no token, such as a name."""
    if not isinstance(token, int):
        raise TypeError(
            f"a token or an object is wanted, not {type(token).__name__} (find_type and find_method take names)"
        )


def require_row(image: MetadataImage, token: int, tables: Collection[int]) -> None:
    """NoSuchEntryError for a token of another table than these, and for a row that does not exist.

    TypeError for what is no token.
    """
    require_token(token)
    table = table_of(token)
    if table not in tables:
        raise wrong_table(image, token, tables)
    if not 0 < row_of(token) <= image.row_counts[table]:
        image.table(T(table)).row(row_of(token))  # raises


def wrong_table(image: MetadataImage, token: int, tables: Collection[int]) -> NoSuchEntryError:
    """The error for a token of another table than these."""
    wanted = "what can have attributes"
    if len(tables) <= _MOST_NAMED:
        wanted = " or ".join(f"{_OWNERS.get(one, f'a {T(one).name}')} (0x{one:02x}......)" for one in tables)
    return NoSuchEntryError(f"{shown(token)} is not a token of {wanted}", file=image.file)


def shown(token: int) -> str:
    """A token in hexadecimal, a negative number as it is."""
    return f"0x{token:08x}" if token >= 0 else str(token)
