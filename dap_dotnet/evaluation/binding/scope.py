"""What the binding of code shares: names in force, the way back to the rest of the tree, values needed twice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy

from msgspec.structs import replace

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.inference import delegate_of
from dap_dotnet.evaluation.rules.variables import CHOSEN, ELEMENTS, INLINE_ELEMENT, is_variable, returned_word
from dap_dotnet.evaluation.syntax.tree import Node, Place, TypeSyntax, Unary, element_names
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import Elements, ExactMethod, Kind, Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.declarations import Candidate, candidates, declared_method, is_sealed
from dap_dotnet.symbols.metadata_names import has_name
from dap_dotnet.values.dynamic_types import is_dynamic_member
from dap_dotnet.values.tuple_names import Names, of_member

Entity = Code | Type | Namespace
CONSTANT = ""
"""What a variable that is `const` is called in `Scope.fixed`."""


BindLate = Callable[["Scope", Sequence[Code]], Code]
"""Binds what only the run can say, when its operands have values, by the types that they have then."""


class Scope(ABC):
    """One body. Its variables, those of the lambdas around it, and the frame's."""

    def __init__(
        self, binder: NameBinder, variables: dict[str, bound.Variable], captured: Mapping[str, Operand]
    ) -> None:
        """`captured`: variables of the expression around the lambda, which have values already."""
        self.binder = binder
        self.env: Environment = binder.env
        self.universe = binder.universe
        self.variables = variables
        self.captured = captured
        self.own: list[bound.Variable] = []
        """Variables that the code declares on its way: of patterns, and temporary ones."""
        self.receiver: Code | None = None
        """What stands before the innermost ``?.``"""
        self.checked = self.unchecked = False
        """`unchecked`: else constants that overflow are refused."""
        self.names: dict[Code, tuple[str | None, ...]] = {}
        """The names of the elements of tuples."""
        self.names_by_type: Mapping[Type, tuple[str | None, ...]] = {}
        """Those of tuples of a type that come from nowhere else: see `FunctionSource.know_names`."""
        self.fixed: dict[Code, str] = {}
        """Variables that are not assigned to, with what they are called for that."""
        self.in_lambda = False
        self.dynamic_places: set[Code] = set()
        """Variables and properties that are declared as `dynamic`, where they are assigned to."""
        self.places: dict[Code, Place] = {}
        """Where code is written: a conversion that is refused is told there."""
        self.exact: frozenset[Code] = frozenset()
        """Values whose types are the actual ones."""
        self.moves: bound.Variable | None = None
        """In an async lambda the delegate that goes on with it behind an await."""

    @abstractmethod
    def code(self, node: Node, wanted: Type | None = None) -> Code:
        """A node that must be a value; `wanted` is what `default`, `new()` and `[…]` take their type from.

        Raises `EvaluationError` in the compiler's words, or where expression trees have no such thing.
        """

    @abstractmethod
    def entity(self, node: Node) -> Entity:
        """Any node: a value, a type or a namespace."""

    @abstractmethod
    def code_or_source(self, node: Node, wanted: Type | None = None) -> Code | bound.FunctionSource:
        """What a delegate can be made of, where a node is that, else as `code`. The node is bound once."""

    @abstractmethod
    def function(self, source: bound.FunctionSource, delegate: Type) -> Code:
        """A lambda in the code as a delegate."""

    @abstractmethod
    def collection(self, kind: Type, items: tuple[Code, ...]) -> Code:
        """A collection of a type with elements, of a `params` parameter. CS9174."""

    @abstractmethod
    def reference(self, node: Node) -> Code:
        """A variable, an element or a field that is passed by reference. CS1510."""

    def operand(self, node: Unary) -> Code:
        """What a node converts itself: a conversion that is refused is told at the node, not at its operand."""
        made = self.code(node.operand)
        self.places[made] = node.at
        return made

    def inner(self, parameters: Mapping[str, bound.Variable]) -> Scope:
        """The scope of a lambda inside, with its parameters."""
        made = copy(self)
        made.variables, made.own = {**self.variables, **parameters}, []
        made.in_lambda, made.moves = True, None
        return made

    def declare(
        self, kind: Type, name: str = "", written: TypeSyntax | None = None, value: Code | None = None
    ) -> bound.Variable:
        """A variable of the body, see `declared`. Without a name it is a temporary one."""
        made = bound.Variable(kind, name)
        self.own.append(made)
        if name:
            self.variables[name] = made
        return self.declared(made, written, value)

    def named(self, code: Code, names: tuple[str | None, ...]) -> Code:
        """The code itself, a tuple whose elements have these names; () for none."""
        if any(names):
            self.names[code] = names
        return code

    def framework_type(self, name: str, arguments: tuple[Type, ...] = ()) -> Type:
        """A type that code needs which the compiler adds. CS0518."""
        found = self.universe.named(name, arguments)
        if found is None:
            raise Diagnostic("CS0518", name)
        return found

    def framework_method(self, owner: Type, name: str, *parameters: Type) -> ExactMethod:
        """A method of such a type by its name and parameters."""
        for candidate in candidates(self.universe, owner):
            if candidate.method.name == name and candidate.parameter_types(self.universe) == list(parameters):
                return candidate.exact
        raise EvaluationError(f"The program's framework has no {owner.name}.{name}")

    def closed(self, tree: bound.T) -> bound.T:
        """Code with what its type parameters stand for in the frame."""
        lookup = self.binder.lookup
        if not lookup.stood_for(self.env):
            return tree
        instantiation = lookup.instantiation(self.env)

        def change(part: object) -> object:
            if isinstance(part, Type):
                return instantiation.of(part)
            if isinstance(part, TypeArguments):
                kinds = TypeArguments(map(instantiation.of, part))
                kinds.names = part.names
                return kinds
            if isinstance(part, Operand):
                data = instantiation.of(part.data) if isinstance(part.data, Type) else part.data
                return replace(part, type=instantiation.of(part.type), data=data)
            return None

        return bound.rewritten(tree, change)

    def late(
        self, operands: Sequence[Code], bind: BindLate, kind: Type = types.OBJECT, *, used: str = ""
    ) -> bound.Late:
        """Code that `bind` makes of the operands once they have values: of their own types where they are late.

        `kind`: what it gives; OBJECT for whatever it is. `used`: what the first operand is called, if it must not be
        null.
        """

        def bind_now(env: Environment, given: Sequence[Code]) -> Code:
            if used and given[0].type is types.NULL:
                raise null_reference(used)
            self.binder.env = env
            inner = self.inner({})
            inner.in_lambda = self.in_lambda
            inner.exact = self.exact | set(given)
            made = bind(inner, given)
            return bound.Steps(made.type, tuple(inner.own), (made,)) if inner.own else made

        return bound.Late(kind, tuple(operands), bind_now)

    def dynamic(self, code: Code, *, is_behind: bool = False) -> Code:
        """A value as `dynamic`; `is_behind`: for what the static type has not."""
        if bound.is_late(code):
            return code
        return replace(self.late((code,), lambda _, given: given[0]), is_itself=True, is_behind=is_behind)

    def may_have(self, code: Code, member: str) -> bool:
        """Whether the actual type of a value may have a member that the static type has not: any type has it at all."""
        kind = code.type
        if code in self.exact or isinstance(code, bound.Made) or bound.is_late(code):
            return bound.is_late(code) and code not in self.exact
        if kind.kind is not Kind.CLASS or not kind.is_reference or is_sealed(self.universe, kind):
            return False
        says_itself = kind is types.OBJECT and not bound.contains(code, bound.Invoked)  # as an ExpandoObject does
        return says_itself or has_name(self.universe.modules, member)

    def kept_value(self, code: Code, before: list[Code]) -> Code:
        """A value that is needed twice; `before` gets what evaluates it."""
        if isinstance(code, bound.Captured) or (isinstance(code, bound.Variable) and not code.name):
            return code
        kept = self.declare(code.type, value=code)
        before.append(bound.assigned(kept, code))
        return kept

    def once(self, code: Code, before: list[Code]) -> Code:
        """A variable or a property that is needed twice: what it is a part of is evaluated once, `before`."""
        if isinstance(code, bound.Steps) and not code.variables:
            before += code.steps[:-1]
            return self.once(code.steps[-1], before)
        if isinstance(code, bound.FieldOf):
            return bound.FieldOf(code.type, code.owner, code.token, self.kept_owner(code.target, before))
        if (isinstance(code, bound.Operation) and code.name == CHOSEN) or (
            isinstance(code, bound.Invoked) and returned_word(self.universe, code.method)[1]
        ):
            return self.alias(code, before)
        if isinstance(code, bound.Invoked):
            target = self.kept_owner(code.target, before)
            arguments = tuple(self.kept_value(argument, before) for argument in code.arguments)
            return bound.Invoked(code.type, code.method, target, arguments, code.is_virtual)
        if isinstance(code, bound.Operation) and code.name == INLINE_ELEMENT:
            target, index = code.operands
            return bound.Operation(code.type, code.name, (self.once(target, before), self.kept_value(index, before)))
        if isinstance(code, bound.Operation) and code.name in ELEMENTS:
            name = "ArrayAccess" if code.name == "ArrayIndex" else code.name
            return bound.Operation(code.type, name, tuple(self.kept_value(one, before) for one in code.operands))
        return code if isinstance(code, bound.Variable | bound.Stored) else self.kept_value(code, before)

    def alias(self, code: Code, before: list[Code], name: str = "") -> bound.Alias:
        """A `ref` variable that stands for the variable that code gives."""
        made = bound.Alias(code.type, name)
        self.own.append(made)
        before.append(bound.Operation(code.type, "Alias", (made, code)))
        return made

    def kept_owner(self, target: Code | None, before: list[Code]) -> Code | None:
        """What a member is used of more than once, or after other code; None for a static one."""
        if target is None:
            return None
        if not target.type.is_reference and is_variable(self.universe, target):
            return self.once(target, before)
        return self.kept_value(target, before)

    def names_of(self, code: Code) -> Names:
        """The names of the elements of the tuples in a value's type, flattened; () for none."""
        known = self.names.get(code)
        if known is not None:
            return known if any(known) else ()
        if isinstance(code, bound.Steps):
            return self.names_of(code.steps[-1])
        if isinstance(code, bound.TypedOperation) and code.operand.type is not code.type:
            return self._of_conversion(code)
        if isinstance(code, bound.Items) and not code.has_lengths:
            return self._in_common(code.items)
        if isinstance(code, bound.Operation) and code.name == "Condition":
            return self._in_common(code.operands[1:])
        if isinstance(code, bound.Operation) and code.name in ("Coalesce", "Assign"):
            return self.names_of(code.operands[0])
        if isinstance(code, bound.Function):
            parts = (*code.parameters, code.body)[: len(delegate_of(code.type).arguments)]
            found = tuple(name for part in parts for name in self.all_names(part))
            return found if any(found) else ()
        return self.names_by_type.get(code.type, ())

    def all_names(self, code: Code) -> Names:
        """As `names_of`, with None for each that there is not."""
        return self.names_of(code) or (None,) * types.count_names(code.type)

    def with_written_names(self, code: Code, kind: TypeSyntax | None) -> Code:
        """The code, the type of which is written as `kind`: it has the names in that and no others. None: as it is."""
        if kind is None or not types.count_names(code.type):
            return code
        if code in self.names or isinstance(code, bound.Captured | bound.Stored | bound.Variable):
            code = bound.converted(code, code.type)
        self.names[code] = element_names(kind)
        return code

    def declared(self, variable: bound.Variable, kind: TypeSyntax | None, value: Code | None = None) -> bound.Variable:
        """A new variable itself, with the names in its written type; for `var` (None) with those of its value."""
        if types.count_names(variable.type):
            shown = value if value is not None else variable
            self.names[variable] = element_names(kind) if kind is not None else self.names_of(shown)
        return variable

    def _in_common(self, codes: Sequence[Code]) -> Names:
        """The names on which several values agree."""
        every = [self.names_of(code) for code in codes]
        if not every or any(len(names) != len(every[0]) for names in every):
            return ()
        return tuple(each[0] if len(set(each)) == 1 else None for each in zip(*every, strict=True))

    def _is_dynamic(self, owner: Type, token: int) -> bool:
        """Whether a field, or the row of a method's result, is declared as `dynamic`."""
        declaration = self.universe.declaration(owner)
        return declaration is not None and is_dynamic_member(declaration[0], token)

    def with_field_names(self, made: bound.FieldOf) -> Code:
        """The field itself, with the names that its declaration gives, and those in what it is a field of."""
        if made.type is types.OBJECT and self._is_dynamic(made.owner, made.token):
            return self.dynamic(made)
        declaration = self.universe.declaration(made.owner) if types.count_names(made.type) else None
        if declaration is None:
            return made
        module, metadata, _ = declaration
        given = tuple_names.GivenNames(of_member(module, made.token), self._of_owner(made.target, made.owner))
        signature = metadata.field(made.token).signature
        return self._named(made, tuple_names.names_in_signature(self.universe, module, signature, given), given.own)

    def with_result_names(self, made: bound.Invoked) -> Code:
        """The call itself, as `with_field_names`."""
        method = made.method
        if made.type is types.OBJECT:
            row = self._row(method, 0)
            return self.dynamic(made) if row is not None and self._is_dynamic(method.owner, row) else made
        return (
            self._named_by(made, method, made.target, 0)
            if made.type.arguments and types.count_names(made.type)
            else made
        )

    def give_names(self, method: ExactMethod, target: Code | None, variables: Mapping[int, Code]) -> None:
        """Names for variables that a call declares (`out var`), by the numbers of the parameters, from 0."""
        for number, variable in variables.items():
            self._named_by(variable, method, target, number + 1)

    def _row(self, method: ExactMethod, sequence: int) -> int | None:
        """The token of a parameter's row, from 1; of that of the result: 0."""
        rows = declared_method(self.universe, method).method.parameter_rows
        return next((row.token for row in rows if row.sequence == sequence), None)

    def _named_by(self, made: Code, method: ExactMethod, target: Code | None, sequence: int) -> Code:
        """What a method gives, as its result or by a parameter, with the names that its declaration has for it."""
        candidate = declared_method(self.universe, method)
        module, signature, row = candidate.module, candidate.method.signature, self._row(method, sequence)
        own = of_member(module, row) if row is not None else ()
        given = tuple_names.GivenNames(own, self._of_owner(target, method.owner), tuple_names.names_of_methods(method))
        declared = signature.parameters[sequence - 1] if sequence else signature.return_type
        return self._named(made, tuple_names.names_in_signature(self.universe, module, declared, given), own)

    def with_argument_names(self, candidate: Candidate, exact: ExactMethod, passed: tuple[Code, ...]) -> ExactMethod:
        """The method itself, whose type arguments have the names that its arguments give them."""
        if not exact.type_arguments or isinstance(exact.type_arguments, TypeArguments):
            return exact
        operands = [self._named_stand_in(code) for code in passed]
        return ExactMethod(
            exact.owner,
            exact.token,
            tuple_names.inferred_names(self.universe, candidate, operands, exact.type_arguments),
        )

    def _named_stand_in(self, code: Code) -> Operand:
        """An argument with its names; a lambda that does not know those of its parameters says nothing of names."""
        is_unsure = isinstance(code, bound.Function) and any(
            types.count_names(one.type) and not self.names_of(one) for one in code.parameters
        )
        return Operand(types.LAMBDA, None) if is_unsure else Operand(code.type, None, None, self.names_of(code))

    def _of_conversion(self, conversion: bound.TypedOperation) -> Names:
        source = conversion.operand
        names = tuple_names.names_as(self.universe, source.type, self.names_of(source), conversion.type.definition)
        return names if len(names) == types.count_names(conversion.type) else ()

    def _of_owner(self, target: Code | None, owner: Type) -> list[Names]:
        held = Operand(target.type, None, None, self.names_of(target)) if target is not None else None
        return tuple_names.names_of_arguments(self.universe, held, owner)

    def _named(self, made: Code, names: Names, own: Names) -> Code:
        return self.named(made, names if len(names) == types.count_names(made.type) else own)


class CursorReached(Exception):
    """An unfinished expression was bound up to the cursor in it: which stands in this scope, behind this target."""

    def __init__(self, scope: Scope, target: Entity | None) -> None:
        super().__init__()
        self.scope = scope
        self.target = target


def constant_of(code: Code) -> Operand | None:
    """The value of a constant."""
    return code.operand if isinstance(code, bound.Captured) and code.is_constant else None


def stand_in(code: Code, names: tuple[str | None, ...] = ()) -> Operand:
    """An operand for what only asks for types: conversions and overload resolution. `names`: see `Operand`."""
    constant = constant_of(code)
    if isinstance(code, bound.TupleLiteral):
        items = Elements(stand_in(one) if isinstance(one, Code) else Operand(types.LAMBDA, one) for one in code.items)
        items.constants = tuple(constant_of(one) if isinstance(one, Code) else None for one in code.items)
        return Operand(types.TUPLE, items)
    is_null = constant is not None and constant.type is types.NULL
    return constant if constant is not None and is_null else Operand(code.type, code, None, names)


def unsupported(what: str) -> EvaluationError:
    """A form that is C#, and that is not evaluated."""
    return EvaluationError(f"{what} is not supported here")
