"""The attributes of `launch` and `attach` configurations (launch.json), validated.

Names and defaults are those that users of the C# extension have, so that a configuration works unchanged but for its
`type`. Attributes that are not known are ignored; those that are known are all `NEEDED`, for a program that starts in
another way than its user wrote is the wrong program. `protocol.reading.read` reads them.
"""

import shlex
from typing import Annotated, Any

from pydantic import Field, field_validator

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.lifecycle import AttachRequestArguments, LaunchRequestArguments


class CommonArguments(WireModel):
    """What `launch` and `attach` have in common."""

    just_my_code: Annotated[bool, NEEDED] = True
    """Step over code without symbols or with optimisations."""
    source_file_map: Annotated[dict[str, str], NEEDED] = Field(default_factory=dict)
    """Compile-time path -> local path; files or folders. The longest match wins."""
    require_exact_source: Annotated[bool, NEEDED] = True
    """Breakpoints bind only where the local file has the checksum recorded in the PDB."""

    @field_validator("source_file_map", mode="before")
    @classmethod
    def _entries(cls, value: Any) -> Any:
        if isinstance(value, dict):
            for compiled, local in value.items():
                if not str(compiled).strip() or not isinstance(local, str) or not local.strip():
                    raise ValueError(
                        f"its entry {compiled!r} must map a compile-time path to a local path, both strings."
                    )
        return value


class LaunchArguments(LaunchRequestArguments, CommonArguments):
    """`launch`."""

    program: str
    """The program to debug: a .dll, or the executable that was built with it."""
    args: Annotated[list[str], NEEDED] = Field(default_factory=list)
    """Arguments of the program: a list, or one string, which is split as a POSIX shell would split it."""
    cwd: Annotated[str | None, NEEDED] = None
    """The working directory of the program; by default the adapter's."""
    env: Annotated[dict[str, str | None], NEEDED] = Field(default_factory=dict)
    """Variables to add to the adapter's environment for the program; null removes one."""
    stop_at_entry: Annotated[bool, NEEDED] = False
    """Stop at the first line of Main."""
    suppress_jit_optimizations: Annotated[bool, NEEDED] = False
    """Compile modules that have symbols without optimisations, also those of a Release build."""

    @field_validator("program", mode="after")
    @classmethod
    def _program_is_named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("it is empty; name the .dll or the executable to debug.")
        return value

    @field_validator("args", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            try:
                return shlex.split(value)
            except ValueError as error:
                raise ValueError(f"it cannot be split as a shell would: {error}. Use a list instead.") from error
        return value


class AttachArguments(AttachRequestArguments, CommonArguments):
    """`attach`."""

    process_id: int
    """The process to take control of; `dap-dotnet ps` lists those that can be debugged."""

    @field_validator("process_id", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        if isinstance(value, str):
            if not value.strip().isdigit():
                raise ValueError(f"it must be a process id, not {value!r}. `dap-dotnet ps` lists them.")
            return int(value)
        return value
