"""Which patterns of a switch never match, since those before take all that they would (C# specification 11.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import starmap

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.numeric import COMPARISONS
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.syntax import statement_tree as tree
from dap_dotnet.evaluation.syntax.statement_tree import Pattern
from dap_dotnet.evaluation.syntax.tree import Node, TypeSyntax, passing
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import Universe

Meaning = tuple[Operand | None, Type | None]
_DOWN, _UP = ("<", "<="), (">", ">=")


class Arms:
    """The arms of a switch expression so far that have no guard: what they take does not reach the next ones.

    What several patterns take only together it does not see.
    """

    def __init__(
        self,
        universe: Universe,
        known: Type,
        meaning: Callable[[Node], Operand | Type | None],
        type_of: Callable[[TypeSyntax], Type],
    ) -> None:
        """`known` is the type of the operand. `meaning`: the constant or the type that a node is."""
        self._universe, self._meaning_of_node, self._type_of = universe, meaning, type_of
        self._known = known
        self._patterns: list[Pattern] = []

    def add(self, pattern: Pattern, *, has_guard: bool) -> None:
        """The next arm. CS8510 where those before it take all that it would."""
        alternatives = _alternatives(pattern)
        if all(self._is_taken(one) for one in alternatives):
            with passing(pattern.at):
                raise Diagnostic("CS8510")
        if not has_guard:
            self._patterns += alternatives

    def _is_taken(self, pattern: Pattern) -> bool:
        if self._known.kind is Kind.BOOL:
            constants = [self._meaning(one)[0] for one in self._patterns]
            if {one.data for one in constants if one is not None} >= {True, False}:
                return True
        return any(self._covers(one, pattern, self._known) for one in self._patterns)

    def _meaning(self, pattern: Pattern) -> Meaning:
        """The constant or the type that a pattern stands for; (None, None) for others."""
        if isinstance(pattern, tree.TypePattern) and pattern.type is not None:
            return None, self._type_of(pattern.type)
        if isinstance(pattern, tree.ConstantPattern):
            meaning = self._meaning_of_node(pattern.value)
            return (None, meaning) if isinstance(meaning, Type) else (meaning, None)
        return None, None

    def _is_within(self, kind: Type, other: Type) -> bool:
        """Whether what is of a type is of the other one, too."""
        return kind is other or (other.is_reference and implicitly_converts(self._universe, kind, other))

    def _covers(self, one: Pattern, other: Pattern, known: Type | None = None) -> bool:
        """Whether `one` takes each value that `other` takes; `known` is the type of the values, where that is known."""
        if _takes_all(one):
            return True
        for pattern, all_of in ((other, any), (one, all)):
            if not isinstance(pattern, tree.JunctionPattern):
                continue
            wanted = all_of if pattern.is_and else (any if all_of is all else all)
            behind = self._narrowed(pattern.left) or known if pattern.is_and else known
            parts = (pattern.left, known), (pattern.right, behind)
            pairs = [(one, part, kind) if pattern is other else (part, other, kind) for part, kind in parts]
            return wanted(self._covers(a, b, kind) for a, b, kind in pairs)
        if isinstance(one, tree.RecursivePattern):
            return self._recursive(one, other, known)
        if isinstance(one, tree.ListPattern):
            return isinstance(other, tree.ListPattern) and self._list(one.items, other.items)
        if isinstance(one, tree.RelationalPattern):
            return self._relational(one, other, known)
        constant, kind = self._meaning_of(one, known)
        of_other, kind_of_other = self._meaning_of(other, known)
        if kind is not None and kind is known and known.is_value_type:
            return True
        if kind is not None:
            return self._is_of(kind, other, (of_other, kind_of_other), known)
        if constant is None or of_other is None or constant.type is not of_other.type:
            return False
        are_nan = constant.data != constant.data and of_other.data != of_other.data
        return bool(constant.data == of_other.data or are_nan)

    def _is_of(self, kind: Type, other: Pattern, meaning: Meaning, known: Type | None) -> bool:
        """Whether what a pattern takes is never null, and always of a type."""
        constant, own = meaning
        if constant is not None:
            return constant.data is not None and constant.type is kind
        if own is None and isinstance(other, tree.RecursivePattern):
            own = self._meaning(tree.TypePattern(other.type, None))[1] if other.type is not None else known
        return own is not None and self._is_within(own, kind)

    def _recursive(self, one: tree.RecursivePattern, other: Pattern, known: Type | None) -> bool:
        if one.type is not None:
            kind = self._meaning(tree.TypePattern(one.type, None))[1]
            if kind is None or not self._is_of(kind, other, self._meaning(other), known):
                return False
        parts = _parts(one)
        if one.positional is None and not parts:
            return self._is_never_null(other)
        if not isinstance(other, tree.RecursivePattern):
            return False
        if one.positional is not None:
            theirs = other.positional
            if theirs is None or len(theirs) != len(one.positional) or one.type != other.type:
                return False
            if not all(starmap(self._covers, zip(one.positional, theirs, strict=True))):
                return False
        found = dict(_parts(other))
        return all(path in found and self._covers(part, found[path]) for path, part in parts)

    def _is_never_null(self, other: Pattern) -> bool:
        if isinstance(other, tree.RecursivePattern | tree.ListPattern | tree.RelationalPattern):
            return True
        constant, kind = self._meaning(other)
        return kind is not None or (constant is not None and constant.data is not None)

    def _list(self, one: Sequence[Pattern], other: Sequence[Pattern]) -> bool:
        head, part, tail = _split(one)
        others_head, others_part, others_tail = _split(other)
        if part is None:
            return others_part is None and len(head) == len(others_head) and self._all(head, others_head)
        if part.pattern is not None and not _takes_all(part.pattern):
            return False
        if others_part is None:
            enough = len(others_head) >= len(head) + len(tail)
            others_tail = others_head[len(others_head) - len(tail) :]
        else:
            enough = len(others_head) >= len(head) and len(others_tail) >= len(tail)
            others_tail = others_tail[len(others_tail) - len(tail) :]
        return enough and self._all(head, others_head[: len(head)]) and self._all(tail, others_tail)

    def _all(self, one: Sequence[Pattern], other: Sequence[Pattern]) -> bool:
        return all(starmap(self._covers, zip(one, other, strict=True)))

    def _narrowed(self, pattern: Pattern) -> Type | None:
        """The type of what has fitted a pattern, where that says it."""
        if isinstance(pattern, tree.JunctionPattern) and pattern.is_and:
            return self._narrowed(pattern.right) or self._narrowed(pattern.left)
        constant, kind = self._meaning(pattern)
        return constant.type if constant is not None else kind

    def _meaning_of(self, pattern: Pattern, known: Type | None) -> Meaning:
        """With a constant in the type of the values, where both are numbers."""
        constant, kind = self._meaning(pattern)
        return _seen_as(constant, known), kind

    def _limit(self, pattern: tree.RelationalPattern, known: Type | None) -> Operand | None:
        """What a relational pattern compares numbers with."""
        limit = self._meaning_of_node(pattern.value)
        limit = _seen_as(limit if isinstance(limit, Operand) else None, known)
        return limit if limit is not None and limit.type.kind is Kind.NUMBER else None

    def _relational(self, one: tree.RelationalPattern, other: Pattern, known: Type | None) -> bool:
        limit = self._limit(one, known)
        if limit is None:
            return False
        if not isinstance(other, tree.RelationalPattern):
            constant = self._meaning_of(other, known)[0]
            is_number = constant is not None and constant.type is limit.type
            return is_number and constant is not None and bool(COMPARISONS[one.operator](constant.data, limit.data))
        theirs = self._limit(other, known)
        if theirs is None or theirs.type is not limit.type:
            return False
        for way in (_DOWN, _UP):
            if one.operator in way and other.operator in way:
                is_same_end = theirs.data == limit.data and (one.operator == way[1] or other.operator == way[0])
                return is_same_end or bool(COMPARISONS[way[0]](theirs.data, limit.data))
        return False


def _alternatives(pattern: Pattern) -> Sequence[Pattern]:
    if isinstance(pattern, tree.JunctionPattern) and not pattern.is_and:
        return (*_alternatives(pattern.left), *_alternatives(pattern.right))
    return (pattern,)


def _seen_as(constant: Operand | None, known: Type | None) -> Operand | None:
    """A constant in the type of the values, where both are numbers."""
    if constant is not None and known is not None and known.kind is constant.type.kind is Kind.NUMBER:
        return Operand(known, constant.data)
    return constant


def _takes_all(pattern: Pattern) -> bool:
    return isinstance(pattern, tree.TypePattern) and pattern.type is None


def _split(items: Sequence[Pattern]) -> tuple[Sequence[Pattern], tree.SlicePattern | None, Sequence[Pattern]]:
    """What stands before the slice, the slice, and what stands behind it; the slice None: there is none."""
    for place, item in enumerate(items):
        if isinstance(item, tree.SlicePattern):
            return items[:place], item, items[place + 1 :]
    return items, None, ()


def _parts(pattern: tree.RecursivePattern) -> list[tuple[tuple[str, ...], Pattern]]:
    """What it asks of members, by their paths: `A: { B: p }` as `A.B: p`."""
    found: list[tuple[tuple[str, ...], Pattern]] = []
    for part in pattern.properties:
        inner = part.pattern
        is_path = isinstance(inner, tree.RecursivePattern) and inner.type is None and inner.positional is None
        if is_path and isinstance(inner, tree.RecursivePattern) and inner.properties:
            found += [((*part.path, *path), one) for path, one in _parts(inner)]
        else:
            found.append((part.path, inner))
    return found
