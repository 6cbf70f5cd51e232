"""What an executable file is: a managed assembly, an apphost, a native program, a script. Reads headers only."""

from __future__ import annotations

import enum
import mmap
import platform
import struct
from pathlib import Path

from msgspec import Struct

from dap_dotnet.launching.plain_files import open_to_read

_BUNDLE_SIGNATURE = bytes.fromhex("8b1202b96a612038727b930214d7a03213f5b9e6efae3318ee3b2dce24b36aae")
"""Every apphost has it in its data, after 8 bytes that hold the offset of the bundle: 0 without one."""
_STATIC_RUNTIME_EXPORT = b"DotNetRuntimeInfo\0"
_NATIVE_AOT_EXPORT = b"DotNetRuntimeDebugHeader\0"
_ELF_MACHINES = {3: "x86", 40: "arm", 62: "x64", 183: "arm64", 243: "riscv64", 258: "loongarch64", 22: "s390x"}
_PE_MACHINES = {0x014C: "x86", 0x01C4: "arm", 0x8664: "x64", 0xAA64: "arm64", 0x5064: "riscv64", 0x6264: "loongarch64"}
_READY_TO_RUN_SYSTEMS = (0x7B79, 0x4644, 0xADC4, 0x1993, 0x1992)
"""ReadyToRun images for Linux, macOS, FreeBSD, NetBSD and SunOS have the machine xor-ed with these."""
_MACHINE_NAMES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "i686": "x86", "i386": "x86", "armv7l": "arm"}
_PE32_MAGIC, _PE32_PLUS_MAGIC = 0x10B, 0x20B
_CLI_HEADER_DIRECTORY = 14
_COMIMAGE_FLAGS_32BIT_REQUIRED, _COMIMAGE_FLAGS_32BIT_PREFERRED = 0x2, 0x20000
_SECTION_HEADER_SIZE = 40


class ImageKind(enum.Enum):
    """The kinds of file that a user may name as a program."""

    ASSEMBLY = "managed assembly"
    WINDOWS_NATIVE = "native Windows program"
    APPHOST = "apphost"
    SINGLE_FILE = "single-file program on a shared runtime"
    SINGLE_FILE_SELF_CONTAINED = "single-file program with the runtime inside"
    NATIVE_AOT = "program compiled ahead of time"
    NATIVE = "native program"
    SCRIPT = "script"
    OTHER = "other file"


class Image(Struct, frozen=True):
    """What a file is according to its headers. `architecture` is a .NET name such as x64, None for any or unknown."""

    kind: ImageKind
    architecture: str | None = None
    has_entry_point: bool = False
    """Of an assembly: its CLI header names a method to start (ECMA-335 II.25.3.3)."""


def machine_architecture() -> str:
    """This machine's architecture in .NET's terms."""
    machine = platform.machine().lower()
    return _MACHINE_NAMES.get(machine, machine)


def inspect_image(path: Path) -> Image:
    """Look at a file's headers. Raises OSError when it cannot be read; damaged headers make it OTHER."""
    with open_to_read(path) as file:
        start = file.read(4)
        if start[:2] == b"#!":
            return Image(ImageKind.SCRIPT)
        if start[:2] != b"MZ" and start != b"\x7fELF":
            return Image(ImageKind.OTHER)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            try:
                return _inspect_pe(data) if start[:2] == b"MZ" else _inspect_elf(data)
            except (struct.error, IndexError):
                return Image(ImageKind.OTHER)


def _inspect_elf(data: mmap.mmap) -> Image:
    byte_order = "<" if data[5] == 1 else ">"
    (machine,) = struct.unpack_from(f"{byte_order}H", data, 18)
    architecture = _ELF_MACHINES.get(machine)
    signature = data.find(_BUNDLE_SIGNATURE)
    if signature < 8:
        is_aot = data.find(_NATIVE_AOT_EXPORT) >= 0
        return Image(ImageKind.NATIVE_AOT if is_aot else ImageKind.NATIVE, architecture)
    (bundle_offset,) = struct.unpack_from("<q", data, signature - 8)
    if bundle_offset == 0:
        return Image(ImageKind.APPHOST, architecture)
    is_static = data.find(_STATIC_RUNTIME_EXPORT, 0, bundle_offset) >= 0
    return Image(ImageKind.SINGLE_FILE_SELF_CONTAINED if is_static else ImageKind.SINGLE_FILE, architecture)


def _inspect_pe(data: mmap.mmap) -> Image:
    (pe_offset,) = struct.unpack_from("<I", data, 0x3C)
    signature, machine, section_count = struct.unpack_from("<4sHH", data, pe_offset)
    if signature != b"PE\0\0":
        return Image(ImageKind.OTHER)
    (optional_size,) = struct.unpack_from("<H", data, pe_offset + 20)
    optional_offset = pe_offset + 24
    (magic,) = struct.unpack_from("<H", data, optional_offset)
    if magic not in (_PE32_MAGIC, _PE32_PLUS_MAGIC):
        return Image(ImageKind.OTHER)
    directories_offset = optional_offset + (96 if magic == _PE32_MAGIC else 112)
    (directory_count,) = struct.unpack_from("<I", data, directories_offset - 4)
    architecture = _pe_architecture(machine)
    if directory_count <= _CLI_HEADER_DIRECTORY:
        return Image(ImageKind.WINDOWS_NATIVE, architecture)
    (cli_rva,) = struct.unpack_from("<I", data, directories_offset + 8 * _CLI_HEADER_DIRECTORY)
    if cli_rva == 0:
        return Image(ImageKind.WINDOWS_NATIVE, architecture)
    cli_offset = _file_offset(data, optional_offset + optional_size, section_count, cli_rva)
    if cli_offset is None:
        return Image(ImageKind.OTHER)
    flags, entry_point = struct.unpack_from("<II", data, cli_offset + 16)
    bits = _COMIMAGE_FLAGS_32BIT_REQUIRED | _COMIMAGE_FLAGS_32BIT_PREFERRED
    if architecture == "x86" and flags & bits != _COMIMAGE_FLAGS_32BIT_REQUIRED:
        architecture = None  # AnyCPU is written with the machine of x86
    return Image(ImageKind.ASSEMBLY, architecture, has_entry_point=entry_point != 0)


def _pe_architecture(machine: int) -> str | None:
    for system in (0, *_READY_TO_RUN_SYSTEMS):
        if machine ^ system in _PE_MACHINES:
            return _PE_MACHINES[machine ^ system]
    return None


def _file_offset(data: mmap.mmap, sections_offset: int, section_count: int, rva: int) -> int | None:
    for index in range(section_count):
        offset = sections_offset + index * _SECTION_HEADER_SIZE
        virtual_size, address, raw_size, raw_offset = struct.unpack_from("<IIII", data, offset + 8)
        if address <= rva < address + max(virtual_size, raw_size):
            return int(raw_offset + rva - address)
    return None
