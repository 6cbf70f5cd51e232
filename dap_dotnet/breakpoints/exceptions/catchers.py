"""Who catches an exception: the method on the stack whose handler takes it, by the methods' exception clauses.

Since .NET 9 the runtime reports a catch handler without its frame when a handler of the same method runs: a rethrow in
an inner catch, or a throw in an inner finally, that the outer catch takes. And the handler that the compiler puts
around an async method is not the user's: it hands the exception on to whoever awaits the method.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.runtime.events import ExceptionRaised
from dap_dotnet.runtime.model import Frame
from dap_dotnet.symbols.exception_clauses import clauses_at, is_compilers, takes
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog


class Catcher(Struct, frozen=True):
    """A method on the stack that takes an exception. `number` counts the shown frames from the leaf."""

    module: LoadedModule
    number: int
    hands_on: bool
    """Whether it is an async method whose own handlers do not take it: its task gets it."""


def catcher(
    modules: ModuleCatalog, stack: Sequence[Frame], lineage: Sequence[str], event: ExceptionRaised
) -> Catcher | None:
    """The first method on a stack that has a handler for an exception; None when no method has one.

    `stack` begins with the method that throws; frames that an exception has left are passed over. `lineage` has the
    full names of the exception's type and its bases. `event`: the runtime has found a handler, and may say in which
    method; a filter counts as a handler there, for the runtime has asked it.
    """
    for number, frame in enumerate(stack):
        if frame.is_left or frame.method is None or frame.il_offset is None:
            continue
        module = modules.get(frame.module)
        is_said = event.method is None or (frame.module, frame.method) == (event.module, event.method)
        if module is None or not is_said:
            continue
        taking = [one for one in clauses_at(module, frame.method, frame.il_offset) if takes(module, one, lineage)]
        if taking:
            chosen = next((at for at, one in enumerate(taking) if one.handler_offset == event.il_offset), 0)
            hands_on = all(is_compilers(module, frame.method, one) for one in taking[chosen:])
            return Catcher(module, number, hands_on)
    return _said(modules, stack, event)


def _said(modules: ModuleCatalog, stack: Sequence[Frame], event: ExceptionRaised) -> Catcher | None:
    """The method of other code that the runtime has named, where its place is not known to be one with a handler.

    Of code that was compiled ahead of time often only the method's beginning is known.
    """
    for number, frame in enumerate(stack):
        if frame.is_left or frame.method is None or (frame.module, frame.method) != (event.module, event.method):
            continue
        module = modules.get(frame.module)
        return Catcher(module, number, hands_on=False) if module is not None and not module.is_user_code else None
    return None
