"""`evaluate`."""

from __future__ import annotations

from dap_dotnet.handlers import console_input, heap
from dap_dotnet.handlers.variables import context_of, shown_result
from dap_dotnet.protocol.messages.variables import EvaluateArguments, EvaluateResponseBody
from dap_dotnet.session.session import Session

_COMMAND_CONTEXTS = frozenset({None, "repl", "watch"})


def evaluate(session: Session, arguments: EvaluateArguments) -> EvaluateResponseBody:
    """The value of an expression in a frame; without a frame, in the top one of the thread that stopped.

    In its place a command may stand: `.refs x`, `.size x`, `.heap`; or, after a >, a line of input for the program.
    """
    from dap_dotnet.evaluation.evaluator import evaluate as evaluate_expression

    if console_input.is_line(arguments.expression, arguments.context):
        console_input.hand_line(session, arguments.expression)
        return EvaluateResponseBody(result="", variables_reference=0)
    session.need_stopped()
    context = context_of(session, arguments.frame_id)
    if arguments.context in _COMMAND_CONTEXTS:
        answer = heap.command(session, context, arguments.expression)
        if answer is not None:
            return answer
    whole = arguments.context == "clipboard"
    may_store = arguments.context != "hover"
    found = evaluate_expression(arguments.expression, context, session.caller_for(context.thread), may_store=may_store)
    if found.has_stored:
        session.values_changed()
    return shown_result(
        session,
        context,
        found,
        arguments.format,
        whole=whole,
        expression=arguments.expression,
        may_run=arguments.context != "hover",
    )
