"""`evaluate`: expressions with format specifiers, and in the debug console statements and commands."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.handlers.variables import context_of, shown_result
from dap_dotnet.protocol.messages.variables import EvaluateArguments, EvaluateResponseBody
from dap_dotnet.session.session import Session
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.known_numbers import as_binary

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.evaluation.syntax.user_texts import FormatSpecifiers

_log = logging.getLogger(__name__)

_INPUT = ">"
"""What a line of input for the program begins with; no expression does."""
_COMMAND_CONTEXTS = frozenset({None, "repl", "watch"})
_CONSOLE = frozenset({None, "repl"})
_BLOCKS = frozenset({"{", "if", "while", "do", "for", "foreach", "switch", "try", "using", "lock"})
"""What statements begin with that no expression says."""
_BLOCK, _BLOCK_END = "((global::System.Action)(() => {\n", "\n}))()"
"""They run as a lambda does; its first line is not the user's."""
_FORGET = re.compile(r"\s*\.forget\s+\$(\d{1,9})\s*;?\s*")


def evaluate(session: Session, arguments: EvaluateArguments) -> EvaluateResponseBody:
    """The value of an expression in a frame; without a frame, in the top one of the thread that stopped.

    In its place a command may stand: `.refs x`, `.size x`, `.heap`, `.asm`, `.forget $1`; or, in the debug console, a
    line of input for the program: after a >, or where it runs and waits for one. There also several statements, the
    last of which has the answer.
    """
    if arguments.context == "repl":
        is_input = arguments.expression.lstrip().startswith(_INPUT)
        if is_input or not (session.holds.is_held or arguments.frame_id):  # 0 is what typed clients send for none
            from dap_dotnet.handlers import console_input

            hand = console_input.hand_marked if is_input else console_input.hand_unmarked
            return EvaluateResponseBody(result=hand(session, arguments.expression), variables_reference=0)
    session.need_stopped()
    context = context_of(session, arguments.frame_id)
    text = arguments.expression
    if arguments.context in _COMMAND_CONTEXTS and text.lstrip().startswith("."):
        from dap_dotnet.handlers import heap, native_code

        answer = (
            heap.command(session, context, text)
            or native_code.command(session, context, text)
            or _forget(context, text)
        )
        if answer is not None:
            return answer
    if arguments.context == "hover":
        from dap_dotnet.handlers.hovering import hover

        return hover(
            session, context, text, lambda within, getters: _evaluated(session, within, arguments, text, getters)
        )
    if arguments.context not in _COMMAND_CONTEXTS:
        return _evaluated(session, context, arguments, text)
    from dap_dotnet.handlers.long_evaluations import shown_if_long

    try:
        with shown_if_long(session, text.strip()):
            return _evaluated_in_turn(session, context, arguments, text)
    except EvaluationError:
        session.call_is_told()
        raise


def _evaluated_in_turn(
    session: Session, context: FrameContext, arguments: EvaluateArguments, text: str
) -> EvaluateResponseBody:
    """The value of an expression; in the debug console, of the last of several statements."""
    if arguments.context not in _CONSOLE:
        return _evaluated(session, context, arguments, text)
    from dap_dotnet.evaluation.syntax.lexer import blank

    question = text.find("?") + 1 if text.lstrip().startswith("?") else 0
    *statements, last = _statements(blank(text[:question]) + text[question:])
    for statement in statements:
        _evaluated(session, context, arguments, statement)
        context = context_of(session, arguments.frame_id)
    with _in_lines_of_the_user(last):
        return _evaluated(session, context, arguments, last)


def _evaluated(
    session: Session, context: FrameContext, arguments: EvaluateArguments, text: str, getters: Caller | None = None
) -> EvaluateResponseBody:
    """`getters`: who runs those for a hover, None: nobody."""
    from dap_dotnet.evaluation import assigning, evaluator
    from dap_dotnet.evaluation.syntax.user_texts import console_declaration, split_format

    expression, asked = split_format(text)
    is_hover = arguments.context == "hover"
    may_run = _may_run(context, arguments.context, asked)
    caller = (getters if is_hover else session.caller_for(context.thread)) if may_run else None
    declaration = console_declaration(text) if arguments.context in _CONSOLE and "=" in text else None
    if declaration is not None:
        expression = declaration.variables[0].name
        found = assigning.declare(declaration, context, caller)
    else:
        try:
            found = evaluator.evaluate(
                expression, context, caller, may_store=not is_hover, enumerates=asked.results_view
            )
        except EvaluationError as error:
            if error.forbids_calls:
                error.message += f": {_where_it_runs(session, arguments.context, asked)}"
                error.forbids_calls = not asked.no_side_effects
            raise
    _log.debug("%s: %s", found.way or "read", expression)
    if found.has_stored:
        session.values_changed()
    if asked.raw or asked.hidden or asked.hexadecimal is not None:  # of what is opened, too
        own = context.program.display
        display = structs.replace(own, raw=own.raw or asked.raw, hidden=asked.hidden, hexadecimal=asked.hexadecimal)
        context = structs.replace(context, program=structs.replace(context.program, display=display))
    whole = arguments.context == "clipboard"
    # Before it is shown: for that the program may run, and the value is of this stop.
    number = session.kept.add(context.program.debuggee, found.value) if asked.makes_id else 0
    body = shown_result(
        session,
        context,
        found,
        arguments.format,
        whole=whole,
        quotes=not asked.no_quotes,
        most=asked.count,
        dynamic_view=asked.dynamic_view,
        expression=expression,
        may_run=may_run,
    )
    if asked.binary:
        body.result = as_binary(found.value, body.type or "") or body.result
    if asked.makes_id:
        body.result = f"{body.result} {{${number}}}"
    return body


def _may_run(frame: FrameContext, context: str | None, asked: FormatSpecifiers) -> bool:
    """Whether the program's code may run; where the user's settings forbid it, only when typed."""
    if asked.no_side_effects or frame.program.debuggee.is_frozen:
        return False
    return frame.program.display.may_run or (context != "hover" and asked.always_evaluate) or context in _CONSOLE


def _where_it_runs(session: Session, context: str | None, asked: FormatSpecifiers) -> str:
    """What to do where `_may_run` is false."""
    if session.stands_still_as:
        return f"nothing runs in {session.stands_still_as}"
    if asked.no_side_effects and context in _CONSOLE:
        return "evaluate it without ,nse"
    if session.options.display.may_run:
        return "evaluate it in a watch or the debug console" + ", without ,nse" * asked.no_side_effects
    return "allowImplicitFuncEval is false; evaluate it in the debug console, or with ,ac behind it in a watch"


@contextmanager
def _in_lines_of_the_user(text: str) -> Iterator[None]:
    """Where an error is, as if the line of `_BLOCK` were not there."""
    try:
        yield
    except EvaluationError as error:
        if text.startswith(_BLOCK) and error.line is not None:
            error.message = error.message.replace(f"in line {error.line},", f"in line {error.line - 1},", 1)
            error.line -= 1
        raise


def _statements(text: str) -> list[str]:
    """The statements of a text, without their semicolons and behind as many spaces as what stands before them is wide.

    Only one where the text cannot be divided. From a loop or the like on, all that follows is a lambda that is called.
    """
    from dap_dotnet.evaluation.syntax.lexer import CLOSING, OPENING, blank, tokens

    found, start, depth = list[str](), 0, 0
    try:
        for token in tokens(text):
            if token.text in _BLOCKS and not text[start : token.start].strip() and all(map(str.strip, found)):
                return [*found, _BLOCK + blank(text[:start]) + text[start:] + ";" + _BLOCK_END]
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == ";" and not depth:
                found.append(blank(text[:start]) + text[start : token.start])
                start = token.end
    except EvaluationError:
        return [text]
    rest = text[start:]
    if rest.strip() or not found:
        found.append(blank(text[:start]) + rest)
    return found if all(statement.strip() for statement in found) else [text]


def _forget(context: FrameContext, text: str) -> EvaluateResponseBody | None:
    """`.forget $1` lets an object go that has an id."""
    match = _FORGET.fullmatch(text)
    if match is None or context.program.kept is None:
        return None
    context.program.kept.forget(context.program.debuggee, int(match.group(1)))
    return EvaluateResponseBody(result=f"${match.group(1)} is forgotten", variables_reference=0)
