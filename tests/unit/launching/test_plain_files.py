"""Files that a configuration names, and that are no files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.env_file import read_env_file
from dap_dotnet.launching.images import inspect_image
from dap_dotnet.launching.launch_settings import read_profile
from dap_dotnet.launching.output_copy import OutputCopy
from dap_dotnet.launching.plain_files import open_to_read, open_to_write
from dap_dotnet.launching.programs import resolve_program

LONG_NAME = "/" + "x" * 5000


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe that nobody writes to or reads."""
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.timeout(20)
def test_pipes_hold_nothing_up(pipe):
    for read in (read_env_file, lambda path: read_profile(path, None, {})):
        with pytest.raises(LaunchError, match="cannot be read: It is a pipe"):
            read(pipe)
    with pytest.raises(OSError, match="It is a pipe"):
        inspect_image(pipe)
    with pytest.raises(LaunchError, match="cannot be read: It is a pipe"):
        resolve_program(str(pipe), [], None, {})
    with pytest.raises(LaunchError, match="cannot be written: No such device"):
        OutputCopy(str(pipe), lambda event: None, pytest.fail)


@pytest.mark.timeout(20)
def test_pipe_that_somebody_reads_takes_the_output(pipe):
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_to_write(pipe) as file:
        assert os.get_blocking(file.fileno())
        file.write(b"text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)


def test_files_are_opened_as_ever(tmp_path):
    with open_to_write(tmp_path / "file") as file:
        file.write(b"text")
    with open_to_read(tmp_path / "file") as file:
        assert file.read() == b"text"
    with open_to_read(Path(os.devnull)) as file:
        assert file.read() == b""


def test_paths_that_no_system_call_takes():
    with pytest.raises(LaunchError, match="cannot be read: File name too long"):
        resolve_program(LONG_NAME, [], None, {})
    with pytest.raises(LaunchError):
        resolve_program("app.dll", [], LONG_NAME, {})
