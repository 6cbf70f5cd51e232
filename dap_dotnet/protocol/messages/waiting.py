"""`dap-dotnet/waiting`: what the threads wait for."""

from typing import Literal

from dap_dotnet.protocol.messages.base import WireModel


class WaitingArguments(WireModel):
    """None: all threads are examined."""


class WaitingThread(WireModel):
    """A thread that waits, and for what."""

    thread_id: int
    thread_name: str
    kind: Literal[
        "enter",
        "pulse",
        "lock",
        "join",
        "task",
        "tasks",
        "event",
        "semaphore",
        "mutex",
        "handle",
        "readerWriterLock",
        "countdown",
        "barrier",
        "collection",
        "sleep",
    ]
    """To enter a monitor, in Monitor.Wait, to enter a System.Threading.Lock, for the end of a thread or a task…"""
    object: str | None = None
    """As a variables view shows it; None where there is none, and where it is not known."""
    type: str | None = None
    task: str | None = None
    """Of a task: the async methods and the await that it waits for, or what else it is."""
    owner_id: int | None = None
    """The thread that has it, is it, or runs it; None for nobody, and where that is not known."""
    owner_name: str | None = None
    acquisitions: int | None = None
    """How often the owner has entered it."""
    text: str
    """What it waits for, in words, with the owner."""
    place: str | None = None
    """The first method with source on the thread's stack, with its line."""


class WaitingResponseBody(WireModel):
    """The waiting threads, and the cycles of threads that wait for each other (deadlocks)."""

    waiting: list[WaitingThread]
    cycles: list[list[int]]
    text: str
    """All of it, for people."""
