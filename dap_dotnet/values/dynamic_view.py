""" "Dynamic View": the members that a dynamic object has at run time. The program's code runs when it is opened."""

from __future__ import annotations

from functools import partial

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.symbols.reflection_names import ReflectionName
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.layouts import read_known
from dap_dotnet.values.live_values import LiveValue, Reread
from dap_dotnet.values.members import implements

DYNAMIC_VIEW = "Dynamic View"
DYNAMIC_HINT = "Expanding it asks the object for its dynamic members"
_PROVIDER = "System.Dynamic.IDynamicMetaObjectProvider"
_VIEW = ReflectionName("Microsoft.CSharp.RuntimeBinder.DynamicMetaObjectProviderDebugView", assembly="Microsoft.CSharp")
"""What the C# runtime library has for debuggers: it is there where a program uses `dynamic`."""
_CALL_TIMEOUT_S = 5.0


def is_dynamic(program: Program, type_id: TypeId | None) -> bool:
    """Whether objects of an exact type may have members that no metadata tells."""
    return implements(program, type_id, _PROVIDER)


class DynamicContainer(Container):
    """The dynamic members, asked for once, when the first of them is."""

    def __init__(self, context: FrameContext, source: LiveValue, path: str | None) -> None:
        """`path` is the C# expression for the object, None when there is none."""
        super().__init__(context)
        self._source = source
        self._path = path
        self._array: Reread | None = None

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        try:
            array = self._members()
        except EvaluationError as error:  # the program's, or that there are none: the other members are there still
            failed = Value(None, None, ElementType.END, error=error.message)
            return [Child("Error", failed, None, lambda: failed, kind="virtual")][start : start + count]
        count = min(count, array.length - start)
        if array.handle is None or count <= 0:
            return []
        elements = self.context.program.debuggee.elements(array.handle, start, count)
        return [child for number, one in enumerate(elements, start) if (child := self._child(number, one)) is not None]

    def _members(self) -> Value:
        program = self.context.program
        if self._array is None:
            if program.expressions is None or program.keeper is None or not program.display.may_run:
                raise EvaluationError("It would run the program's code, which is switched off")
            source = self._source.get()
            assert source.type is not None
            view = program.expressions.wrapped(program, source, _VIEW, source.type, call_timeout_s=_CALL_TIMEOUT_S)
            found = program.expressions.value(program, view, "this.Items", call_timeout_s=_CALL_TIMEOUT_S)
            self._array = program.keeper.keep_value(program, found)
        array = self._array()
        assert array is not None
        return array

    def _child(self, number: int, member: Value) -> Child | None:
        read = read_known(self.context.program, member, ("name", "value"))
        if read is None:
            return None
        path = f"new {_VIEW.full_name}({self._path}).Items[{number}].value" if self._path is not None else None
        return Child(read[0].text or "", read[1], path, partial(self._again, number), kind="property", keeps_name=True)

    def _again(self, number: int) -> Value | None:
        array = self._members()
        if array.handle is None or number >= array.length:
            return None
        read = read_known(
            self.context.program, self.context.program.debuggee.elements(array.handle, number, 1)[0], ("value",)
        )
        return read[0] if read is not None else None
