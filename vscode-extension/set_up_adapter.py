"""Makes the environment that the debugger runs in when it comes with the VS Code extension, which runs this.

    PYTHON -I set_up_adapter.py CARRIED ENVIRONMENT

CARRIED is the folder with `contents.json` and the wheels that scripts/carried_wheels.py writes; the network is not
used. The environment is ready once its program `dap-dotnet` is there, which is written last: killed at any moment, the
next call begins again. Of several at once, one works and the others wait for it.

Standard output is pip's, and lines that begin with a bullet, which are for the user. The exit code is 0; STORAGE when
the disk refused (then the last line of standard error is the folder and the reason), or 1 with the reason there.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import IO

STORAGE = 3
# pip's words for what the disk refused: EACCES, ENOSPC, EROFS, EDQUOT.
_STORAGE = re.compile(r"\[Errno (13|28|30|122)\] (.*)")
# -I, so that a PYTHONPATH meant for the user's own programs does not change ours.
_PROGRAM = '#!/bin/sh\nexec {python} -I {script} "$@"\n'


class SetUpError(Exception):
    """The environment cannot be made; the message says why."""


def main() -> int:
    """The command line."""
    carried, environment = (Path(argument) for argument in sys.argv[1:])
    try:
        environment.parent.mkdir(parents=True, exist_ok=True)
        with environment.with_name(f"{environment.name}.lock").open("w") as lock:
            take(lock)
            if not (environment / "dap-dotnet").exists():
                make(carried, environment, lock)
                remove_others(environment)
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or environment}: {error.strerror or error}", file=sys.stderr)
        return STORAGE
    return 0


def say(text: str) -> None:
    """A line for the user."""
    print(f"\N{BULLET} {text}", flush=True)


def take(lock: IO[str]) -> None:
    """Wait until no other call works on this environment. The kernel lets go of the lock of a killed one."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Waiting for another window, which is setting it up")
        fcntl.flock(lock, fcntl.LOCK_EX)


def make(carried: Path, environment: Path, lock: IO[str]) -> None:
    """Make the environment, whatever an earlier call has left there."""
    contents = json.loads((carried / "contents.json").read_text(encoding="utf-8"))
    check_glibc(contents["glibc"])
    say("Making an environment for it")
    venv.EnvBuilder(clear=True, symlinks=True).create(environment)
    python = environment / "bin" / "python"
    say("Installing it")
    (pip,) = carried.glob("pip-*.whl")
    options = ["--isolated", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--no-warn-script-location"]
    source = ["--no-index", "--find-links", str(carried), "--only-binary=:all:"]
    # The lock goes along: a pip that outlives us is waited for, too.
    with subprocess.Popen(
        [str(python), "-I", f"{pip}/pip", "install", *options, *source, contents["requirement"]],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={**os.environ, "PIP_CONFIG_FILE": os.devnull}, cwd=environment, pass_fds=(lock.fileno(),),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        last = ""
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
            if refused := _STORAGE.search(line):
                raise OSError(int(refused[1]), refused[2].strip(), str(environment))
    if process.returncode != 0:
        raise SetUpError(last or f"pip ended with exit code {process.returncode}")
    program = environment / "dap-dotnet"
    draft = environment / "dap-dotnet.new"
    script = environment / "bin" / "dap-dotnet"
    draft.write_text(_PROGRAM.format(python=shlex.quote(str(python)), script=shlex.quote(str(script))))
    draft.chmod(0o755)
    draft.replace(program)


def check_glibc(needed: str) -> None:
    """Raise SetUpError where the system's C library is older than the wheels ask for, which pip would not say."""
    name = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else None
    has = name.split()[-1] if name else ""
    if not has or [int(part) for part in has.split(".")] < [int(part) for part in needed.split(".")]:
        raise SetUpError(
            f"it needs glibc {needed} or later, and this system has {has or 'another C library'}. "
            "Build dap-dotnet here from its sources, and set dap-dotnet.adapterPath to it"
        )


def remove_others(environment: Path) -> None:
    """Remove the environments of other versions, except those in which a debugger runs: another window may be older."""
    commands = [command for process in Path("/proc").glob("[0-9]*") if (command := command_line(process))]
    for lock in environment.parent.glob("*.lock"):
        other = lock.with_suffix("")
        if other != environment and not any(os.fsencode(f"{other}/") in command for command in commands):
            shutil.rmtree(other, ignore_errors=True)
            lock.unlink(missing_ok=True)


def command_line(process: Path) -> bytes:
    """The command line of a process; empty when it has ended."""
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    sys.exit(main())
