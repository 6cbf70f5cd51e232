"""`autoAttachChildProcesses` and the sessions that it leads to, as the client sees them."""

from __future__ import annotations

from tests.session.harness import SessionUnderTest
from tests.support.fake_debuggee.machine import Machine
from tests.support.fake_debuggee.sample import PROCESS_ID


def test_client_without_further_sessions_reads_so_and_children_run_free():
    with SessionUnderTest(lambda machine: None) as session:
        session.launch(autoAttachChildProcesses=True)
        session.client.wait_for("output", where=lambda body: "cannot start further sessions" in body["output"])
        session.client.wait_for_exit()
    assert session.backend.spec is not None
    assert "DOTNET_DiagnosticPorts" not in session.backend.spec.environment


def test_child_waits_at_its_start_for_the_clients_breakpoints():
    began: list[str] = []

    def program(machine: Machine) -> None:
        began.append("Main")

    with SessionUnderTest(program) as session:
        starting = session.client.start("attach", {"processId": PROCESS_ID, "diagnosticPort": "/tmp/port"})
        starting.result()
        session.client.wait_for("module", where=lambda body: body["module"]["name"].startswith("Sample"))
        session.client.request("threads")
        assert (session.backend.port, began) == ("/tmp/port", [])
        session.client.configuration_done()
        session.client.wait_for_exit()
    assert began == ["Main"]
