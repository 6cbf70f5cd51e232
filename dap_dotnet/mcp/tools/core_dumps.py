"""Core dumps: opening one as a session that stands still, and saving one of a program."""

from __future__ import annotations

import os
from typing import Any

from pydantic import Field

from dap_dotnet.mcp.parts import Answer, Arguments
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.debugging import BeginAnswer, BeginArguments, begin
from dap_dotnet.mcp.tools.session_argument import SessionArguments, WaitSeconds
from dap_dotnet.protocol.messages.dumps import DumpBody, DumpType, SaveDumpArguments
from dap_dotnet.protocol.wire_names import wire_name

_SAVE_S = 600.0
"""A program of many gigabytes takes minutes."""


class OpenArguments(Arguments):
    """Of `debug_open_core`."""

    file: str = Field(description="A core dump of a .NET program.", examples=["/dumps/Shop.4711.dmp"])
    folders: dict[str, str] = Field(
        default_factory=dict,
        description="Folders of the machine that the dump is from, and where they are here.",
        examples=[{"/usr/share/dotnet": "/opt/dotnet-10.0.12"}],
    )
    just_my_code: bool = Field(default=True, description="Show frames without symbols as external.", examples=[True])
    wait_s: WaitSeconds = 30.0


class SaveArguments(SessionArguments):
    """Of `core_dump_save`."""

    path: str = Field(description="A file that does not exist yet, or a folder.", examples=["/dumps"])
    dump_type: DumpType = Field(
        default="heap",
        description="heap: all objects; full: the libraries too; mini: stacks, numbers and the exception, in a few MB; "
        "triage: mini without what may be private.",
        examples=["mini"],
    )


class SaveAnswer(Answer):
    """A dump that is complete."""

    path: str
    dump_type: DumpType
    bytes: int

    def to_text(self) -> str:
        """A sentence."""
        return f"Saved {self.path} ({self.dump_type}, {self.bytes / 1e6:,.1f} MB)."


@tool(read_only=True)
def debug_open_core(call: Call, arguments: OpenArguments) -> BeginAnswer:
    """Open a core dump of a program that crashed or ran, at the thread that crashed, with its exception.

    Everything can be read: stacks, variables, expressions, exceptions, async methods, what threads wait for, the heap.
    Nothing runs or changes.
    """
    file = allowed_path(arguments.file, call.options.folders)
    attributes: dict[str, Any] = {
        wire_name("core_dump_path"): file,
        wire_name("core_dump_folders"): arguments.folders,
        wire_name("just_my_code"): arguments.just_my_code,
    }
    beginning = BeginArguments(wait_s=arguments.wait_s)
    return begin(call, "launch", attributes, os.path.basename(file), beginning)


@tool(needs="write")
def core_dump_save(call: Call, arguments: SaveArguments) -> SaveAnswer:
    """Save a core dump of the program as it is now, for later or for another machine. The program goes on as before.

    The file has all that the program knows, passwords too; only this user can read it.
    """
    session = call.sessions.get(arguments.session)
    session.need_alive()
    path = allowed_path(arguments.path, call.options.folders)
    asked = SaveDumpArguments(path=path, dump_type=arguments.dump_type)
    body = DumpBody.model_validate(session.request("dap-dotnet/saveDump", asked, timeout_s=_SAVE_S))
    return SaveAnswer(path=body.path, dump_type=body.dump_type, bytes=body.bytes)
