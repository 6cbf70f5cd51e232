"""Instructions, of IL and of the processor, as the protocol has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.disassembly import DisassembledInstruction
from dap_dotnet.protocol.messages.sources import Source
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import span_body
from dap_dotnet.symbols.il_addresses import reference_text
from dap_dotnet.symbols.il_listing import ListedInstruction
from dap_dotnet.symbols.native_listing import NativeInstruction

Instruction: TypeAlias = ListedInstruction | NativeInstruction


def as_instruction(session: Session, address: int, one: Instruction, symbol: str | None) -> DisassembledInstruction:
    """An instruction at an address; `symbol` names what begins there."""
    location = _source(session, one.path)
    span = one.span
    if location is not None and one.path is not None and span is not None:
        span = session.span_now(session.modules.source_map.local_path(one.path), span)
    return DisassembledInstruction(
        address=reference_text(address),
        instruction_bytes=one.content.hex(" "),
        instruction=one.text,
        symbol=symbol,
        location=location,
        **span_body(span, session.view),
    )


def _source(session: Session, path: str | None) -> Source | None:
    if path is None:
        return None
    local = session.modules.source_map.local_path(path)
    return Source(name=file_name(local), path=session.view.path_to_client(local))


def drop_repeated(shown: Sequence[DisassembledInstruction]) -> None:
    """Leave out sources that are those of the instruction before."""
    before = None
    for one in shown:
        if one.location == before:
            one.location = None
        else:
            before = one.location
