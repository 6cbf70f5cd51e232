"""A client that does not read: the program goes on, and no line of a log point is lost."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import pytest

from dap_dotnet.client import DapClient
from dap_dotnet.protocol.transport import ByteReader
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Place, adapter_program

pytestmark = pytest.mark.e2e

DEADLINE_S = 60.0
ROUNDS = 1000
LENGTH = 1000
"""Characters of a line: all lines together are many times what a pipe holds."""
QUIET = {"DOTNET_TieredCompilation": "0", "COMPlus_TieredCompilation": "0"}
"""The events of modules and threads wait for the client, and the program for them: none is to come behind the gate."""
SOURCE = """\
using System.IO;

class Program
{
    static int Main(string[] args)
    {
        File.WriteAllText(args[0] + "-first", ""); // loads all that the end needs
        for (int i = 0; i < 1000; i++)
        {
            Step(i); // @step
        }
        File.WriteAllText(args[0], "done");
        return 0;
    }

    static void Step(int i)
    {
    }
}
"""


class GatedReader:
    """Reads as long as the gate is open."""

    def __init__(self, stream: ByteReader) -> None:
        self._stream = stream
        self.gate = threading.Event()
        self.gate.set()

    def read(self, size: int, /) -> bytes | None:
        """See `ByteReader.read`."""
        self.gate.wait()
        return self._stream.read(size)


def test_program_ends_while_the_client_does_not_read(newest_runtime: Runtime, tmp_path: Path) -> None:
    folder = tmp_path / "Chatty"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text(SOURCE)
    program = programs.build(folder, newest_runtime)
    done = tmp_path / "done"
    logging = {"line": markers.line_of(source, "step"), "logMessage": "{i} " + "x" * LENGTH}
    with (
        Place() as place,
        subprocess.Popen(
            [adapter_program()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=place.environment
        ) as adapter,
    ):
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        reader = GatedReader(adapter.stdout)
        with DapClient(reader, adapter.stdin, timeout_s=DEADLINE_S) as client:
            try:
                client.launch(
                    str(program.dll), [str(done)], env={**program.env, **QUIET}, breakpoints={str(source): [logging]}
                )
                client.wait_for("output")
                reader.gate.clear()
                deadline = time.monotonic() + DEADLINE_S
                while not done.exists():
                    assert time.monotonic() < deadline, "the program waits for the client"
                    time.sleep(0.02)
            finally:
                reader.gate.set()
            assert client.wait_for_exit() == 0
            lines = "".join(
                body["output"] for body in client.events("output") if body.get("category") == "console"
            ).splitlines()
            assert [line.partition(" ")[0] for line in lines] == [str(number) for number in range(ROUNDS)]
        adapter.stdin.close()
