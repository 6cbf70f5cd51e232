"""Types that a collection expression can make (C# 12), and what their elements are."""

from __future__ import annotations

from dap_dotnet.evaluation.types.csharp_types import Kind, Type

_GENERIC = "System.Collections.Generic."
LIST = _GENERIC + "List`1"
ARRAYS = frozenset(_GENERIC + name for name in ("IEnumerable`1", "IReadOnlyCollection`1", "IReadOnlyList`1"))
"""Interfaces that an array stands for."""
LISTS = frozenset({LIST, _GENERIC + "ICollection`1", _GENERIC + "IList`1"})
SPAN, READ_ONLY_SPAN = "System.Span`1", "System.ReadOnlySpan`1"
SPANS = frozenset({SPAN, READ_ONLY_SPAN})
_MADE_OF_SEQUENCES = frozenset(_GENERIC + name for name in ("HashSet`1", "Queue`1", "Stack`1", "LinkedList`1"))


def element_of(kind: Type) -> Type | None:
    """The type of the elements of a collection expression for a target; None where it is not made so here."""
    if kind.kind is Kind.ARRAY:
        return kind.element if kind.rank <= 1 else None
    return kind.arguments[0] if kind.full_name in ARRAYS | LISTS | SPANS | _MADE_OF_SEQUENCES else None
