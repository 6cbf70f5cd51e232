"""Reading fields by name, with what was looked up kept by the object's exact type."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.runtime.model import FieldRef, TypeId, Value
from dap_dotnet.values.members import hierarchy


class FieldReader:
    """Reads one instance field by its metadata name from objects of any type that has it."""

    __slots__ = ("_refs", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._refs: dict[TypeId, FieldRef] = {}

    def read(self, env: Environment, value: Value) -> Value:
        """The field of an object. Raises `EvaluationError` for null and for objects without it."""
        if value.is_null:
            raise null_reference("the closure that holds the variable")
        if value.handle is None or value.type is None:
            raise EvaluationError(f"The value cannot be read: {value.error or 'it is no longer available'}")
        ref = self._refs.get(value.type)
        if ref is None:
            ref = self._refs[value.type] = self._find(env, value.type)
        return env.fields(value, [ref])[0]

    def _find(self, env: Environment, type_id: TypeId) -> FieldRef:
        for declaring, members in hierarchy(env.program, type_id):
            for field in members.fields:
                if field.name == self.name and not field.is_static:
                    return FieldRef(declaring, field.token)
        raise Diagnostic("CS1061", str(type_id), self.name)
