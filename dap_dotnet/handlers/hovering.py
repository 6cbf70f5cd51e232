"""Hovers: getters have a moment to run, and where other code of the program would have to run the answer says so.

An editor shows nothing at all where it is refused a value. So what a hover may not do is answered in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from dap_dotnet.errors import DeadlineError, EvaluationError
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.protocol.messages.variables import EvaluateResponseBody
from dap_dotnet.runtime.model import MethodToken, ModuleId, TypeId, Value
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.modules import CacheSlot, ModuleCatalog
from dap_dotnet.values.context import FrameContext

Evaluate = Callable[[FrameContext, "Caller | None"], EvaluateResponseBody]
"""Evaluates the expression; None: without code of the program."""
_UNENDED: CacheSlot[set[tuple[int | None, str]]] = CacheSlot("expressions that did not end", lambda _: set())
"""By the method of the frame."""
_GETTERS = ("get_", "op_")
"""What the names of methods begin with that nobody expects to do anything but compute."""


class GettersOnly:
    """A `Caller` that runs getters and operators: a hover has not asked for what other methods do."""

    def __init__(self, caller: Caller, modules: ModuleCatalog) -> None:
        self._caller = caller
        self._modules = modules

    def call(
        self, module: ModuleId, method: MethodToken, type_arguments: Sequence[TypeId], arguments: Sequence[Value]
    ) -> Value:
        """See `Caller.call`."""
        loaded = self._modules.get(module)
        metadata = loaded.metadata if loaded is not None else None
        name = metadata.method(method).name if metadata is not None else ""
        if not name.rpartition(".")[2].startswith(_GETTERS):
            raise _refused(f"{name or 'A method'} is not run")
        return self._caller.call(module, method, type_arguments, arguments)

    def new_string(self, text: str) -> Value:
        """See `Caller.new_string`: the key of an indexer, for one."""
        return self._caller.new_string(text)

    def new_object(self, type_id: TypeId, constructor: MethodToken | None, arguments: Sequence[Value]) -> Value:
        """See `Caller.new_object`."""
        raise _refused("Constructors are not run")

    def new_array(self, element: TypeId, length: int) -> Value:
        """See `Caller.new_array`."""
        raise _refused("No arrays are made")


def hover(session: Session, context: FrameContext, expression: str, evaluate: Evaluate) -> EvaluateResponseBody:
    """The answer to a hover. Raises `EvaluationError` where `evaluate` does for another reason than code that runs.

    Getters and operators run, in the time that the settings give them all together, while other threads stay.
    """
    display = context.program.display
    limit_s = display.hover_timeout_s if display.may_run else 0.0
    limited = structs.replace(display, may_run=limit_s > 0, text_timeout_s=limit_s)
    context = structs.replace(context, program=structs.replace(context.program, display=limited))
    try:
        return evaluate(context, None)
    except EvaluationError as error:
        if not error.forbids_calls:
            raise
    told = "runs code: " + ("add to watch" if display.may_run else "type it in the debug console")
    module = context.program.modules.get(context.frame.module)
    unended = module.cached(_UNENDED) if module is not None else set()
    known = context.frame.method, expression
    if not limit_s or known in unended:
        return _words(told)
    try:
        with session.programs.with_others_staying():
            caller = session.caller_for(context.thread, limit_s, together=True)
            return evaluate(context, GettersOnly(caller, session.modules))
    except EvaluationError as error:
        if error.code == DeadlineError.code:
            unended.add(known)
            return _words(f"{told} (it takes longer than {limit_s * 1000:.0f} ms)")
        return _words(error.message if error.is_thrown else told)


def _refused(what: str) -> EvaluationError:
    error = EvaluationError(f"{what} for a hover")
    error.forbids_calls = True
    return error


def _words(text: str) -> EvaluateResponseBody:
    return EvaluateResponseBody(result=text, variables_reference=0)
