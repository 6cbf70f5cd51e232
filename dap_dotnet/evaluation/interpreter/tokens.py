"""What the tokens in a method's IL mean: types, fields, methods, strings (ECMA-335 III.1.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.operations.dispatch import is_by_reference
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import bases, bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import FieldToken, MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from portablepdb.flags import TypeAttributes

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.signatures import TypeSignature

_TYPE_TABLES = (0x01, 0x02, 0x1B)
_FIELD, _METHOD_DEF, _MEMBER_REF, _METHOD_SPEC = 0x04, 0x06, 0x0A, 0x2B


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
    """The tokens of one exact method."""

    def __init__(self, universe: Universe, module: LoadedModule, method: ExactMethod) -> None:
        self.universe = universe
        self.module = module
        self.owner = method.owner
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

    def type(self, token: int) -> Type | None:
        """A type token."""
        if token >> 24 not in _TYPE_TABLES:
            return None
        return self.universe.of_token(self.module, token, self._types, self._methods)

    def string(self, token: int) -> str:
        """A string token: 0x70 and an offset of #US."""
        raw = self.metadata.image.user_strings[token & 0xFFFFFF]
        return raw[: len(raw) & ~1].decode("utf-16-le", "surrogatepass")

    def field(self, token: int) -> ExactField | None:
        """A Field or MemberRef token; None when it cannot be resolved."""
        found = self._fields.get(token) or self._find_field(token)
        if found is not None:
            self._fields[token] = found
        return found

    def _find_field(self, token: int) -> ExactField | None:
        metadata = self.metadata
        if token >> 24 == _FIELD:
            definition = (self.module.id, metadata.declaring_type(token))
            own = self.universe.of_definition(definition, self._open_arguments(definition[1]))  # type: ignore[arg-type]
            return self._exact_field(own, metadata.field(token).name) if own is not None else None
        if token >> 24 != _MEMBER_REF:
            return None
        row = metadata.image.table(_MEMBER_REF).row(token & 0xFFFFFF)
        owner = self.type(row.class_)
        return self._exact_field(owner, metadata.image.strings[row.name]) if owner is not None else None

    def _open_arguments(self, type_def: int) -> tuple[Type, ...]:
        """A TypeDef that code names without arguments is not generic, or it is the method's own type."""
        return self._types if self.metadata.generic_parameters_of(type_def) else ()

    def _exact_field(self, owner: Type, name: str) -> ExactField | None:
        definition = self.universe.definition_of(owner)
        if definition is None:
            return None
        for declaring in bases(self.universe, definition, owner.arguments):
            definition = self.universe.definition_of(declaring)
            module = self.universe.modules.get(definition[0]) if definition is not None else None
            if definition is None or module is None or module.metadata is None:
                continue
            for field in module.metadata.fields_of(definition[1]):
                if field.name == name:
                    kind = self.universe.of_signature(module, field.signature, declaring.arguments)
                    flags = module.metadata.type_def(definition[1]).flags
                    overlaps = bool(flags & TypeAttributes.EXPLICIT_LAYOUT)
                    is_reference = is_by_reference(field.signature)
                    return ExactField(declaring, FieldToken(field.token), name, kind, is_reference, overlaps)
        return None

    def method(self, token: int) -> ExactMethod | None:
        """A MethodDef, MemberRef or MethodSpec token; None when it cannot be resolved."""
        found = self._resolved.get(token) or self._find_method(token)
        if found is not None:
            self._resolved[token] = found
        return found

    def _find_method(self, token: int, given: tuple[Type, ...] = ()) -> ExactMethod | None:
        metadata = self.metadata
        if token >> 24 == _METHOD_DEF:
            declaring = metadata.declaring_type(token)
            owner = self.universe.of_definition((self.module.id, declaring), self._open_arguments(declaring))  # type: ignore[arg-type]
            return ExactMethod(owner, MethodToken(token), given) if owner is not None else None
        if token >> 24 == _METHOD_SPEC:
            from portablepdb.signatures import decode_method_spec

            row = metadata.image.table(_METHOD_SPEC).row(token & 0xFFFFFF)
            arguments = [self.signature(entry) for entry in decode_method_spec(metadata.blob(row.instantiation))]
            known = tuple(argument for argument in arguments if argument is not None)
            return self._find_method(row.method, known) if len(known) == len(arguments) else None
        return self._find_reference(token, given) if token >> 24 == _MEMBER_REF else None

    def _find_reference(self, token: int, given: tuple[Type, ...]) -> ExactMethod | None:
        from portablepdb.signatures import decode_method

        metadata = self.metadata
        row = metadata.image.table(_MEMBER_REF).row(token & 0xFFFFFF)
        owner, name = self.type(row.class_), metadata.image.strings[row.name]
        if owner is None:
            return None
        wanted = decode_method(metadata.blob(row.signature))
        parameters = [
            self.universe.of_signature(self.module, entry, owner.arguments, given) for entry in wanted.parameters
        ]
        for declaring in bases_of(self.universe, owner):
            fitting = [
                candidate
                for candidate in candidates(self.universe, declaring)
                if candidate.method.name == name
                and candidate.method.signature.has_this == wanted.has_this
                and candidate.method.signature.generic_count == wanted.generic_count
                and len(candidate.method.signature.parameters) == len(parameters)
            ]
            found = _matching(self.universe, fitting, parameters, given)
            if found is not None:
                return ExactMethod(declaring, MethodToken(found.method.token), given)
        return None


def _matching(
    universe: Universe, fitting: list[Candidate], parameters: list[Type | None], given: tuple[Type, ...]
) -> Candidate | None:
    if len(fitting) == 1:
        return fitting[0]
    return next((entry for entry in fitting if entry.parameter_types(universe, given) == parameters), None)
