"""What the compiler says of patterns that can never match, or never match first (C# specification 11.2, 12.11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.type_operands import is_generic
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.numbers.numeric import COMPARISONS
from dap_dotnet.evaluation.rules.pattern_coverage import Coverage
from dap_dotnet.evaluation.rules.type_errors import not_assignable
from dap_dotnet.evaluation.syntax import pattern_tree
from dap_dotnet.evaluation.syntax.tree import Node, Place, passing
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts, is_never
from dap_dotnet.evaluation.types.inheritance import is_interface

_COMPARED = frozenset({Kind.NUMBER, Kind.BOOL, Kind.STRING, Kind.ENUM})


def check_possible(binder: NameBinder, known: Type | None, target: Type, at: Place) -> None:
    """CS8121 where no value of the operand's type, None where that is not known, is of the pattern's."""
    if known is None or Kind.POINTER in (known.kind, target.kind):
        return
    source = known.element if known.kind is Kind.NULLABLE else known
    if source.is_value_type and target.is_value_type:
        is_possible = source is target or Kind.TUPLE in (source.kind, target.kind)
    elif source.is_value_type:
        is_possible = implicitly_converts(binder.universe, source, target)
    elif target.is_value_type:
        is_possible = implicitly_converts(binder.universe, target, source) or is_interface(binder.universe, source)
    else:
        is_possible = not is_never(binder.universe, source, target)
    if not is_possible and not is_generic(binder):
        with passing(at):
            raise Diagnostic("CS8121", known.name, target.name)


def check_constant(binder: NameBinder, known: Type | None, constant: Operand, at: Place) -> None:
    """CS0029, CS0031 and CS0266 where a constant does not convert to the operand's type."""
    inner = known.element if known is not None and known.kind is Kind.NULLABLE else known
    is_object = inner is not None and inner.kind in (Kind.CLASS, Kind.ARRAY)
    if inner is None or constant.type.kind not in _COMPARED or not (is_object or inner.kind in _COMPARED):
        return
    if not implicitly_converts(binder.universe, constant.type, inner, constant) and not is_generic(binder):
        with passing(at):
            raise not_assignable(constant.type, inner, constant.data)


Meaning = Callable[[Node], "Operand | Type | None"]


class Arms:
    """The arms of a switch expression so far that have no guard: what they take does not reach the next ones."""

    def __init__(self, binder: NameBinder, known: Type | None, meaning: Meaning) -> None:
        """`known` is the type of the operand; None: it is not known. `meaning`: the constant or type of a node."""
        self._binder = binder
        self._meaning_of = meaning
        self._known = known
        self._is_over = False
        self._constants = set[tuple[Type, Any]]()
        self._types: list[Type] = []
        self._comparisons: list[tuple[str, Operand]] = []
        self._patterns: list[pattern_tree.Pattern] = []
        self._coverage = Coverage(self._meaning, self._limit, self._is_within)

    def add(self, pattern: pattern_tree.Pattern, *, has_guard: bool) -> None:
        """The next arm. CS8510 where those before it take all that it would."""
        simple = _alternatives(pattern)
        if all(self._is_taken(one) for one in simple):
            with passing(pattern.at):
                raise Diagnostic("CS8510")
        for one in simple if not has_guard else ():
            self._take(one)

    def _is_taken(self, pattern: pattern_tree.Pattern) -> bool:
        if self._is_over or any(self._coverage.covers(one, pattern, self._known) for one in self._patterns):
            return True
        constant, kind = self._meaning(pattern)
        if constant is not None:
            key = constant.type, constant.data
            return key in self._constants or any(self._holds(one, constant) for one in self._comparisons)
        return kind is not None and any(self._is_within(kind, one) for one in self._types)

    def _is_within(self, kind: Type, other: Type) -> bool:
        """Whether what is of a type is of the other one, too."""
        return kind is other or (other.is_reference and implicitly_converts(self._binder.universe, kind, other))

    def _holds(self, comparison: tuple[str, Operand], constant: Operand) -> bool:
        operator, limit = comparison
        is_number = self._known is not None and self._known.kind is Kind.NUMBER
        if constant.type.kind is not Kind.NUMBER or not (is_number or constant.type is limit.type):
            return False
        return bool(COMPARISONS[operator](constant.data, limit.data))

    def _limit(self, pattern: pattern_tree.RelationalPattern) -> Operand | None:
        limit = self._meaning_of(pattern.value)
        return limit if isinstance(limit, Operand) else None

    def _take(self, pattern: pattern_tree.Pattern) -> None:
        self._patterns.append(pattern)
        constant, kind = self._meaning(pattern)
        if isinstance(pattern, pattern_tree.DiscardPattern) or _is_var(pattern):
            self._is_over = True
        elif constant is not None:
            self._constants.add((constant.type, constant.data))
            known = self._known
            if known is not None and known.kind is Kind.BOOL:
                self._is_over |= {data for _, data in self._constants} >= {True, False}
        elif isinstance(pattern, pattern_tree.RelationalPattern):
            limit = self._limit(pattern)
            if limit is not None and limit.type.kind is Kind.NUMBER:
                self._comparisons.append((pattern.operator, limit))
        elif kind is not None:
            self._types.append(kind)
            self._is_over |= self._known is not None and self._known.is_value_type and self._known is kind

    def _meaning(self, pattern: pattern_tree.Pattern) -> tuple[Operand | None, Type | None]:
        """The constant or the type that a pattern stands for; (None, None) for others."""
        if isinstance(pattern, pattern_tree.TypePattern) and pattern.type is not None:
            return None, self._binder.type(pattern.type)
        if isinstance(pattern, pattern_tree.ConstantPattern):
            meaning = self._meaning_of(pattern.value)
            return (None, meaning) if isinstance(meaning, Type) else (meaning, None)
        return None, None


def _is_var(pattern: pattern_tree.Pattern) -> bool:
    return isinstance(pattern, pattern_tree.TypePattern) and pattern.type is None


def _alternatives(pattern: pattern_tree.Pattern) -> Sequence[pattern_tree.Pattern]:
    if isinstance(pattern, pattern_tree.JunctionPattern) and not pattern.is_and:
        return (*_alternatives(pattern.left), *_alternatives(pattern.right))
    return (pattern,)


def refuse_variables(pattern: pattern_tree.Pattern) -> None:
    """Raises where a pattern declares a variable that would not be known to be set."""
    if _declares(pattern):
        raise Diagnostic("CS8780")


def _declares(pattern: pattern_tree.Pattern | None) -> bool:
    if isinstance(pattern, (pattern_tree.TypePattern, pattern_tree.RecursivePattern)) and pattern.name not in (
        None,
        "_",
    ):
        return True
    if isinstance(pattern, (pattern_tree.NotPattern, pattern_tree.SlicePattern)):
        return _declares(pattern.pattern)
    if isinstance(pattern, pattern_tree.JunctionPattern):
        return _declares(pattern.left) or _declares(pattern.right)
    if isinstance(pattern, pattern_tree.RecursivePattern):
        inner = [*(pattern.positional or ()), *(part.pattern for part in pattern.properties)]
        return any(map(_declares, inner))
    return isinstance(pattern, pattern_tree.ListPattern) and any(map(_declares, pattern.items))
