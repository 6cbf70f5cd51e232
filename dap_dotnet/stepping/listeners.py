"""Who hears of what a step does, besides the plans that decide on it."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.stepping.return_values import ReturnValues
from dap_dotnet.stepping.skip_notes import SkipNotes
from dap_dotnet.stepping.story import StepStory
from dap_dotnet.symbols.modules import ModuleCatalog


class Listeners:
    """Those of all steps of a session. Session thread only."""

    def __init__(self, modules: ModuleCatalog, report: Callable[[str], None]) -> None:
        """`report` gives the user a line."""
        self.notes = SkipNotes(report)
        self.story = StepStory(modules)
        """What the last step did."""
        self.returns = ReturnValues()
        """What the calls of the statement have returned that was stepped over last, or out to."""
