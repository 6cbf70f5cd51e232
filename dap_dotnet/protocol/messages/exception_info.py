"""Information on the exception that a thread stopped for."""

from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.breakpoints import ExceptionBreakMode


class ExceptionInfoArguments(WireModel):
    """The thread that stopped for an exception."""

    thread_id: int


class ExceptionDetails(WireModel):
    """An exception and its inner ones."""

    message: str | None = None
    type_name: str | None = None
    full_type_name: str | None = None
    evaluate_name: str | None = None
    stack_trace: str | None = None
    inner_exception: "list[ExceptionDetails] | None" = None


class ExceptionInfoResponseBody(WireModel):
    """The exception that the thread stopped for."""

    exception_id: str
    description: str | None = None
    break_mode: ExceptionBreakMode
    details: ExceptionDetails | None = None
