"""Binding of calls."""

from __future__ import annotations

import copy

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Run
from dap_dotnet.evaluation.binding.by_reference import ByReference, give_back
from dap_dotnet.evaluation.binding.call_operands import MADE, is_query, prepare, with_objects, without_queries
from dap_dotnet.evaluation.binding.collections import bind_passed
from dap_dotnet.evaluation.binding.extension_members import call_static_extension, static_extensions
from dap_dotnet.evaluation.binding.extension_methods import call_extension, check_extension, choose_extension
from dap_dotnet.evaluation.binding.function_pointers import bind_pointer_call
from dap_dotnet.evaluation.binding.local_functions import (
    LocalFunctions,
    call_local_function,
    is_of_closure,
    local_functions,
    uses_variables,
)
from dap_dotnet.evaluation.binding.missing_members import missing_method
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.names_of import bind_name_of
from dap_dotnet.evaluation.binding.static_members import bind_static
from dap_dotnet.evaluation.binding.static_types import check_not_null, is_named_as_its_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Chosen, Given, keyword_of
from dap_dotnet.evaluation.operations.assignables import BodyLocal, own_copy
from dap_dotnet.evaluation.operations.call_site import CallSite
from dap_dotnet.evaluation.operations.interpolated_calls import formatted_call
from dap_dotnet.evaluation.operations.known_methods import known_method, known_static
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.methods_by_name import NoOverloadError, call_method, choose_method
from dap_dotnet.evaluation.operations.nullables import held
from dap_dotnet.evaluation.operations.operand_values import NotLoadedError
from dap_dotnet.evaluation.operations.program_code import know_names
from dap_dotnet.evaluation.operations.queries import METHOD_NAMES, query, static_query
from dap_dotnet.evaluation.operations.reflected_calls import run_reflected
from dap_dotnet.evaluation.operations.returned import as_given_back
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.runtime.model import ElementType

_OF_ITS_VALUE = frozenset({"ToString", "Equals", "GetHashCode"})
"""Methods of Nullable<T> that give what those of its value do."""


def bind_call(binder: NameBinder, node: syntax.Call) -> Bound:
    """`nameof(…)`, `target.name(…)`, `Type.name(…)` and `name(…)`."""
    target = node.target
    if isinstance(target, syntax.Name) and target.name == "nameof" and len(node.arguments) == 1:
        return bind_name_of(binder, node.arguments[0].value)
    if isinstance(target, syntax.Name):
        return _simple_call(binder, node, target)
    if not isinstance(target, syntax.Member):
        return _delegate_call(binder, node)
    type_arguments = binder.type_arguments(target.type_arguments)
    owner = binder.entity(target.target)
    call = _Call(binder, node, target.name, type_arguments)
    if isinstance(owner, Bound):
        check_not_null(target.target, owner)
        if isinstance(target.target, syntax.Base):
            call.receiver_is = "base"
        elif not is_named_as_its_type(target.target, owner):
            call.receiver_is = "value"
        if isinstance(target.target, syntax.Name) and target.target.name in binder.locals:
            call.variable = target.target.name
        return Bound(lambda env: call.on_value(env, owner.run(env)))
    if isinstance(owner, Type):
        return Bound(lambda env: call.static(env, owner))
    raise Diagnostic("CS0234", target.name, owner.name)


def _delegate_call(binder: NameBinder, node: syntax.Call) -> Bound:
    """A call of what an expression gives: `acts[0]()`, `(a ?? b)()`. CS0149 where that is no delegate."""
    invoked, run = _Call(binder, node, "Invoke", ()), binder.expression(node.target).run

    def call(env: Environment) -> Operand:
        operand = run(env)
        _check_delegate(env, operand, "CS0149")
        return invoked.on_value(env, operand)

    return Bound(call)


def _check_delegate(env: Environment, operand: Operand, *wrong: str) -> None:
    """Raises the diagnostic `wrong` for what is no delegate."""
    kind = operand.type if operand.data is None else env.own_type(operand)
    if "System.Delegate" in {base.full_name for base in bases_of(env.universe, kind)}:
        return
    value = operand.program_value
    if value is not None and value.element_type is ElementType.FNPTR:
        raise EvaluationError(
            "A function pointer is called only if it is a local variable or a parameter, whose signature is known: "
            "call the method by its name"
        )
    raise Diagnostic(*wrong)


def _own_call(binder: NameBinder, node: syntax.Call, name: str) -> Bound:
    """A call of a variable of the expression itself: a lambda or local function that it holds, or a delegate."""
    invoked, held = _Call(binder, node, "Invoke", ()), binder.expression(syntax.Name(name)).run

    def call(env: Environment) -> Operand:
        operand = held(env)
        if isinstance(operand.data, Lambda):
            return operand.data.invoke(env, *invoked.arguments(env))
        _check_delegate(env, operand, "CS0149")
        return invoked.on_value(env, operand)

    return Bound(call)


def _simple_call(binder: NameBinder, node: syntax.Call, target: syntax.Name) -> Bound:
    """A delegate in a variable; a method or delegate of `this`, of types around the site, or of a `using static`."""
    if target.name in binder.locals or target.name in binder.declared:
        return _own_call(binder, node, target.name)
    variable = binder.variables.bind(binder.env, target.name) if binder.variables is not None else None
    if variable is not None and not target.type_arguments:
        return bind_pointer_call(binder, node, target.name) or _delegate_call(binder, node)
    call = _Call(binder, node, target.name, binder.type_arguments(target.type_arguments))
    this = binder.this()
    owners = [*binder.user_types(), *binder.lookup.imports.static_types]
    held = None if target.type_arguments else binder.variable(target.name)
    functions = local_functions(binder, target.name) if held is None else None

    def run(env: Environment) -> Operand:
        arguments = call.arguments(env)
        know_names(arguments)
        if this is not None:
            made = call.attempt(env, this.run(env), None, arguments)
            if made is not None:
                return made
        for owner in owners:
            made = call.attempt(env, None, owner, arguments)
            if made is not None:
                return made
        if functions is not None and (functions.plain or functions.captured):
            return call.local_function(env, functions, this.run(env) if this is not None else None, arguments)
        if held is None:
            raise (
                uses_variables(target.name) if is_of_closure(binder, target.name) else Diagnostic("CS0103", target.name)
            )
        return call.delegate(env, held.run, arguments)

    return Bound(run)


class _Call:
    """A call's name and arguments."""

    def __init__(self, binder: NameBinder, node: syntax.Call, name: str, type_arguments: tuple[Type, ...]) -> None:
        self.name = name
        self.type_arguments = type_arguments
        self.receiver_is = ""
        """See `call_method`."""
        self.variable = ""
        """The variable of a lambda's body that it is called on: a structure there is changed by its methods."""
        self._lookup = binder.lookup
        self._by_reference = {
            number: ByReference(binder, argument)
            for number, argument in enumerate(node.arguments)
            if argument.modifier in ("ref", "out")
        }
        bound = [
            bind_passed(binder, argument.value) if number not in self._by_reference else Bound(_no_value)
            for number, argument in enumerate(node.arguments)
        ]
        self._runs = [argument.run for argument in bound]
        self._constants = [argument.constant for argument in bound]
        self._names = [argument.name for argument in node.arguments]
        self._texts = [argument.text for argument in node.arguments]
        self._receiver = node.receiver
        self._missing = missing_method(binder, node)

    def on_value(self, env: Environment, target: Operand) -> Operand:
        """On a value. CS1061 when it has no such method."""
        arguments = self.arguments(env, target)
        if target.type is types.VOID:
            raise no_operator(".", target.type)
        if target.data is None and target.type.kind is not Kind.NULLABLE:
            return self._on_null(env, target, arguments)
        know_names([target, *arguments])
        if self.variable and target.type.kind is Kind.STRUCT and env.caller is not None:
            made = self._on_structure(env, target, arguments)
        else:
            made = self._own_or_extension(env, target, arguments)
        is_ours = not self._by_reference and self.name in METHOD_NAMES
        if made is None:
            try:
                made = self._extension(env, target, arguments)
            except NotLoadedError:
                made = query(env, target, self.name, arguments, self.type_arguments) if is_ours else None
                if made is None:
                    raise
        if made is None and is_ours:
            # LINQ, where the program has not loaded it or the file does not import it.
            made = query(env, target, self.name, arguments, self.type_arguments)
        if made is None and not MemberReader(self.name).exists(env, target):
            check_extension(env, self._lookup, self.name, target, self._given(env, arguments))
        if made is None:  # raises CS1061 when there is no such member either
            made = self.delegate(env, lambda env: MemberReader(self.name).read(env, target, self._missing), arguments)
        return made

    def _on_null(self, env: Environment, target: Operand, arguments: list[Operand]) -> Operand:
        """Only extension methods may be called on null."""
        made: Operand | None = None
        try:
            places = frozenset(self._by_reference)
            given = self._given(env, arguments, places)
            own = choose_method(env, target, target.type, self.name, given, receiver_is=self.receiver_is)
        except NoOverloadError:
            own = None
        if own is None and target.type.kind is not Kind.NULL and self.name not in METHOD_NAMES:
            made = (self._reflected(env, target, None, arguments) if self._by_reference
                    else self._extension(env, target, arguments))  # fmt: skip
        if made is None:
            raise null_reference(f"the target of '.{self.name}()'")
        return made

    def _own_or_extension(self, env: Environment, target: Operand, arguments: list[Operand]) -> Operand | None:
        """A method of the value; where none of its own takes the arguments, an extension method that does."""
        try:
            return self.attempt(env, target, None, arguments)
        except NoOverloadError:
            made = None if self._by_reference else self._extension(env, target, arguments)
            if made is None:
                raise
            return made

    def _on_structure(self, env: Environment, target: Operand, arguments: list[Operand]) -> Operand | None:
        """A method that only reads; else it runs on a copy of the variable's own, which then is its value."""
        caller, env.caller = env.caller, None
        try:
            return self.attempt(env, target, None, arguments)
        except EvaluationError:
            pass
        finally:
            env.caller = caller
        before = len(env.live)
        env.live.extend(arguments)
        try:
            own = own_copy(env, BodyLocal(env, self.variable, None))
            return self.attempt(env, own.read(env), None, env.live[before : before + len(arguments)])
        finally:
            del env.live[before:]

    def _given(self, env: Environment, arguments: list[Operand], by_reference: frozenset[int] = frozenset()) -> Given:
        site = CallSite(env.context, self._texts, self._receiver)
        return Given(arguments, self._names, self.type_arguments, self._constants, by_reference, site=site)

    def _extension(self, env: Environment, target: Operand, arguments: list[Operand]) -> Operand | None:
        is_query = target.type.kind is Kind.SEQUENCE
        receiver, arguments = without_queries(env, target, arguments)
        assert receiver is not None
        given = self._given(env, arguments)
        return call_extension(env, self._lookup, self.name, receiver, given, of_spans=not is_query)

    def static(self, env: Environment, owner: Type) -> Operand:
        """Of a type. CS0117 when it has no such method."""
        arguments = self.arguments(env)
        know_names(arguments)
        made = self.attempt(env, None, owner, arguments)
        if made is not None:
            return made
        held = bind_static(env, owner, self.name)
        if held is None:
            found = static_extensions(env, self._lookup, owner, self.name)
            given = self._given(env, arguments)
            made = call_static_extension(env, found, given) if found and not self._by_reference else None
            if made is not None:
                return made
            if any(one.method.name == self.name for base in bases_of(env.universe, owner)
                   for one in candidates(env.universe, base)):  # fmt: skip
                raise Diagnostic("CS0120", owner.name, self.name)
            raise Diagnostic("CS0117", owner.name, self.name)
        return self.delegate(env, held.run, arguments)

    def delegate(self, env: Environment, read: Run, arguments: list[Operand]) -> Operand:
        """Of the delegate that a field or property of the call's name holds. CS1955 when it holds none."""
        before = len(env.live)
        try:
            env.live.extend(arguments)
            held = read(env)
            arguments = env.live[before:]
        finally:
            del env.live[before:]
        _check_delegate(env, held, "CS1955", self.name)
        if held.data is None:
            raise null_reference(f"the delegate '{self.name}'")
        invoked = copy.copy(self)
        invoked.name, invoked.receiver_is = "Invoke", ""
        made = invoked.attempt(env, held, None, arguments)
        assert made is not None
        return made

    def arguments(self, env: Environment, target: Operand | None = None) -> list[Operand]:
        """The arguments' values, each evaluated once; the target stays in flight meanwhile."""
        before = len(env.live)
        try:
            if target is not None:
                env.live.append(target)
            given = []
            for run in self._runs:
                given.append(run(env))
                env.live.append(given[-1])
            return given
        finally:
            del env.live[before:]

    def local_function(
        self, env: Environment, found: LocalFunctions, this: Operand | None, arguments: list[Operand]
    ) -> Operand:
        """Of a local function of the program. Raises `EvaluationError`."""
        if self._by_reference:
            raise EvaluationError(f"The local function '{self.name}' cannot be called here with ref or out arguments")
        given = self._given(env, arguments)
        return call_local_function(env, self._lookup, found, given, name=self.name, this=this)

    def attempt(
        self, env: Environment, target: Operand | None, owner: Type | None, arguments: list[Operand]
    ) -> Operand | None:
        """The result, or None when there is no method of the name."""
        if self._by_reference:
            return self._reflected(env, target, owner, arguments)
        if owner is not None and target is None:
            made = static_query(env, owner, self.name, arguments, self.type_arguments)
            if made is not None:
                return made
        if is_query(target, arguments, self.name) or (target is not None and self.name in ("Cast", "OfType")):
            known = query(env, target, self.name, arguments, self.type_arguments)
            if known is not None:
                return known
            target, arguments = without_queries(env, target, arguments)
            prepare(env, target, arguments)
        is_own = target is not None and target.type is types.ANONYMOUS and self.name != "ToString"
        if target is not None and (is_own or (target.type is types.TUPLE and self.name == "GetType")):
            target = self._tuple_in_program(env, target, arguments)
        if target is not None:
            known = known_method(env, target, self.name, arguments)
            if known is not None:
                return known
            if target.type.kind is Kind.TYPE:
                target = type_object(env, target.data)
            elif target.type.kind is Kind.TUPLE:
                target = self._tuple_in_program(env, target, arguments)
            if target.type.kind is Kind.NULLABLE and target.data is not None and self.name in _OF_ITS_VALUE:
                target = Operand(target.type.element, target.data, held(env, target))
            owner = target.type
        elif owner is not None:
            known = known_static(env, owner, self.name, arguments)
            if known is not None:
                return known
        assert owner is not None
        formatted = formatted_call(env, target, owner, self.name, arguments)
        if formatted is not None:
            return formatted
        if any(argument.type in MADE for argument in arguments):
            target, arguments = with_objects(env, target, arguments)
        given = self._given(env, arguments)
        return call_method(env, target, owner, self.name, given, receiver_is=self.receiver_is)

    def _tuple_in_program(self, env: Environment, target: Operand, arguments: list[Operand]) -> Operand:
        """A tuple or an anonymous object of the expression, for a method of its type."""
        before = len(env.live)
        made = Operand(target.type, target.data, None, target.names)
        env.live += [made, *arguments]
        try:
            env.runner.put_on_heap(env, made)
        finally:
            del env.live[before:]
        return made

    def _reflected(
        self, env: Environment, target: Operand | None, owner: Type | None, arguments: list[Operand]
    ) -> Operand | None:
        """A call with ref or out arguments, whose results go where they are to."""
        before = len(env.live)
        try:
            env.live.extend(arguments if target is None else [target, *arguments])
            if target is not None and target.type.kind is Kind.TYPE:
                target = type_object(env, target.data)
                env.live.append(target)
            places = {}
            for number, one in self._by_reference.items():
                arguments[number], places[number] = one.begin(env)
                env.live.append(arguments[number])
            start = owner or (target.type if target is not None else types.OBJECT)
            by_reference = frozenset(places)
            given = self._given(env, arguments, by_reference)
            found = self._chosen(env, target, start, given)
            if found is None:
                return None
            self._check_words(found[0], arguments)
            result, after = run_reflected(env, *found)
            env.live += [result, *after]
            for position, argument in enumerate(found[0].arguments):
                for number, place in places.items():
                    if argument is arguments[number]:
                        named = as_given_back(env, found[0], position, after[position], target)
                        given_back = self._by_reference[number].renaming(named)
                        give_back(env, place, given_back)
            return result
        finally:
            del env.live[before:]

    def _check_words(self, chosen: Chosen, arguments: list[Operand]) -> None:
        """CS1620: `ref` and `out` are those of the method's parameters."""
        for position, argument in enumerate(chosen.arguments):
            for number, one in self._by_reference.items():
                word = keyword_of(chosen.candidate, position)
                if argument is arguments[number] and word != "in" and (word == "out") is not one.is_out:
                    error = Diagnostic("CS1620", number + 1, word)
                    error.argument = number
                    raise error

    def _chosen(
        self, env: Environment, target: Operand | None, owner: Type, given: Given
    ) -> tuple[Chosen, Operand | None] | None:
        """The method for arguments of which some are passed by reference, an extension method included."""
        fault: NoOverloadError | None = None
        try:
            found = choose_method(env, target, owner, self.name, given, receiver_is=self.receiver_is)
        except NoOverloadError as error:
            found, fault = None, error
        if found is None and target is not None and self.receiver_is != "base":
            chosen = choose_extension(env, self._lookup, self.name, target, given)
            found = (chosen, None) if chosen is not None else None
        if found is None and fault is not None:
            raise fault
        return found


def _no_value(env: Environment) -> Operand:
    """Stands for an argument that is passed by reference until its method is known."""
    return Operand(types.NULL, None)
