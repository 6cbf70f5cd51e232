"""Which code stands for a variable, why C# refuses to store in other code (C# specification 9.5, 12.21.2).

And which variables are read before they have a value (9.4), in bodies that the program runs. That never refuses what
the compiler takes: an assignment anywhere in an expression counts as made. Which members a new object must be given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from dap_dotnet.evaluation.bound_tree import Code, FieldOf, Invoked, Operation, Steps, Stored, TypedOperation, Variable
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Type
from dap_dotnet.evaluation.types.declarations import Candidate, bases_of, declared_members, declared_method
from dap_dotnet.evaluation.types.universe import Universe, attribute_of
from portablepdb.signatures import ByRefType, ModifiedType

ELEMENTS = frozenset({"ArrayIndex", "ArrayAccess", "Pointed"})
"""The operations that give variables: elements of arrays, and what pointers point to."""
INLINE_ELEMENT = "InlineElement"
"""An element of an inline array or a fixed buffer, which is a part of the structure."""
CHOSEN = "ChosenVariable"
"""`condition ? ref first : ref second`."""
_READ_ONLY = 0x20
_NONE: Mapping[Code, str] = {}


def is_variable(universe: Universe, code: Code) -> bool:
    """Whether a call may change the structure that code gives; else it changes a copy."""
    return refusal(universe, code, is_part=True) is None


def refusal(
    universe: Universe, code: Code, fixed: Mapping[Code, str] = _NONE, *, is_part: bool = False
) -> Diagnostic | None:
    """What C# says where code is assigned to; None where it is a variable, or a property, which needs a setter.

    `fixed`: variables that are not assigned to, with what C# calls them for that, empty for constants. `is_part`: a
    part of the structure that the code gives is assigned, which takes a variable.
    """
    if isinstance(code, Steps):
        last = code.steps[-1]
        is_value = type(last) is Variable  # a temporary one
        return Diagnostic("CS0131") if is_value else refusal(universe, last, fixed, is_part=is_part)
    if isinstance(code, Variable):
        word = fixed.get(code)
        if word is None:
            return None
        return Diagnostic("CS1654" if is_part else "CS1656", code.name, word) if word else Diagnostic("CS0131")
    if isinstance(code, Stored):
        if code.locate is None and not code.is_of_console:
            return Diagnostic("CS0131")
        return Diagnostic("CS8332" if is_part else "CS8331", f"variable '{code.name}'") if code.is_read_only else None
    if isinstance(code, FieldOf):
        return _of_field(universe, code, fixed, is_part=is_part)
    if isinstance(code, Invoked):
        return _of_call(universe, code, fixed, is_part=is_part)
    if isinstance(code, Operation) and code.name == CHOSEN:
        _, first, second = code.operands
        return refusal(universe, first, fixed, is_part=is_part) or refusal(universe, second, fixed, is_part=is_part)
    if isinstance(code, Operation) and code.name == INLINE_ELEMENT:
        refused = refusal(universe, code.operands[0], fixed, is_part=True)
        if refused is not None and refused.compiler_code == "CS1648":
            return Diagnostic("CS8331", f"field '{refused.arguments[0]}'")
        return refused
    if isinstance(code, Operation) and code.name in ELEMENTS:
        return None
    if isinstance(code, Operation) and code.name == "ArrayLength":
        return Diagnostic("CS0200", "System.Array.Length")
    if is_part and isinstance(code, TypedOperation) and code.operand.type.is_reference:
        return Diagnostic("CS0445")
    return Diagnostic("CS0131")


def _of_field(universe: Universe, code: FieldOf, fixed: Mapping[Code, str], *, is_part: bool) -> Diagnostic | None:
    declared = universe.declaration(code.owner)
    assert declared is not None
    field = declared[1].field(code.token)
    if field.flags & _READ_ONLY:
        keys = ("CS1650", "CS0198") if code.target is None else ("CS1648", "CS0191")
        return Diagnostic(keys[0] if is_part else keys[1], f"{code.owner.name}.{field.name}")
    if code.target is None or code.target.type.is_reference:
        return None
    return refusal(universe, code.target, fixed, is_part=True)


def _of_call(universe: Universe, code: Invoked, fixed: Mapping[Code, str], *, is_part: bool) -> Diagnostic | None:
    name, word = returned_word(universe, code.method)
    is_property = name.startswith("get_")
    if word == "ref":
        return None
    if word:
        shown = f"property '{name.removeprefix('get_')}'" if is_property else f"method '{name}'"
        return Diagnostic("CS8332" if is_part else "CS8331", shown)
    if is_part:
        return Diagnostic("CS1612", f"{code.method.owner.name}.{name.removeprefix('get_')}")
    if not is_property:
        return Diagnostic("CS0131")
    inner = code.target if code.target is not None and not code.target.type.is_reference else None
    return refusal(universe, inner, fixed, is_part=True) if inner is not None else None


def returned_word(universe: Universe, method: ExactMethod) -> tuple[str, str]:
    """The name of a method, and the word for what it returns: `ref`, `ref readonly`, empty for a value."""
    own = declared_method(universe, method).method
    signature = own.signature.return_type
    if isinstance(signature, ByRefType):
        return own.name, "ref" if not isinstance(signature.element, ModifiedType) else "ref readonly"
    is_read_only = isinstance(signature, ModifiedType) and isinstance(signature.element, ByRefType)
    return own.name, "ref readonly" if is_read_only else ""


Names = frozenset[str]
"""Variables that are declared and have no value yet."""


def check_assigned(block: statements.Block) -> None:
    """Raises `EvaluationError`: CS0165."""
    _block(block.statements, frozenset())


def _block(nodes: Iterable[Statement], missing: Names) -> Names:
    outer, own = missing, set[str]()
    for node in nodes:
        if isinstance(node, statements.Declare):
            missing = _read(node.value, missing) - {node.name}
            own.add(node.name)
            if node.value is None:
                missing |= {node.name}
        else:
            missing = _after(node, missing)
    return frozenset(name for name in missing if name not in own or name in outer)


def _after(node: Statement, missing: Names) -> Names:
    """What has no value after a statement; of one that never ends, nothing."""
    made = _through(node, missing)
    return frozenset() if never_ends(node, breaks=True) else made


def _through(node: Statement, missing: Names) -> Names:
    if isinstance(node, statements.Block):
        return _block(node.statements, missing)
    if isinstance(node, statements.CheckedBlock):
        return _after(node.body, missing)
    if isinstance(node, statements.If):
        missing = _read(node.condition, missing)
        otherwise = _after(node.otherwise, missing) if node.otherwise is not None else missing
        return _after(node.then, missing) | otherwise
    if isinstance(node, statements.While):
        return _loop(node.condition, node.body, missing, runs=node.is_do)
    if isinstance(node, statements.For):
        return _loop(node.condition, node.body, _block(node.initial, missing))
    if isinstance(node, statements.ForEach):
        missing = _read(node.source, missing)
        _after(node.body, missing)
        return missing
    if isinstance(node, statements.SwitchStatement):
        return _switch(node, missing)
    if isinstance(node, statements.Try):
        after = _after(node.body, missing)
        for clause in node.catches:
            after |= _after(clause.body, missing)
        last = _after(node.final, missing) if node.final is not None else missing
        return after & last
    if isinstance(node, statements.Using):
        return _block((node.resource, node.body), missing)
    if isinstance(node, statements.Lock):
        return _after(node.body, _read(node.value, missing))
    if isinstance(node, statements.LocalFunction):
        return missing
    given = node.expression if isinstance(node, statements.Evaluate) else None
    if isinstance(given, syntax.Assignment) and given.operator == "=" and isinstance(given.target, syntax.Name):
        return _read(given.value, missing) - {given.target.name}
    return _read(node, missing)


def _loop(condition: syntax.Node | None, body: Statement, missing: Names, *, runs: bool = False) -> Names:
    """`runs`: at least once, before its condition is asked."""
    before = missing if runs else _read(condition, missing)
    after = _through(body, before)
    return after if runs or _is_true(condition) else before


def _switch(node: statements.SwitchStatement, missing: Names) -> Names:
    missing = _read(node.value, missing)
    after: Names = frozenset()
    for section in node.sections:
        inner: Names = missing
        for statement in section.body:
            if not _is_break(statement):
                inner = _block((statement,), inner)
        after |= frozenset() if never_ends(statements.Block(section.body)) else inner
    has_default = any(label.pattern is None for section in node.sections for label in section.labels)
    return after if has_default else after | missing


def _read(node: object, missing: Names) -> Names:
    """Looks for reads in an expression, whatever is assigned in it having its value already. CS0165."""
    if not missing or node is None:
        return missing
    assigned, read = set[str](), list[syntax.Name]()
    pending: list[object] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, syntax.Lambda):
            continue
        if isinstance(part, syntax.Assignment) and part.operator == "=":
            targets = part.target.items if isinstance(part.target, syntax.Tuple) else (part.target,)
            assigned.update(one.name for one in targets if isinstance(one, syntax.Name))
            pending.append(part.value)
            pending.extend(one for one in targets if not isinstance(one, syntax.Name))
        elif isinstance(part, syntax.Argument) and part.modifier == "out" and isinstance(part.value, syntax.Name):
            assigned.add(part.value.name)
        elif isinstance(part, syntax.Name):
            read.append(part)
        elif isinstance(part, syntax.Call) and isinstance(part.target, syntax.Name) and part.target.name == "nameof":
            continue
        elif isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, Struct):
            pending.extend(getattr(part, name) for name in part.__struct_fields__)
    for name in read:
        if name.name in missing and name.name not in assigned:
            with passing(name.at):
                raise Diagnostic("CS0165", name.name)
    return missing - assigned


def never_ends(node: Statement, *, breaks: bool = False) -> bool:
    """Whether nothing can follow a statement (C# specification 13.2); `breaks`: `break` and `continue` are ends too."""
    if isinstance(node, statements.Return):
        return True
    if isinstance(node, statements.Evaluate):
        return isinstance(node.expression, syntax.Throw)
    if isinstance(node, statements.Leave):
        return breaks or node.word == "throw"
    if isinstance(node, statements.Block):
        return any(never_ends(inner, breaks=breaks) for inner in node.statements)
    if isinstance(node, statements.CheckedBlock | statements.Using | statements.Lock):
        return never_ends(node.body, breaks=breaks)
    if isinstance(node, statements.Try):
        regions = (node.body, *(clause.body for clause in node.catches))
        ends_last = node.final is not None and never_ends(node.final, breaks=breaks)
        return ends_last or all(never_ends(region, breaks=breaks) for region in regions)
    if isinstance(node, statements.If):
        return (
            node.otherwise is not None
            and never_ends(node.then, breaks=breaks)
            and never_ends(node.otherwise, breaks=breaks)
        )
    if isinstance(node, statements.While | statements.For):
        return _is_true(node.condition) and not _breaks(node.body)
    if isinstance(node, statements.SwitchStatement):
        has_default = any(label.pattern is None for section in node.sections for label in section.labels)
        bodies = [statements.Block(section.body) for section in node.sections]
        return has_default and not any(_breaks(body) for body in bodies)
    return False


def _is_true(condition: syntax.Node | None) -> bool:
    return condition is None or (isinstance(condition, syntax.Literal) and condition.value is True)


def _is_break(node: Statement | None) -> bool:
    return isinstance(node, statements.Leave) and node.word == "break"


def _breaks(node: Statement | None) -> bool:
    """Whether a `break` inside leaves the loop or switch around the statement."""
    if _is_break(node):
        return True
    if isinstance(node, statements.Block):
        parts: Iterable[Statement | None] = node.statements
    elif isinstance(node, statements.CheckedBlock | statements.Using | statements.Lock):
        parts = (node.body,)
    elif isinstance(node, statements.Try):
        parts = (node.body, *(clause.body for clause in node.catches))
    else:
        parts = (node.then, node.otherwise) if isinstance(node, statements.If) else ()
    return any(map(_breaks, parts))


# `required` members of a new object (C# 11)

_REQUIRED = "System.Runtime.CompilerServices.RequiredMemberAttribute"
"""The compiler puts it on each such member, and on its type."""
_SETS_THEM = "System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute"


def check_required(universe: Universe, kind: Type, constructor: Candidate | None, initialised: frozenset[str]) -> None:
    """Raises `EvaluationError`, CS9035, for a required member that neither initializer nor constructor sets."""
    if constructor is not None and attribute_of(constructor.module, constructor.method.token, _SETS_THEM) is not None:
        return
    for owner in bases_of(universe, kind):
        missing = next((name for name in _required(universe, owner) if name not in initialised), None)
        if missing is not None:
            raise Diagnostic("CS9035", owner.name, missing)


def _required(universe: Universe, owner: Type) -> Iterator[str]:
    if not universe.has_attribute(owner, _REQUIRED):
        return
    declared = declared_members(universe, owner)
    for token, name in (
        *((one.token, one.name) for one in declared.properties if one.token),
        *((one.token, one.name) for one in declared.fields if not one.is_backing_field),
    ):
        if attribute_of(universe.module_of(owner), token, _REQUIRED) is not None:
            yield name
