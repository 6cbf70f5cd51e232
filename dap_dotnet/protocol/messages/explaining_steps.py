"""What the last step did, and where it ended."""

from dap_dotnet.protocol.messages.base import WireModel


class ExplainStepArguments(WireModel):
    """None: it is the last step of the session."""


class PassedCode(WireModel):
    """Methods that the step passed by for one reason."""

    reason: str
    calls: int
    methods: list[str]
    """Their names, the first ones."""


class ExplainStepResponseBody(WireModel):
    """What the last step did. `text` is the whole explanation, for people."""

    text: str
    step: str
    """What was asked for, and where."""
    plans: list[str]
    """The plans that took part, in the order in which they came."""
    passed: list[PassedCode]
    end: str | None = None
    """Where it ended; null where something else has stopped the program."""
    why: str
    """Why it ended there, or nowhere."""
