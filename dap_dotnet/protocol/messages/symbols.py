"""Symbols on demand: a request of our own."""

from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.sources import Module


class LoadSymbolsArguments(WireModel):
    """Of `dap-dotnet/loadSymbols`: a module by its id, or that of a frame's method.

    `search_microsoft_symbol_server`: ask that server where `symbolOptions` names none.
    """

    module_id: int | str | None = None
    frame_id: int | None = None
    search_microsoft_symbol_server: bool = False


class LoadSymbolsResponseBody(WireModel):
    """The module with its symbols."""

    module: Module
