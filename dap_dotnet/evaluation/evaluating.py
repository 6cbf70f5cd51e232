"""One evaluation from its start to its end, whoever asks for it."""

from __future__ import annotations

from types import TracebackType

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import Caller
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax.parser import locate
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.context import FrameContext


class Evaluation:
    """A context manager: its environment, where errors are in the text, and what stays remembered of the program."""

    __slots__ = ("env", "result", "text", "tree")

    def __init__(
        self, context: FrameContext, caller: Caller | None, text: str = "", tree: Node | None = None, *, may_store: bool
    ) -> None:
        """`caller` None forbids running code of the program; `may_store` False refuses assignments.

        `tree` is that of the text in which errors have their places; None: they are given without.
        """
        self.env = Environment(context, caller, METHOD_RUNNER)
        self.env.may_store = may_store
        self.text = text
        self.tree = tree
        self.result: Value | None = None
        """Its object stays remembered."""

    def __enter__(self) -> Evaluation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.env.release(self.result)
        if isinstance(error, RecursionError):
            raise EvaluationError("The expression nests too deeply to be evaluated here") from None
        if isinstance(error, EvaluationError) and self.tree is not None:
            locate(error, self.text, self.tree)
