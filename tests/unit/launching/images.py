"""Minimal executable files for tests: headers that are right, bodies that are empty."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

from dap_dotnet.launching.images import _BUNDLE_SIGNATURE, machine_architecture

ELF_MACHINES = {"x64": 62, "arm64": 183, "x86": 3, "s390x": 22}
I386, AMD64, ARM64 = 0x014C, 0x8664, 0xAA64


def pe(*, machine: int = I386, flags: int = 1, entry_point: int = 0x06000001, has_cli_header: bool = True) -> bytes:
    """A PE file with one section that holds nothing but a CLI header."""
    is_plus = machine not in (I386, I386 ^ 0x7B79)
    directories = [(0, 0)] * 16
    if has_cli_header:
        directories[14] = (0x2008, 72)
    optional = struct.pack("<H", 0x20B if is_plus else 0x10B) + bytes(106 if is_plus else 90)
    optional += struct.pack("<I", 16) + b"".join(struct.pack("<II", *entry) for entry in directories)
    section = b".text\0\0\0" + struct.pack("<IIII", 80, 0x2000, 0x200, 0x200) + bytes(16)
    headers = b"MZ" + bytes(0x3A) + struct.pack("<I", 0x40)
    headers += b"PE\0\0" + struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, len(optional), 0x2022) + optional + section
    cli_header = struct.pack("<IHHIIII", 72, 2, 5, 0x2050, 0, flags, entry_point)
    return headers.ljust(0x200, b"\0") + bytes(8) + cli_header.ljust(0x1F8, b"\0")


def elf(architecture: str | None = None, body: bytes = b"") -> bytes:
    """An ELF header for an architecture, by default this machine's, and a body."""
    machine = ELF_MACHINES[architecture or machine_architecture()]
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 3, machine) + bytes(44) + body


def apphost(architecture: str | None = None, bundle_offset: int = 0, before: bytes = b"") -> bytes:
    return elf(architecture, before + struct.pack("<q", bundle_offset) + _BUNDLE_SIGNATURE)


def write_executable(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def write_root(root: Path, *versions: str, architecture: str | None = None) -> Path:
    """A .NET root with these versions of Microsoft.NETCore.App."""
    for version in versions:
        (root / "shared" / "Microsoft.NETCore.App" / version).mkdir(parents=True)
    (root / "host" / "fxr").mkdir(parents=True)
    write_executable(root / "dotnet", elf(architecture))
    return root


def write_config(folder: Path, name: str, version: str | None = "8.0.0", **options: object) -> Path:
    """NAME.runtimeconfig.json that asks for Microsoft.NETCore.App."""
    if version is not None:
        options["framework"] = {"name": "Microsoft.NETCore.App", "version": version}
    path = folder / f"{name}.runtimeconfig.json"
    path.write_text(json.dumps({"runtimeOptions": options}))
    return path


def environment(root: Path | None = None, **variables: str) -> dict[str, str]:
    return {"PATH": os.defpath, **({"DOTNET_ROOT": str(root)} if root else {}), **variables}
