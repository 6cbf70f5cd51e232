"""Bodies of methods, decoded once and kept with their module, and what the tokens in them mean (ECMA-335 III.1.9)."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError, EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.member_access import is_by_reference
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Type
from dap_dotnet.evaluation.types.declarations import bases_of, candidates
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import FieldToken, MethodToken, TypeDefToken
from dap_dotnet.startup.options import DEFECTS_VARIABLE
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from portablepdb import PortablePdbError
from portablepdb.flags import TypeAttributes

if TYPE_CHECKING:
    from portablepdb import MemberRef, Metadata
    from portablepdb.instructions import Instruction
    from portablepdb.signatures import TypeSignature

_log = logging.getLogger(__name__)
_TYPE_TABLES = (0x01, 0x02, 0x1B)
_FIELD, _METHOD_DEF = 0x04, 0x06
_FINALLY = 2
"""II.25.4.6."""
_OF_PARAMETERS = ("ldarg", "ldarga", "starg")
_OF_LOCALS = ("ldloc", "ldloca", "stloc")
_LAST = frozenset({"ret", "throw", "rethrow", "br", "leave", "endfinally", "endfilter", "jmp"})
"""After these control does not go on with the next instruction."""


class NotInterpretable(Exception):
    """The method does what only running it can do."""


class Refusals:
    """What goes wrong inside, while something is followed, as `NotInterpretable`, so that the program runs it.

    A defect of ours has a line in the log, with its place; it is raised where the environment asks for that, as all
    tests do. Errors that concern the whole evaluation pass, and so does `RecursionError`.
    """

    __slots__ = ("_what",)

    def __init__(self, what: str | ExactMethod) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (EvaluationError, RuntimeCallError)):
            raise NotInterpretable(error.message) from error
        if isinstance(error, PortablePdbError):
            raise NotInterpretable(f"metadata that cannot be read: {error}") from error
        if not isinstance(error, Exception) or isinstance(error, (NotInterpretable, DapDotnetError, RecursionError)):
            return
        if os.environ.get(DEFECTS_VARIABLE) != "raise":
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = self._what
            if isinstance(what, ExactMethod):
                what = f"method {what.token:#x} of {what.owner.name}"
            _log.error("defect in the interpretation of %s: %r at %s:%s", what, error, place.filename, place.lineno)
            raise NotInterpretable(f"a defect: {error!r}") from error


class ExactField(Struct, frozen=True):
    """A field of an exact type."""

    owner: Type
    token: FieldToken
    name: str
    type: Type | None
    is_reference: bool = False
    """Whether it has the place of a variable of the type (`ref`)."""
    overlaps: bool = False
    """Whether other fields may be in the same bytes: the layout of its type is explicit."""


class Declared(Struct, frozen=True):
    """What a local, a parameter or a result is declared as."""

    type: Type | None
    is_reference: bool
    """Whether it is the place of a variable of the type (`ref`)."""


class ILScope:
    """The tokens of one exact method. Each that cannot be resolved raises `NotInterpretable`."""

    def __init__(self, universe: Universe, module: LoadedModule, method: ExactMethod) -> None:
        self.universe = universe
        self.module = module
        self._types = method.owner.arguments
        self._methods = method.type_arguments
        self._fields: dict[int, ExactField] = {}
        self._resolved: dict[int, ExactMethod] = {}

    @property
    def metadata(self) -> Metadata:
        """The metadata of the method's module."""
        assert self.module.metadata is not None
        return self.module.metadata

    def signature(self, signature: TypeSignature) -> Type | None:
        """A type of a signature in the method."""
        return self.universe.of_signature(self.module, signature, self._types, self._methods)

    def declared(self, signature: TypeSignature) -> Declared:
        """As `signature`, and whether it is by reference."""
        return Declared(self.signature(signature), is_by_reference(signature))

    def type(self, token: int) -> Type:
        """A type token."""
        is_type = token >> 24 in _TYPE_TABLES
        found = self.universe.of_token(self.module, token, self._types, self._methods) if is_type else None
        if found is None:
            raise NotInterpretable("an unknown type")
        return found

    def field(self, token: int) -> ExactField:
        """A Field or MemberRef token."""
        if token not in self._fields:
            self._fields[token] = self._find_field(token)
        return self._fields[token]

    def _find_field(self, token: int) -> ExactField:
        from portablepdb import MemberRef

        if token >> 24 == _FIELD:
            owner, name = self._declaring(token), self.metadata.field(token).name
        else:
            reference = self.metadata.entity(token)
            if not isinstance(reference, MemberRef):
                raise NotInterpretable("a field that is not known")
            owner, name = self.type(reference.parent), reference.name
        for declaring in bases_of(self.universe, owner):
            declaration = self.universe.declaration(declaring)
            if declaration is None:
                continue
            module, metadata, definition = declaration
            for field in metadata.fields_of(definition):
                if field.name == name:
                    declared = self.universe.of_signature(module, field.signature, declaring.arguments)
                    overlaps = bool(metadata.type_def(definition).flags & TypeAttributes.EXPLICIT_LAYOUT)
                    is_reference = is_by_reference(field.signature)
                    return ExactField(declaring, FieldToken(field.token), field.name, declared, is_reference, overlaps)
        raise NotInterpretable("a field that is not known")

    def _declaring(self, member: int) -> Type:
        """The type of a member of the module. Code names it without arguments: it has none, or the method's own."""
        token = TypeDefToken(self.metadata.declaring_type(member))
        arguments = self._types if self.metadata.generic_parameters_of(token) else ()
        owner = self.universe.of_definition((self.module.id, token), arguments)
        if owner is None:
            raise NotInterpretable("a type that is not known")
        return owner

    def method(self, token: int) -> ExactMethod:
        """A MethodDef, MemberRef or MethodSpec token."""
        if token not in self._resolved:
            self._resolved[token] = self._find_method(token)
        return self._resolved[token]

    def _find_method(self, token: int, given: tuple[Type, ...] = ()) -> ExactMethod:
        from portablepdb import MemberRef, MethodSpec

        if token >> 24 == _METHOD_DEF:
            return ExactMethod(self._declaring(token), MethodToken(token), given)
        named = self.metadata.entity(token)
        if isinstance(named, MemberRef):
            return self._find_reference(named, given)
        if isinstance(named, MethodSpec):
            known = tuple(kind for kind in map(self.signature, named.arguments) if kind is not None)
            if len(known) == len(named.arguments):
                return self._find_method(named.method, known)
        raise NotInterpretable("a method that is not known")

    def _find_reference(self, named: MemberRef, given: tuple[Type, ...]) -> ExactMethod:
        from portablepdb.signatures import MethodSignature

        owner, signature = self.type(named.parent), named.signature
        if not isinstance(signature, MethodSignature):
            raise NotInterpretable("a method that is not known")
        parameters = [
            self.universe.of_signature(self.module, entry, owner.arguments, given) for entry in signature.parameters
        ]
        for declaring in bases_of(self.universe, owner):
            fitting = [
                candidate
                for candidate in candidates(self.universe, declaring)
                if candidate.method.name == named.name
                and candidate.method.signature.has_this == signature.has_this
                and candidate.method.signature.generic_count == signature.generic_count
                and len(candidate.method.signature.parameters) == len(parameters)
            ]
            for candidate in fitting:
                if len(fitting) == 1 or candidate.parameter_types(self.universe, given) == parameters:
                    return ExactMethod(declaring, MethodToken(candidate.method.token), given)
        raise NotInterpretable("a method that is not known")


class Code(Struct, frozen=True):
    """A method's body, decoded once."""

    scope: ILScope
    names: tuple[str, ...]
    """Of the instructions: `ldarg` for its short forms, too, whose operands are then as those of the long one."""
    operands: tuple[Any, ...]
    index_of: dict[int, int]
    """The number of an instruction by its IL offset."""
    locals: tuple[Declared, ...]
    result: Declared
    parameters: tuple[Declared, ...]
    """`this` first, where there is one: by reference in a value type."""
    has_this: bool
    finallies: tuple[tuple[int, int, int], ...]
    """Of each `finally`, inner ones first: the numbers of the first instruction in its `try`, of the one after, and of
    its own first."""


_BODIES: CacheSlot[dict[ExactMethod, Code | None]] = CacheSlot("decoded bodies by method", lambda _: {})


def code_of(env: Environment, method: ExactMethod) -> Code:
    """The decoded body of a method; kept with its module. Raises `NotInterpretable` when it has no sound one."""
    module = env.universe.module_of(method.owner)
    if module is None or module.metadata is None:
        raise NotInterpretable("no metadata")
    cache = module.cached(_BODIES)
    if method not in cache:
        cache[method] = _decode(env, module, method)
    found = cache[method]
    if found is None:
        raise NotInterpretable("no sound IL")
    return found


def _decode(env: Environment, module: LoadedModule, method: ExactMethod) -> Code | None:
    scope = ILScope(env.universe, module, method)
    try:
        own = scope.metadata.method(method.token)
        body, signature = own.body, own.signature
        if body is None:
            return None
        decoded = list(body.instructions())
        local_types = tuple(map(scope.declared, own.local_types))
    except PortablePdbError:
        return None
    parameters = list(map(scope.declared, signature.parameters))
    if signature.has_this:
        parameters.insert(0, Declared(method.owner, method.owner.is_value_type))
    index_of = {entry.offset: number for number, entry in enumerate(decoded)}
    clauses = [clause for clause in body.exception_clauses if clause.kind == _FINALLY]
    if not all(clause.try_offset in index_of and clause.handler_offset in index_of for clause in clauses):
        return None
    names, operands = zip(*map(_long_form, decoded), strict=True) if decoded else ((), ())
    code = Code(
        scope,
        names,
        operands,
        index_of,
        local_types,
        scope.declared(signature.return_type),
        tuple(parameters),
        signature.has_this,
        tuple(
            (
                index_of[clause.try_offset],
                index_of.get(clause.try_offset + clause.try_length, len(decoded)),
                index_of[clause.handler_offset],
            )
            for clause in clauses
        ),
    )
    return code if _is_sound(code, decoded) else None


def _long_form(instruction: Instruction) -> tuple[str, Any]:
    """(name, operand): `ldarg.0` is `ldarg` with 0, `ldc.i4.m1` is `ldc.i4` with -1, `br.s` is `br`."""
    name = instruction.opcode.name
    stem, _, form = name.rpartition(".")
    if form.isdecimal() or form == "m1":
        return stem, int(form.replace("m", "-"))
    return stem if form == "s" else name, instruction.operand


def _is_sound(code: Code, decoded: Sequence[Instruction]) -> bool:
    """Whether branches lead to instructions, the variables are declared, and control does not leave at the end.

    What the machine then need not ask at each step.
    """
    from portablepdb.opcodes import Operand

    counts = {**dict.fromkeys(_OF_PARAMETERS, len(code.parameters)), **dict.fromkeys(_OF_LOCALS, len(code.locals))}
    for entry, name, operand in zip(decoded, code.names, code.operands, strict=True):
        if entry.opcode.operand in (Operand.TARGET8, Operand.TARGET32, Operand.SWITCH):
            targets = operand if isinstance(operand, tuple) else (operand,)
            if not all(target in code.index_of for target in targets):
                return False
        elif name in counts and operand >= counts[name]:
            return False
    return bool(decoded) and code.names[-1] in _LAST
