"""The names of frames as a client's `StackFrameFormat` asks for them: `app.dll!Shop.Add(int count = 3) Line 12`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.symbols.frames import FrameDescription, describe_frame
from dap_dotnet.values.generic_frames import generic_arguments

if TYPE_CHECKING:
    from dap_dotnet.protocol.messages.stack import StackFrameFormat
    from dap_dotnet.session.session import Session
    from dap_dotnet.values.context import FrameContext

_LONGEST_VALUE = 60


def wants_all(wanted: StackFrameFormat | None) -> bool:
    """Whether the client wants the frames, too, that are not the user's."""
    return wanted is not None and bool(wanted.include_all)


def described_as(session: Session, context: FrameContext, wanted: StackFrameFormat | None) -> FrameDescription:
    """A frame, by the name that the client wants.

    Without a format, and for what it does not mention: parameters with types and names, no values, line and module.
    Types, names and values that are asked for by themselves are all that is written of parameters.
    """
    frame = context.frame
    arguments = generic_arguments(context)
    plain = describe_frame(session.modules, frame, arguments)
    if wanted is None or plain.is_marker:
        return plain
    return msgspec.structs.replace(plain, name=_name(session, context, plain, arguments, wanted))


def _name(
    session: Session,
    context: FrameContext,
    plain: FrameDescription,
    arguments: tuple[str, ...],
    wanted: StackFrameFormat,
) -> str:
    from portablepdb.parameter_style import ParameterStyle

    parts = (wanted.parameter_types, wanted.parameter_names, wanted.parameter_values)
    is_choice = any(parts)
    types = bool(wanted.parameter_types) if is_choice else wanted.parameter_types is not False
    names = bool(wanted.parameter_names) if is_choice else wanted.parameter_names is not False
    name = plain.name
    if wanted.parameters is False or not (types or names or wanted.parameter_values):
        name = _without_parameters(name)
    elif is_choice or not (types and names):
        values = _values(context, is_hexadecimal=bool(wanted.hex)) if wanted.parameter_values else {}
        style = ParameterStyle(types, names, values)
        name = describe_frame(session.modules, context.frame, arguments, style).name
    module = session.modules.get(context.frame.module)
    if wanted.module and module is not None:
        name = f"{module.name}!{name}"
    if wanted.line and plain.span is not None:
        name += f" Line {session.view.line_to_client(plain.span.line)}"
    return name


def _without_parameters(name: str) -> str:
    """A method's name without its list of parameters; brackets in types (tuples) and of indexers are none."""
    if not name.endswith(")"):
        return name
    depth = 0
    for place in range(len(name) - 1, -1, -1):
        depth += (name[place] == ")") - (name[place] == "(")
        if not depth:
            return name[:place]
    return name


def _values(context: FrameContext, *, is_hexadecimal: bool) -> dict[str, str]:
    """The values of a frame's parameters, by name, as far as they can be read without running code of the program."""
    from dap_dotnet.values.frame_variables import frame_variables
    from dap_dotnet.values.rendering import Format, render

    style = Format(hexadecimal=is_hexadecimal)
    try:
        found = frame_variables(context)
    except DapDotnetError:
        return {}
    values = {}
    for variable in (*found.locals, *found.arguments):
        if variable.value.error is None:
            text = render(context.program, variable.value, style, names=variable.names).text
            values[variable.name] = text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
    return values
