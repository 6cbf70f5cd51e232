"""Steps as stories: what the runtime tells, and what becomes of the step, row by row."""

from __future__ import annotations

import pytest

from tests.unit.stepping.teller import GONE, STOPS, Row, tell

STORIES: dict[str, list[Row]] = {
    "over a statement": [
        ("step over", "Main@call", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "over a statement, which is still the same behind a call without source": [
        ("step over", "Main@print", "over"),
        ("over", "Library < Main@print~", "out"),
        ("out", "Main@print~", "over"),
        ("over", "Main@end", STOPS),
    ],
    "into a method of the user's": [
        ("step in", "Main@call", "into"),
        ("into", "Add@add < Main@call~", STOPS),
    ],
    "into code without source, and through it": [
        ("step in", "Main@print", "into"),
        ("into", "Library < Main@print~", "out"),
        ("out", "Main@print~", "into"),
        ("into", "Main@end", STOPS),
    ],
    "out of a method": [
        ("step out", "Add@added < Main@call~", "out"),
        ("out", "Main@call~", STOPS),
    ],
    "out of a method, past the handlers of its own call": [
        ("step out", "Add@add < Main@call~", "out"),
        ("out", "Add@added < Main@call~", "out"),
        ("out", "Deposit@deposit < Add@added < Main@call~", "out of #1"),
        ("out of #1", "Main@call~", STOPS),
    ],
    "from a call without source, the statement that has made it": [
        ("step over", "Library < Main@print~", "over all code"),
        ("over all code", "Main@print~", "over all code"),
        ("over all code", "Main@end", STOPS),
    ],
    "out of a delegate that a library runs, on into the next one": [
        ("step over", "Move@moved < Library", "over, at the return"),
        ("at the return", "Move@moved < Library", "into"),
        ("into", "Move@move < Library", STOPS),
    ],
    "a delegate's return in another call of it": [
        ("step over", "Move@moved < Library", "over, at the return"),
        ("at the return", "Move@moved < Library < Move@move~", "over, at the return"),
        ("over", "Move@move < Library", STOPS),
    ],
    "of an interrupted thread, once more from where it goes on": [
        ("step over", "Main@call~", "over, at the thread's place"),
        ("at the thread's place", "Main@call~", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "of an interrupted thread whose stepper was not lost": [
        ("step over", "Main@call~", "over, at the thread's place"),
        ("over", "Main@loop", STOPS),
    ],
    "into one call of the statement, out of the others": [
        ("step in Program.Add(int left, int right)", "Main@call", "into"),
        ("into", "Deposit@deposit < Main@call", "out"),
        ("out", "Main@call", "into"),
        ("into", "Add@add < Main@call~", STOPS),
    ],
    "into a call that the statement does not come to": [
        ("step in Program.Add(int left, int right)", "Main@call", "into"),
        ("into", "Main@loop", STOPS),
    ],
    "at an exception that nobody takes": [
        ("step over", "Main@call", "over"),
        ("unhandled", "Add@add < Main@call~", GONE),
    ],
    "at an exception that a handler in the method takes": [
        ("step over", "Main@call", "over"),
        ("caught", "Add@add < Main@call~", "over"),
        ("over", "Main@print", STOPS),
    ],
    "from a throw that nobody of the user's takes": [
        ("step at a throw", "Add@add < Main@call~", GONE),
        ("unhandled", "Add@add < Main@call~", GONE),
    ],
    "from a throw that other code takes": [
        ("step at a throw", "Add@add < Main@call~", GONE),
        ("caught", "Add@add < Main@call~", "over"),
        ("over", "Main@print", STOPS),
    ],
    "events of another thread": [
        ("step over", "Main@call", "over"),
        ("unhandled on another thread", "Main@call", "over"),
        ("caught on another thread", "Main@call", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "a stepper and a breakpoint that are nobody's": [
        ("step over", "Main@call", "over"),
        ("a stepper of nobody's", "Main@print", "over"),
        ("a breakpoint of nobody's", "Main@print", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "a thread that is gone in the midst of it": [
        ("step over", "Main@call", "over"),
        ("over", "", STOPS),
    ],
    "the module that is unloaded under it": [
        ("step over", "Main@call", "over"),
        ("its module is unloaded", "Main@call", "over"),
        ("over", "Main@loop", "out"),
        ("out", "", STOPS),
    ],
}


@pytest.mark.parametrize("story", STORIES)
def test_story_of_a_step(story: str) -> None:
    assert tell(STORIES[story]) == STORIES[story]
