"""The names that a written type gives to the elements of the tuples in it."""

from __future__ import annotations

from collections.abc import Iterable

from dap_dotnet.evaluation.syntax import tree as syntax

Names = tuple["str | None", ...]
"""Flattened as the compiler keeps them: a tuple's own, then those of each element that has tuples itself, in order."""


def element_names(wanted: syntax.TypeSyntax) -> Names:
    """The names, None for each element without one; () where the type has no tuple, or no names."""
    found = _names(wanted)
    return found if any(found) else ()


def _names(wanted: syntax.TypeSyntax) -> Names:
    if isinstance(wanted, syntax.TupleTypeSyntax):
        own: Names = wanted.names or (None,) * len(wanted.elements)
        return own + _of_all(wanted.elements)
    if isinstance(wanted, syntax.NamedTypeSyntax):
        return _of_all(argument for part in wanted.parts for argument in part.arguments)
    return () if isinstance(wanted, syntax.PredefinedTypeSyntax) else _names(wanted.element)


def _of_all(wanted: Iterable[syntax.TypeSyntax]) -> Names:
    return tuple(name for one in wanted for name in _names(one))
