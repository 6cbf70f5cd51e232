"""Lines for the user about what a step has stepped over, where that is not seen."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.runtime.model import Frame, MethodToken
from dap_dotnet.stepping.landing import StepRequest, skipped
from dap_dotnet.stepping.skipped_methods import SkipReason
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.statements import first_visible

_COMPILATION_MAPPING = "Microsoft.FSharp.Core.CompilationMappingAttribute"
_KIND, _MODULE = 0x1F, 7
"""Of SourceConstructFlags, in that attribute: what the source has at the place, and a module."""
_MODULES: CacheSlot[dict[int, bool]] = CacheSlot("F# modules by token", lambda module: {})


class SkipNotes:
    """Of accessors and operators that step filtering passes by, the first one of a step. Session thread only.

    The values of F#'s modules are properties of classes, but people do not write them so, and use them everywhere: the
    first one of a session has a line.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        """`report` gives the user a line."""
        self._report = report
        self._said: set[str] = set()
        """In this step."""
        self._filtered: list[MethodToken] = []
        """What this step has had a line for."""
        self._values: list[MethodToken] = []
        """The value of a module that the session has had a line for."""

    def begin(self) -> None:
        """A step begins."""
        self._said.clear()
        self._filtered.clear()

    def say(self, text: str) -> None:
        """Give the user a line, once in the step."""
        if text not in self._said:
            self._said.add(text)
            self._report(text)

    def landed(self, module: LoadedModule | None, frame: Frame | None, request: StepRequest) -> None:
        """The step has come to a frame, the top one: there is a line if step filtering passes its method by."""
        if self._filtered or module is None or frame is None or frame.method is None or module.pdb is None:
            return
        if skipped(module, frame, request) is not SkipReason.FILTERED:
            return
        what = "a property or operator"
        if _is_of_fsharp_module(module, frame.method):
            if self._values:
                return
            self._values.append(frame.method)
            what = "a value of a module, as a property is"
        elif first_visible(module, frame.method) is None:
            return  # the compiler has made it: no step would stop in it anyhow
        self._filtered.append(frame.method)
        self.say(f"Stepped over {module.method_text(frame.method)}: {what} (enableStepFiltering).")


@if_damaged(False)
def _is_of_fsharp_module(module: LoadedModule, method: MethodToken) -> bool:

    metadata = module.metadata
    if metadata is None:
        return False
    owner = metadata.declaring_type_token(method)
    known = module.cached(_MODULES)
    if owner not in known:
        known[owner] = any(
            int(argument.value) & _KIND == _MODULE
            for attribute in metadata.attributes_of(owner)
            if attribute.type_name == _COMPILATION_MAPPING
            for argument in attribute.fixed_arguments[:1]
            if isinstance(argument.value, int)
        )
    return known[owner]
