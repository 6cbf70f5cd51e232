"""What a step did: for the user who asks where it went. A listener of the plans; it costs a few entries in lists.

Session thread only.
"""

from __future__ import annotations

import enum

from msgspec import Struct

from dap_dotnet.runtime.model import Frame, StepKind
from dap_dotnet.stepping.landing import StepRequest, skipped
from dap_dotnet.stepping.origin import Origin
from dap_dotnet.stepping.plan import StepPlan
from dap_dotnet.stepping.skipped_methods import SkipReason
from dap_dotnet.stepping.step_in_targets import leads_to_source
from dap_dotnet.symbols.calls import call_under_way, called_text, calls_in
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.statements import END_OF_METHOD

_OF_THE_COMPILER = "System.Runtime.CompilerServices."
_MOST_PLANS = 50
_MOST_METHODS = 20


class Reason(enum.Enum):
    """Why a step did not end in a method that it came to, or that its statement calls."""

    WITHOUT_SOURCE = "without source"
    HIDDEN_CODE = "made by the compiler"
    FILTERED = "a property or operator, because of enableStepFiltering"
    ATTRIBUTE = "has an attribute that asks for it"
    LANGUAGE_LIBRARY = "of the language's library"


_REASONS = {SkipReason.FILTERED: Reason.FILTERED, SkipReason.LANGUAGE_LIBRARY: Reason.LANGUAGE_LIBRARY}


class Passed(Struct):
    """Methods that were passed by for one reason: their names, the first of them, and how many calls there were."""

    reason: Reason
    methods: list[str]
    calls: int


class StepStory:
    """The last step."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._origin = Origin()
        self._passed: dict[Reason, Passed] = {}
        self.request: StepRequest | None = None
        """None before the first step."""
        self._plans: list[StepPlan] = []
        self.why = ""
        """Why it ended where it did, in words; empty while it goes on."""

    @property
    def plans(self) -> list[str]:
        """Those that took part, in their order, each once."""
        return list(dict.fromkeys(plan.describe() for plan in self._plans))

    @property
    def origin(self) -> Frame | None:
        """Where the statement stood that was stepped."""
        return self._origin.frame

    def begin(self, request: StepRequest, origin: Origin) -> None:
        """A step begins."""
        self.request, self._origin, self.why = request, origin, ""
        self._plans, self._passed = [], {}

    def plan(self, plan: StepPlan) -> None:
        """A plan takes part from now on."""
        if len(self._plans) < _MOST_PLANS:
            self._plans.append(plan)

    def landed(self, module: LoadedModule | None, frame: Frame | None, request: StepRequest) -> None:
        """The step has come to a frame in which it does not end."""
        if frame is None or frame.method is None or self._origin.is_call(frame):
            return
        reason = Reason.WITHOUT_SOURCE
        if module is not None and module.pdb is not None:
            passed = skipped(module, frame, request)
            reason = Reason.HIDDEN_CODE if passed is None else _REASONS.get(passed, Reason.ATTRIBUTE)
        self._pass(reason, module.method_text(frame.method) if module is not None else "")

    def _pass(self, reason: Reason, method: str) -> None:
        passed = self._passed.setdefault(reason, Passed(reason, [], 0))
        passed.calls += 1
        if method and method not in passed.methods and len(passed.methods) < _MOST_METHODS:
            passed.methods.append(method)

    def ended(self, frame: Frame | None) -> None:
        """The step has ended at a place to which its stepper, or an await, has brought it."""
        origin = self._origin.frame
        if frame is None or origin is None:
            self.why = "it is code of the runtime's own"
        elif self._origin.is_call(frame):
            self.why = "a handler of the method" if frame.is_handler else "the method goes on there"
        elif (frame.module, frame.method) == (origin.module, origin.method):
            self.why = "another call of the same method"
        elif frame.stack_address < origin.stack_address:
            self.why = "the statement has called that"
        else:
            self.why = "the method was left for the one that had called it"

    def ended_by(self, plan: StepPlan | None) -> None:
        """The step has ended where a plan has waited for it."""
        self.why = f"the plan was to {plan.describe()}" if plan is not None else ""

    def given_up(self, why: str) -> None:
        """The step is over without an end of its own."""
        if not self.why:
            self.why = why

    def passed(self, caller: Frame | None) -> list[Passed]:
        """What it passed by, with those calls of the statement that lead to no source, which the runtime steps over.

        `caller` is the frame of the statement as it waits for what the step has ended in; None: it is over.
        """
        passed = {one.reason: Passed(one.reason, list(one.methods), one.calls) for one in self._passed.values()}
        origin = self._origin.frame
        module = self._modules.get(origin.module) if origin is not None else None
        is_into = self.request is not None and self.request.kind is StepKind.INTO
        if is_into and module is not None and origin is not None and origin.method is not None:
            calls = calls_in(module, origin.method, self._origin.ranges)
            last = call_under_way(calls, caller) if caller is not None else None
            others = passed.setdefault(Reason.WITHOUT_SOURCE, Passed(Reason.WITHOUT_SOURCE, [], 0))
            begin, end = origin.il_offset or 0, last.il_offset if last is not None else END_OF_METHOD
            for site in calls:
                is_written = not site.declaring_type.startswith(_OF_THE_COMPILER)
                is_made = is_written and begin <= site.il_offset < end
                if is_made and not leads_to_source(self._modules, module, site):
                    others.calls += 1
                    others.methods.append(called_text(module, site, origin.method).partition("(")[0])
        return [one for one in passed.values() if one.calls]
