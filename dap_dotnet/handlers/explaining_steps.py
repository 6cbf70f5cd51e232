"""`dap-dotnet/explainStep`, our own request: what the last step did, and why it ended where it did."""

from __future__ import annotations

from dap_dotnet.errors import UserError
from dap_dotnet.handlers.sources import described_now
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.explaining_steps import ExplainStepArguments, ExplainStepResponseBody, PassedCode
from dap_dotnet.runtime.model import Frame, StepKind
from dap_dotnet.session.session import Session
from dap_dotnet.session.stops import StopReason
from dap_dotnet.stepping.plans.out_of_call import found_again
from dap_dotnet.stepping.story import Passed
from dap_dotnet.symbols.frames import describe_frame

_WORDS = {StepKind.OVER: "over", StepKind.INTO: "into", StepKind.OUT: "out of"}
_MOST_NAMES = 5


def explain_step(session: Session, arguments: ExplainStepArguments) -> ExplainStepResponseBody:
    """What the last step did: its plans, what it passed by and why, where it ended and why there."""
    session.need_stopped()
    stepping, stop = session.stepping_so_far, session.current_stop
    story = stepping.story if stepping is not None else None
    if story is None or story.request is None or story.origin is None or stop is None:
        raise UserError("No step has been made yet.", code="NO_STEP")
    top = caller = None
    if stop.reason is StopReason.STEP:
        top = session.need_debuggee().top_frame(stop.thread)
        waits = found_again(session.need_debuggee(), stop.thread, story.origin)
        caller = waits if waits is not None and waits.index else None
    request, passed, plans = story.request, story.passed(caller), story.plans
    unit = "method" if request.kind is StepKind.OUT else request.unit.value
    step = f"{_WORDS[request.kind]} the {unit} at {_place(session, story.origin)}"
    end = _place(session, top) if top is not None else None
    lines = [f"Step {step}."]
    lines += [f"Passed by: {_words(one)}." for one in passed]
    lines += ["Plans: " + "; ".join(plans) + "."] if plans else []
    lines.append(f"Ended at {end}: {story.why}." if end is not None else f"Ended nowhere: {story.why}.")
    codes = [PassedCode(reason=one.reason.value, calls=one.calls, methods=one.methods) for one in passed]
    return ExplainStepResponseBody(text="\n".join(lines), step=step, plans=plans, passed=codes, end=end, why=story.why)


def _place(session: Session, frame: Frame) -> str:
    described = described_now(session, describe_frame(session.modules, frame))
    if described.path is None or described.span is None:
        return described.name
    return f"{described.name}, {file_name(described.path)}:{session.view.line_to_client(described.span.line)}"


def _words(one: Passed) -> str:
    names = ", ".join(one.methods[:_MOST_NAMES]) + (", …" if len(one.methods) > _MOST_NAMES else "")
    calls = f"{one.calls} call" + ("s" if one.calls > 1 else "")
    return f"{calls} ({one.reason.value})" + (f": {names}" if names else "")
