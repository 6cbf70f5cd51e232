"""A step on its way out of the library's code that takes a result, to the method that the library does that for."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.stepping.plan import Decision, Layer, News, Pass, StepEvent, StepPlan
from dap_dotnet.values.context import Program


class OutOfResultTaker(StepPlan):
    """Stop in the midst of the statement that waits for the result."""

    layer = Layer.LANDING

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return news is News.LANDED

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        return Pass(News.IN_WAITER)
