"""The shim's cffi module, loaded, and the one place where its codes become errors.

The only module without full types: `ffi` and `lib` are what cffi made from cordebug_shim.h.
"""

from __future__ import annotations

from typing import Any, NoReturn

from dap_dotnet.errors import (
    DapDotnetError,
    DebuggeeGoneError,
    FrozenError,
    InternalError,
    LaunchError,
    RuntimeCallError,
    StaleHandleError,
)

try:
    from dap_dotnet._cordebug_shim import ffi as _ffi
    from dap_dotnet._cordebug_shim import lib as _lib
except ImportError as error:  # pragma: no cover - a broken installation
    raise InternalError(
        f"The native part of dap-dotnet cannot be loaded ({error}); install the package again."
    ) from error

ffi: Any = _ffi
lib: Any = _lib

VERSION = 3
"""Of the C API: what the rest of this package calls."""

if lib.cds_version() != VERSION:  # pragma: no cover - a broken installation
    raise InternalError(
        f"The native part of dap-dotnet has version {lib.cds_version()}, not {VERSION}; install the package again."
    )

_LAUNCH_CODES = {
    lib.CDS_E_NO_PROCESS: "NO_PROCESS",
    lib.CDS_E_PERMISSION: "NO_PERMISSION",
    lib.CDS_E_NOT_DOTNET: "NOT_DOTNET",
    lib.CDS_E_NO_DEBUGGER: "NO_RUNTIME_DEBUGGER",
    lib.CDS_E_NO_PIPES: "NO_DIAGNOSTICS",
    lib.CDS_E_ALREADY_DEBUGGED: "ALREADY_DEBUGGED",
    lib.CDS_E_SINGLE_FILE: "SINGLE_FILE",
    lib.CDS_E_STARTUP_CLAIMED: "ALREADY_DEBUGGED",
    lib.CDS_E_RUNTIME_REPLACED: "RUNTIME_REPLACED",
    lib.CDS_E_UNTRUSTED: "UNTRUSTED_RUNTIME",
    lib.CDS_E_OTHER_NAMESPACE: "OTHER_NAMESPACE",
    lib.CDS_E_CORE: "BAD_CORE_DUMP",
}

BUFFER_TOO_SMALL: int = lib.CDS_E_BUFFER
TIMEOUT: int = lib.CDS_E_TIMEOUT
GONE: int = lib.CDS_E_GONE


def hresult_name(hresult: int) -> str:
    """The name of an HRESULT, signed or unsigned, or its hexadecimal digits."""
    unsigned = hresult & 0xFFFFFFFF
    name = lib.cds_hresult_name(unsigned - (1 << 32) if unsigned >> 31 else unsigned)
    return f"0x{unsigned:08X}" if name == ffi.NULL else ffi.string(name).decode("ascii")


def new_sized(struct: str) -> Any:
    """A struct of the API that begins with its `size`."""
    made = ffi.new(f"{struct} *")
    made.size = ffi.sizeof(struct)
    return made


def accelerator_reasons() -> dict[str, str]:
    """The parts of the accelerator, each with "on" or why it is not in use. Any thread."""
    parts = {"kept hash table": lib.CDS_ACCELERATOR_HASH_CHUNK, "page cache": lib.CDS_ACCELERATOR_PAGES}
    return {name: ffi.string(lib.cds_accelerator_reason(part)).decode("ascii") for name, part in parts.items()}


def check(code: int) -> None:
    """Raise what a code of the shim means; nothing for CDS_OK. On the thread that made the call."""
    if code != 0:
        _raise(code)


def _raise(code: int) -> NoReturn:
    error = new_sized("cds_error")
    lib.cds_error_last(error)
    message = ffi.string(error.message).decode("utf-8", "replace")
    hresult = error.hresult & 0xFFFFFFFF
    raise _error(code, message, hresult)


def _error(code: int, message: str, hresult: int) -> DapDotnetError:
    if code == lib.CDS_E_STALE:
        return StaleHandleError(message)
    if code == lib.CDS_E_GONE:
        return DebuggeeGoneError(message)
    if code == lib.CDS_E_FROZEN:
        return FrozenError(message)
    if code in _LAUNCH_CODES:
        return LaunchError(message, code=_LAUNCH_CODES[code])
    if code in (lib.CDS_E_RUNTIME, lib.CDS_E_NOT_FOUND, lib.CDS_E_KIND, lib.CDS_E_TIMEOUT, lib.CDS_E_SYSTEM):
        name = hresult_name(hresult) if code == lib.CDS_E_RUNTIME else ""
        return RuntimeCallError(message, hresult=hresult if code == lib.CDS_E_RUNTIME else 0, hresult_name=name)
    return InternalError(f"{message} (shim code {code})")
