"""The code of the processor that a frame executes: `dap-dotnet/nativeCode`, and `.asm` in text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dap_dotnet.errors import DebuggeeError, EvaluationError, UserError
from dap_dotnet.handlers.instructions import as_instruction, drop_repeated
from dap_dotnet.handlers.variables import context_of
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.native_code import NativeCodeArguments, NativeCodeResponseBody
from dap_dotnet.protocol.messages.variables import EvaluateResponseBody
from dap_dotnet.runtime.model import Frame, ThreadId
from dap_dotnet.runtime.native_code import NativeCode
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.il_addresses import reference_text
from dap_dotnet.symbols.native_listing import NativeInstruction, how_to_decode, native_listing
from dap_dotnet.values.context import FrameContext

_COMMAND = re.compile(r"\s*\.asm\s*;?\s*")
_MOST_BYTES = 4 << 20
_SHOWN_AROUND = 200
"""Instructions on either side of the present one, in text."""
_BYTES_SHOWN = 8
_MOST_FRAMES = 200


def native_code(session: Session, arguments: NativeCodeArguments) -> NativeCodeResponseBody:
    """The machine code that a frame executes, with the lines it came from."""
    session.need_stopped()
    context = context_of(session, arguments.frame_id)
    listing = _listing(session, context.frame, _code(session, context.thread, context.frame))
    symbol = _method_text(session, context.frame)
    shown = [
        as_instruction(session, one.address, one, symbol if not number else None) for number, one in enumerate(listing)
    ]
    drop_repeated(shown)
    return NativeCodeResponseBody(
        instructions=shown,
        current=next((number for number, one in enumerate(listing) if one.is_current), None),
        note=how_to_decode(),
    )


def listing_at(session: Session, address: int) -> tuple[str, Sequence[NativeInstruction]]:
    """A method on the stack of the thread that stopped, and its native code, which has an address; else nothing."""
    stop = session.current_stop
    if stop is None:
        return "", ()
    page = session.need_stopped().stack(stop.thread, 0, _MOST_FRAMES)
    for frame in page.frames:
        if frame.method is None:
            continue
        try:
            code = _code(session, stop.thread, frame)
        except UserError:
            continue
        if any(chunk.address <= address < chunk.address + chunk.size for chunk in code.chunks):
            return _method_text(session, frame), _listing(session, frame, code)
    return "", ()


def command(session: Session, context: FrameContext, text: str) -> EvaluateResponseBody | None:
    """What `.asm` answers, typed in place of an expression; None for others."""
    if _COMMAND.fullmatch(text) is None:
        return None
    try:
        code = _code(session, context.thread, context.frame)
    except UserError as error:
        raise EvaluationError(error.message) from error
    listing = _listing(session, context.frame, code)
    size = sum(chunk.size for chunk in code.chunks)
    note = how_to_decode()
    lines = [f"{_method_text(session, context.frame)}: {size:,} bytes", *([note] if note else []), *_lines(listing)]
    return EvaluateResponseBody(result="\n".join(lines), variables_reference=0)


def _code(session: Session, thread: ThreadId, frame: Frame) -> NativeCode:
    """Raises `UserError` for a frame without."""
    if frame.index < 0 or frame.method is None:
        raise UserError("This frame has no native code: choose a method that is on a thread's stack.")
    try:
        code = session.need_stopped().native_code(thread, frame.index)
    except DebuggeeError as error:
        raise UserError(f"The runtime does not give the native code of this frame: {error.message}") from error
    if sum(chunk.size for chunk in code.chunks) > _MOST_BYTES:
        raise UserError(f"The native code of this method has more than {_MOST_BYTES:,} bytes, which are not shown.")
    return code


def _listing(session: Session, frame: Frame, code: NativeCode) -> Sequence[NativeInstruction]:
    from portablepdb import PortablePdbError

    module = session.modules.get(frame.module) if frame.module is not None else None
    read = session.need_stopped().read_memory
    try:
        return native_listing(module, frame.method, code, read)
    except PortablePdbError as error:
        raise UserError(f"The source of method 0x{frame.method or 0:08x} cannot be read: {error}.") from error


def _method_text(session: Session, frame: Frame) -> str:
    module = session.modules.get(frame.module) if frame.module is not None else None
    return module.method_text(frame.method) if module is not None and frame.method is not None else "(no name)"


def _lines(listing: Sequence[NativeInstruction]) -> Iterator[str]:
    """The instructions around the present one, under the IL and the lines that they came from."""
    current = next((number for number, one in enumerate(listing) if one.is_current), 0)
    first, end = max(0, current - _SHOWN_AROUND), min(len(listing), current + _SHOWN_AROUND)
    if first:
        yield f"   … {first:,} before"
    origin = None
    for one in listing[first:end]:
        if (one.il_offset, one.span) != origin:
            origin = one.il_offset, one.span
            yield f"   ; {_origin(one)}"
        content = one.content.hex()
        shown = content if len(content) <= 2 * _BYTES_SHOWN else f"{content[: 2 * _BYTES_SHOWN]}…"
        mark = "=>" if one.is_current else "  "
        yield f"{mark} {reference_text(one.address)}  {shown:<{2 * _BYTES_SHOWN + 1}}  {one.text}"
    if end < len(listing):
        yield f"   … {len(listing) - end:,} behind"


def _origin(one: NativeInstruction) -> str:
    if one.il_offset is None:
        return "of no IL"
    where = f", {file_name(one.path)}:{one.span.line}" if one.span is not None and one.path is not None else ""
    return f"IL_{one.il_offset:04x}{where}"
