"""Expressions, compared: what the program that the compiler has made of them prints, and what the debugger gives.

`differential/NAME.cs.in` of the tests of evaluation is the program, with `//PRINT` where each expression of
`differential/NAME.txt` is printed, and a marker `@here` behind that. A line `EXPRESSION ## WORDS` is refused with them.
"""

from __future__ import annotations

from pathlib import Path

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.paths import REPOSITORY
from tests.support.session import Session

FOLDER = REPOSITORY / "tests" / "e2e" / "evaluation" / "differential"
SHOWN_TYPES = frozenset({
    "int", "uint", "long", "ulong", "short", "ushort", "byte", "sbyte", "char", "float", "double", "decimal", "nint",
    "nuint", "string", "bool",
})  # fmt: skip
"""Types that the program prints as the debugger shows them; of others the values are compared."""


def differences(
    name: str,
    runtime: Runtime,
    session: Session,
    folder: Path,
    *,
    has_nullables: bool = False,
    listed: str | None = None,
    together: int = 1,
    step: int = 1,
) -> list[str]:
    """A line for each expression that is not alike; the session stays at the marker. The program is built in `folder`.

    `listed`: the list of expressions, where that is not of the program's own name. `has_nullables`: some expressions
    are nullable, for which the program prints the type of what they hold. `together`: so many expressions are evaluated
    as one tuple where that has a value, for each evaluation that waits for other threads holds them for seconds first.
    `step` 4 takes every fourth one.
    """
    lines = FOLDER.joinpath(f"{listed or name.lower()}.txt").read_text(encoding="utf-8").splitlines()
    refused = {text: words for text, _, words in (line.partition(" ## ") for line in lines) if words}
    expressions = [line for line in lines if " ## " not in line][::step]
    source = folder / name / "Program.cs"
    source.parent.mkdir()
    prints = "\n".join(
        f"{{ try {{ P({number}, {text}); }} catch (Exception e__) {{ E({number}, e__); }} }}"
        for number, text in enumerate(expressions)
    )
    template = FOLDER.joinpath(f"{name}.cs.in").read_text(encoding="utf-8")
    source.write_text(template.replace("//PRINT", prints), encoding="utf-8")
    program = programs.build(source.parent, runtime)
    line = markers.line_of(source, "here")
    session.launch(str(program.dll), breakpoints={str(source): [line]}, env=dict(program.env))
    session.wait_for_stop()
    session.wait_for_output("@END")
    printed = dict(text[1:].partition("\t")[::2] for text in session.output().splitlines() if text.startswith("@"))
    frame = session.stack(count=1)[0].id
    wrong = []
    given = _of_tuples(session, expressions, frame, together) if together > 1 else {}
    for number, expression in enumerate(expressions):
        value, _, kind = printed[str(number)].rpartition("\t")
        kinds = (kind, f"{kind}?") if has_nullables else (kind,)
        try:
            result, result_type = given.get(number) or _one(session, expression, frame)
            is_same = result == value and (kind not in SHOWN_TYPES or result_type in kinds)
            shown = f"{result} ({result_type})"
        except DapRequestError as error:
            is_same, shown = value.startswith("!") and value[1:] in error.text, error.text
        if not is_same:
            wrong.append(f"{expression}: {value} ({kind}), evaluated {shown}")
    for expression, words in refused.items():
        try:
            wrong.append(f"{expression}: {words}, evaluated {session.evaluate(expression, frame).result}")
        except DapRequestError as error:
            if words not in error.text:
                wrong.append(f"{expression}: {words}, refused: {error.text}")
    return wrong


def _one(session: Session, expression: str, frame: int) -> tuple[str, str | None]:
    found = session.evaluate(expression, frame)
    return found.result, found.type


def _of_tuples(session: Session, expressions: list[str], frame: int, count: int) -> dict[int, tuple[str, str | None]]:
    """By their numbers the expressions that have values as elements of tuples: as they are shown, and their types."""
    found: dict[int, tuple[str, str | None]] = {}
    for start in range(0, len(expressions), count):
        part = expressions[start : start + count]
        try:
            whole = session.evaluate(f"({', '.join(part)})", frame)
        except DapRequestError:
            continue
        items = session.variables(whole.variables_reference)[: len(part)]
        found.update((start + place, (item.value, item.type)) for place, item in enumerate(items))
    return found
