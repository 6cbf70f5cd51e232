"""Two ways of working, for a host to offer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt. `arguments` are names with descriptions; `text` has them in braces."""

    name: str
    description: str
    arguments: dict[str, str]
    text: str

    def filled(self, values: dict[str, str]) -> str:
        """The text with values for the arguments."""
        text = self.text
        for name in self.arguments:
            text = text.replace("{" + name + "}", values.get(name, ""))
        return text


PROMPTS = (
    Prompt(
        "find_why_test_fails",
        "Find why a test fails, with the debugger.",
        {
            "project": "The project of the test, or its built .dll.",
            "test": "The test: its name, or a part of it.",
        },
        """\
Find why this test fails: {test}

Work with the debugger's tools, and change no source before you know the reason.
1. debug_launch_test {project} with filter "FullyQualifiedName~{test}" and exceptions [{"filter": "all"}], so that it
   stops where the failure is thrown.
2. Each stop has source, locals and frames. Read them first; is it the failure, or one that is handled?
3. Go up the stack (stack_get, variables_get with frame) to the first frame where a value is wrong.
4. Say which value is wrong and what it should be. Then find who made it wrong: breakpoint_set with a condition, or on
   the field that has it, debug_restart, execution_continue.
5. If a breakpoint is not hit, ask breakpoint_explain before you try another.
6. Tell the cause in two sentences with file and line, the evidence (values that you saw), and the smallest correction.
   debug_disconnect at the end.
""",
    ),
    Prompt(
        "find_who_changes_field",
        "Find what changes a field, and when.",
        {"program": "The built program, a .dll.", "field": "The field: Namespace.Type.Field."},
        """\
Find every place that changes the field {field} of {program}.

1. debug_launch the program with breakpoints [{"field": "{field}"}].
2. Each stop is one change, with its old and its new value; the frame that stored it is on top. Note function, line,
   both values and the caller; then execution_continue.
3. If there are many, replace it (breakpoint_remove, breakpoint_set) by one with log_text "{field}" or a condition, let
   the program run, and read timeline_get.
4. breakpoint_explain names the ways in which the field could change unseen: tell those too.
5. Answer with a table: function, file and line, caller, old -> new, how often. debug_disconnect at the end.
""",
    ),
)
"""What the server offers."""
