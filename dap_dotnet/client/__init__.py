"""A client of the Debug Adapter Protocol for Python programs: tests, benchmarks, `dap-dotnet run`.

::

    from dap_dotnet.client import DapClient, adapter_command

    with DapClient.spawn(adapter_command()) as client:
        client.launch("bin/Debug/net8.0/Hello.dll", breakpoints={"/src/Hello/Program.cs": [12]})
        stop = client.wait_for_stop()
        print(client.stack()[0].name, client.locals()["i"].value, client.evaluate("i + 1").result)
        client.continue_()
        print(client.wait_for_exit())
"""

from dap_dotnet.client.adapter import adapter_command
from dap_dotnet.client.connection import Connection, DapEvent, PendingResponse, RecordedMessage
from dap_dotnet.client.debugging import DapClient, Stop
from dap_dotnet.client.errors import AdapterGoneError, ClientError, DapRequestError, DapTimeoutError, ProgramEndedError

__all__ = [
    "AdapterGoneError",
    "ClientError",
    "Connection",
    "DapClient",
    "DapEvent",
    "DapRequestError",
    "DapTimeoutError",
    "PendingResponse",
    "ProgramEndedError",
    "RecordedMessage",
    "Stop",
    "adapter_command",
]
