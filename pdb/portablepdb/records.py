"""Named tuples that are declared as those of `typing` are, and made in a quarter of the time.

A hundred of them are made when the package is imported, which took a third of that: for each, Python compiles a
constructor of its own. These share one. Type checkers are told that they are NamedTuples; they have what those have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

try:
    from _collections import _tuplegetter as _member  # type: ignore[import-not-found]  # as collections does
except ImportError:  # not CPython

    def _member(position: int, doc: str) -> property:
        return property(itemgetter(position), doc=doc)


class _RecordType(type):
    """Makes the fields of a record from its annotations; values in the class are their defaults."""

    _fields: tuple[str, ...]
    _field_defaults: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _RecordType:
        if bases != _BASES:
            return super().__new__(cls, name, bases, namespace)
        namespace["__slots__"] = ()
        made = super().__new__(cls, name, bases, namespace)
        fields = tuple(made.__annotations__)
        for position, field in enumerate(fields):
            setattr(made, field, _member(position, f"Alias for field number {position}"))
        made._fields = fields
        made.__match_args__ = fields  # type: ignore[attr-defined, misc]
        made._field_defaults = {field: namespace[field] for field in fields if field in namespace}
        return made

    @property
    def __signature__(cls) -> Any:
        from inspect import Parameter, Signature

        kind, none = Parameter.POSITIONAL_OR_KEYWORD, Parameter.empty
        hints = cls.__annotations__
        fields = [(name, cls._field_defaults.get(name, none), hints.get(name, none)) for name in cls._fields]
        return Signature([Parameter(name, kind, default=value, annotation=hint) for name, value, hint in fields])


_BASES: tuple[type, ...] = ()


class _Record(tuple[Any, ...], metaclass=_RecordType):
    __slots__ = ()
    _fields = ()
    _field_defaults: dict[str, Any] = {}  # noqa: RUF012  # as that of a NamedTuple

    def __new__(cls, *values: Any, **named: Any) -> Any:
        if named or len(values) != len(cls._fields):
            return tuple.__new__(cls, cls._bound(values, named))
        return tuple.__new__(cls, values)

    @classmethod
    def _bound(cls, values: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """The values of all fields in their order. Raises TypeError."""
        fields = cls._fields
        if len(values) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} values, not {len(values)}")
        given = dict(zip(fields, values, strict=False))
        for name, value in named.items():
            if name in given or name not in fields:
                problem = "has more than one value for" if name in given else "has no field"
                raise TypeError(f"{cls.__name__} {problem} '{name}'")
            given[name] = value
        missing = [name for name in fields if name not in given and name not in cls._field_defaults]
        if missing:
            raise TypeError(f"{cls.__name__} lacks a value for '{missing[0]}'")
        return [given[name] if name in given else cls._field_defaults[name] for name in fields]

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        """A record from all its values. Raises TypeError."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"{cls.__name__} takes {len(cls._fields)} values, not {len(made)}")
        return made

    def _replace(self, **named: Any) -> Any:
        """The same record with other values for some fields. Raises TypeError."""
        return type(self)(**{**self._asdict(), **named})

    __replace__ = _replace

    def _asdict(self) -> dict[str, Any]:
        """The fields by their names."""
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)


_BASES = (_Record,)
__all__ = ["Record"]
if TYPE_CHECKING:
    from typing import NamedTuple as Record
else:
    Record = _Record
