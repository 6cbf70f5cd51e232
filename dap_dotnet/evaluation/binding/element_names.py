"""Names of tuples' elements in code: any value may have them whose type is a tuple or is made of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dap_dotnet.evaluation.binding.scope import Scope, dynamic, named
from dap_dotnet.evaluation.bound_tree import (
    Captured,
    Code,
    FieldOf,
    Function,
    Invoked,
    Items,
    Operation,
    Steps,
    Stored,
    TypedOperation,
    Variable,
)
from dap_dotnet.evaluation.rules.inference import delegate_of
from dap_dotnet.evaluation.syntax.tree import TypeSyntax, element_names
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.declarations import Candidate
from dap_dotnet.evaluation.types.tuple_names import (
    GivenNames,
    count,
    inferred_names,
    names_as,
    names_in_signature,
    names_of_arguments,
    names_of_methods,
)
from dap_dotnet.values.dynamic_types import is_dynamic_member
from dap_dotnet.values.tuple_names import Names, of_member


def names_of(scope: Scope, code: Code) -> Names:
    """The names of the elements of the tuples in a value's type, flattened; () for none."""
    known = scope.names.get(code)
    if known is not None:
        return known if any(known) else ()
    if isinstance(code, Steps):
        return names_of(scope, code.steps[-1])
    if isinstance(code, TypedOperation) and code.operand.type is not code.type:
        return _of_conversion(scope, code)
    if isinstance(code, Items) and not code.has_lengths:
        return _in_common(scope, code.items)
    if isinstance(code, Operation) and code.name == "Condition":
        return _in_common(scope, code.operands[1:])
    if isinstance(code, Operation) and code.name in ("Coalesce", "Assign"):
        return names_of(scope, code.operands[0])
    if isinstance(code, Function):
        parts = zip((*code.parameters, code.body), delegate_of(code.type).arguments, strict=False)
        found = tuple(name for part, kind in parts for name in names_of(scope, part) or (None,) * count(kind))
        return found if any(found) else ()
    return scope.names_by_type.get(code.type, ())


def with_written_names(scope: Scope, code: Code, kind: TypeSyntax | None) -> Code:
    """The code, the type of which is written as `kind`: it has the names in that and no others. None: as it is."""
    if kind is None or not count(code.type):
        return code
    if code in scope.names or isinstance(code, Captured | Stored | Variable):
        code = TypedOperation(code.type, "Convert", code, code.type)
    scope.names[code] = element_names(kind)
    return code


def declared(scope: Scope, variable: Variable, kind: TypeSyntax | None, value: Code | None = None) -> Variable:
    """A new variable itself, with the names in its written type; for `var` (None) with those of its value."""
    if count(variable.type):
        shown = value if value is not None else variable
        scope.names[variable] = element_names(kind) if kind is not None else names_of(scope, shown)
    return variable


def _in_common(scope: Scope, codes: Sequence[Code]) -> Names:
    """The names on which several values agree."""
    every = [names_of(scope, code) for code in codes]
    if not every or any(len(names) != len(every[0]) for names in every):
        return ()
    return tuple(each[0] if len(set(each)) == 1 else None for each in zip(*every, strict=True))


def _is_dynamic(scope: Scope, owner: Type, token: int) -> bool:
    """Whether a field, or the row of a method's result, is declared as `dynamic`."""
    module = scope.universe.module_of(owner)
    return module is not None and module.metadata is not None and is_dynamic_member(module, token)


def with_field_names(scope: Scope, made: FieldOf) -> Code:
    """The field itself, with the names that its declaration gives, and those in what it is a field of."""
    if made.type is types.OBJECT and _is_dynamic(scope, made.owner, made.token):
        return dynamic(scope, made)
    module = scope.universe.module_of(made.owner) if count(made.type) else None
    if module is None or module.metadata is None:
        return made
    given = GivenNames(of_member(module, made.token), _of_owner(scope, made.target, made.owner))
    signature = module.metadata.field(made.token).signature
    return _named(scope, made, names_in_signature(scope.universe, module, signature, given), given.own)


def with_result_names(scope: Scope, made: Invoked) -> Code:
    """The call itself, as `with_field_names`."""
    method = made.method
    if made.type is types.OBJECT:
        row = _row(scope, method, 0)
        return dynamic(scope, made) if row is not None and _is_dynamic(scope, method.owner, row) else made
    return _named_by(scope, made, method, made.target, 0) if count(made.type) else made


def give_names(scope: Scope, method: ExactMethod, target: Code | None, variables: Mapping[int, Code]) -> None:
    """Names for variables that a call declares (`out var`), by the numbers of the parameters, from 0."""
    for number, variable in variables.items():
        _named_by(scope, variable, method, target, number + 1)


def _row(scope: Scope, method: ExactMethod, sequence: int) -> int | None:
    """The token of a parameter's row, from 1; of that of the result: 0."""
    module = scope.universe.module_of(method.owner)
    if module is None or module.metadata is None:
        return None
    rows = module.metadata.method(method.token).parameter_rows
    return next((row.token for row in rows if row.sequence == sequence), None)


def _named_by(scope: Scope, made: Code, method: ExactMethod, target: Code | None, sequence: int) -> Code:
    """What a method gives, as its result or by a parameter, with the names that its declaration has for it."""
    module = scope.universe.module_of(method.owner)
    if module is None or module.metadata is None:
        return made
    signature, row = module.metadata.method(method.token).signature, _row(scope, method, sequence)
    own = of_member(module, row) if row is not None else ()
    given = GivenNames(own, _of_owner(scope, target, method.owner), names_of_methods(method))
    declared = signature.parameters[sequence - 1] if sequence else signature.return_type
    return _named(scope, made, names_in_signature(scope.universe, module, declared, given), own)


def with_argument_names(
    scope: Scope, candidate: Candidate, exact: ExactMethod, passed: tuple[Code, ...]
) -> ExactMethod:
    """The method itself, whose type arguments have the names that its arguments give them."""
    if not exact.type_arguments or isinstance(exact.type_arguments, TypeArguments):
        return exact
    operands = [_stand_in(scope, code) for code in passed]
    return ExactMethod(
        exact.owner, exact.token, inferred_names(scope.universe, candidate, operands, exact.type_arguments)
    )


def _stand_in(scope: Scope, code: Code) -> Operand:
    """An argument with its names; a lambda that does not know those of its parameters says nothing of names."""
    is_unsure = isinstance(code, Function) and any(
        count(one.type) and not names_of(scope, one) for one in code.parameters
    )
    return Operand(types.LAMBDA, None) if is_unsure else Operand(code.type, None, None, names_of(scope, code))


def _of_conversion(scope: Scope, conversion: TypedOperation) -> Names:
    source = conversion.operand
    names = names_as(scope.universe, source.type, names_of(scope, source), conversion.type.definition)
    return names if len(names) == count(conversion.type) else ()


def _of_owner(scope: Scope, target: Code | None, owner: Type) -> list[Names]:
    held = Operand(target.type, None, None, names_of(scope, target)) if target is not None else None
    return names_of_arguments(scope.universe, held, owner)


def _named(scope: Scope, made: Code, names: Names, own: Names) -> Code:
    return named(scope, made, names if len(names) == count(made.type) else own)
