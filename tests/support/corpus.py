"""The corpus of expressions: what the compiler and the program make of each, and what the debugger does.

`tests/e2e/evaluation/corpus` has the program, with `//PRINT PLACE` where the expressions of a place are printed and
a marker `@PLACE` behind that, and the expressions, in sections of the files of `expressions`:

    [CATEGORY @PLACE FLAGS]
    $name := ALTERNATIVE ; ALTERNATIVE
    EXPRESSION with $name
    3~ EXPRESSION of which every third is taken
    c~ EXPRESSION that may need function evaluations, where its section needs none

Each `$name` stands for all its alternatives, independently; a file's definitions are its own. Flags: `calls`:
function evaluations may be needed; `state`: what is left of the program is compared, too, and made anew; `void`: there
is no value. Expressions that the compiler refuses are listed in `refused.tsv` with its code, and what is not
as it should be in `known.txt`. `scripts/expression_corpus.py` writes both.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dap_dotnet.client import DapClient, DapRequestError
from tests.support import markers, programs
from tests.support.counted_debuggee import CountedAdapter
from tests.support.dotnet import Runtime
from tests.support.paths import REPOSITORY
from tests.support.programs import Program

FOLDER = REPOSITORY / "tests" / "e2e" / "evaluation" / "corpus"
SAID = {
    "System.NullReferenceException": "Object reference not set to an instance of an object",
    "Microsoft.CSharp.RuntimeBinder.RuntimeBinderException": "error CS",
}
"""What the debugger says where it throws no exception itself: these it foresees."""
LATE = frozenset({"CS0021", "CS1061"})
"""Why the compiler refuses what the debugger may look for in the actual type: no such indexer, no such member."""
FLAGS = frozenset({"calls", "state", "void"})
FAULTS = (
    "false value", "value where C# throws", "another exception", "wrong type", "wrong static type",
    "refused though valid", "accepted though invalid", "program state differs", "needless write", "needless call",
)  # fmt: skip
"""In which ways the debugger differs."""
RESETS = {
    "effects": "Reset()",
    "inst": "Reset()",
    "nested": "Reset()",
    "local": "Reset(ref i, ref k, ref n, ref s, ref pt, ref tup, ref c, ref nc, ref box, ref l, ref by, ref d)",
}
"""By places: gives the state as text and makes it anew."""


@dataclass(frozen=True)
class Expression:
    """One expression of the corpus. `code`: the compiler's reason to refuse it; empty where it is valid."""

    category: str
    place: str
    text: str
    flags: frozenset[str]
    code: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What names it in lists."""
        return self.place, self.text


@dataclass(frozen=True)
class Printed:
    """What the program prints of a valid expression; `value` "~" stands for any."""

    value: str
    type: str
    is_exact: bool
    actual_type: str
    state: str


@dataclass(frozen=True)
class Difference:
    """What the debugger does otherwise. `details` are for people."""

    fault: str
    expression: Expression
    details: str


def expressions() -> list[Expression]:
    """The corpus, in the order of its files, with the codes of what is refused."""
    codes = {}
    for line in FOLDER.joinpath("refused.tsv").read_text(encoding="utf-8").splitlines():
        place, code, text = line.split("\t", 2)
        codes[place, text] = code
    return [
        Expression(item.category, item.place, item.text, item.flags, codes.get(item.key, "")) for item in candidates()
    ]


def candidates() -> Iterator[Expression]:
    """All that the files stand for, each once, whether the compiler takes it or not."""
    seen = set()
    for path in sorted(FOLDER.joinpath("expressions").glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        definitions = (re.fullmatch(r"(\$\w+) := (.+)", line) for line in lines)
        alternatives = [(item[1], item[2].split(" ; ")) for item in definitions if item]
        by_name = dict(alternatives)
        assert len(by_name) == len(alternatives), f"{path.name} defines a name twice"
        category, place, flags = "", "", frozenset[str]()
        for line in lines:
            if header := re.fullmatch(r"\[(.+) @(\w+)((?: \w+)*)\]", line):
                category, place, flags = header[1], header[2], frozenset(header[3].split())
                assert flags <= FLAGS, line
            elif line and not re.match(r"# |\$\w+ := ", line):
                marked = re.fullmatch(r"(?:(\d+|c)~ )?(.+)", line)
                assert marked
                step = int(marked[1]) if marked[1] not in (None, "c") else 1
                own_flags = flags | {"calls"} if marked[1] == "c" else flags
                for text in itertools.islice(_expanded(marked[2], by_name), 0, None, step):
                    if (place, text) not in seen:
                        seen.add((place, text))
                        yield Expression(category, place, text, own_flags)


def _expanded(template: str, alternatives: dict[str, list[str]]) -> Iterator[str]:
    parts = re.split(r"(\$[a-z]\w*)", template)  # every second one is a name
    choices = [alternatives[part] if place % 2 else [part] for place, part in enumerate(parts)]
    return map("".join, itertools.product(*choices))


def source(items: Iterable[Expression]) -> tuple[str, dict[int, int]]:
    """The program that prints these expressions by their numbers, and the numbers by the source's lines (1-based)."""
    text = FOLDER.joinpath("Program.cs.in").read_text(encoding="utf-8")
    for mark in ("locals", "keep"):
        text = text.replace(f"//{mark.upper()}", FOLDER.joinpath(f"{mark}.txt").read_text(encoding="utf-8"))
    numbered: dict[str, list[tuple[int, Expression]]] = {}
    for number, item in enumerate(items):
        numbered.setdefault(item.place, []).append((number, item))
    lines: list[str] = []
    numbers = {}
    for line in text.splitlines():
        place = line.strip().removeprefix("//PRINT ")
        if place == line.strip():
            lines.append(line)
            continue
        lines.append(f"{RESETS[place]};" if place in RESETS else "")
        for number, item in numbered.pop(place, ()):
            numbers[len(lines) + 1] = number
            lines.append(_print(number, item))
    assert not numbered, f"no such places: {list(numbered)}"
    return "\n".join(lines) + "\n", numbers


def _print(number: int, item: Expression) -> str:
    what = f"{item.text}; V({number});" if "void" in item.flags else f"P({number}, {item.text});"
    state = f"S({number}, {RESETS[item.place]});" if "state" in item.flags else ""
    return f"{{ try {{ {what} }} catch (Exception e__) {{ E({number}, e__); }} {state} }}"


def differences(
    items: list[Expression], runtime: Runtime, folder: Path, *, watches: bool = False
) -> tuple[list[Difference], Counter[str]]:
    """What is not alike, and how many expressions were right by their categories. The programs are built in `folder`.

    `items` are compared in the order in which the program comes to their places. What is debugged prints nothing: each
    pattern that is printed takes slots of its method, and all are read for each expression. `watches`: expressions
    without side effects must leave the variables of their place as they were, or AssertionError says which they have
    not.
    """
    valid = [item for item in items if not item.code]
    done = build(valid, runtime, folder / "Printing").run()
    assert done.returncode == 0, done.stdout[-2000:].decode() + done.stderr.decode()
    program = build([], runtime, folder / "Corpus")
    path = program.source
    printed = _printed(done.stdout.decode().splitlines())
    by_key = {item.key: printed[number] for number, item in enumerate(valid)}
    by_place: dict[str, list[Expression]] = {}
    for item in items:
        by_place.setdefault(item.place, []).append(item)
    marks = {place: markers.line_of(path, place) for place in by_place}  # the program comes to each of them once
    result = []
    right: Counter[str] = Counter()
    with CountedAdapter() as adapter:
        adapter.client.launch(str(program.dll), breakpoints={str(path): sorted(marks.values())}, env=dict(program.env))
        for _ in marks:
            adapter.client.wait_for_stop()
            frame = adapter.client.stack(count=1)[0]
            place = next(place for place, line in marks.items() if line == frame.line)
            comparison = _Comparison(adapter, frame.id, RESETS.get(place, ""))
            before = _variables(adapter.client, frame.id) if watches and place not in RESETS else None
            for item in by_place[place]:
                differing = list(comparison.of(item, by_key.get(item.key)))
                result += differing
                right[item.category] += not differing
            if before is not None:
                after = _variables(adapter.client, frame.id)
                changed = [
                    (name, before[name], texts)
                    for name, texts in after.items()
                    if name not in before or not all(map(_is_same_text, before[name], texts))
                ]
                assert not changed, (place, changed)
            adapter.client.continue_()
        adapter.client.wait_for_exit()
    return result, right


def build(items: list[Expression], runtime: Runtime, folder: Path) -> Program:
    """The program that prints these expressions. Raises `programs.BuildError` where the compiler refuses one."""
    folder.mkdir(parents=True, exist_ok=True)
    text = source(items)[0]
    path = folder / "Program.cs"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return programs.build(folder, runtime)


def _is_same_text(one: str, other: str) -> bool:
    """Whether two texts are alike, as far as they are known."""
    return one == other or not one or not other


def _variables(client: DapClient, frame: int) -> dict[str, list[str]]:
    """The variables of a frame: their texts, and those of their elements.

    On a busy machine the time for a display may be over, and `{Type}` is shown: empty then.
    """
    texts = {}
    for name, item in client.locals(frame).items():
        inside = client.variables(item.variables_reference) if item.variables_reference else []
        shown = [item, *(child for child in inside if child.name.startswith("["))]
        texts[name] = [one.value if one.value != f"{{{one.type}}}" else "" for one in shown]
    return texts


class _Comparison:
    """The expressions of one place against what the program has printed."""

    def __init__(self, adapter: CountedAdapter, frame: int, reset: str) -> None:
        self._adapter = adapter
        self._frame = frame
        self._reset = reset
        self._state = ""
        if reset:
            self._evaluate(reset)
            self._state = self._evaluate(reset)[0]

    def of(self, item: Expression, printed: Printed | None) -> Iterator[Difference]:
        """How it differs; `printed` is None where the compiler refuses it."""
        self._adapter.counts.clear()
        refusal = ""
        try:
            value, type_name = self._evaluate(item.text)
            given = f"{value} ({type_name})"
        except DapRequestError as error:
            value, type_name = "", ""
            given = refusal = error.text
        writes, calls = self._adapter.writes, self._adapter.calls
        state = self._evaluate(self._reset)[0] if "state" in item.flags else self._state
        if printed is None:
            # What the static type does not have may be read from the actual type, but not change the program.
            if not refusal and (item.code not in LATE or state != self._state):
                yield Difference("accepted though invalid", item, f"{item.code}, evaluated {given}")
        else:
            expected = f"{printed.value} ({printed.type}, actually {printed.actual_type or 'null'})"
            different = _fault(printed, value, type_name, refusal)
            if different:
                yield Difference(different, item, f"{expected}, evaluated {given}")
            elif not printed.is_exact and not item.flags & {"state", "void"} and not refusal:
                shown = self._static_type(item.text)
                if shown != printed.type:
                    yield Difference("wrong static type", item, f"{printed.type}, evaluated {shown}")
        if "state" in item.flags:
            expected = self._state if printed is None else f'"{printed.state}"'
            if _unquoted(state) != _unquoted(expected) and (refusal or printed is not None):
                yield Difference("program state differs", item, _changed(expected, state))
        elif ("calls" not in item.flags and printed is not None) or (printed is None and refusal):
            if writes:
                yield Difference("needless write", item, given)
            if calls:
                yield Difference("needless call", item, given)

    def _evaluate(self, text: str) -> tuple[str, str]:
        answer = self._adapter.client.evaluate(text, self._frame)
        return answer.result, answer.type or ""

    def _static_type(self, text: str) -> str:
        try:
            return self._evaluate(f"TypeOf({text})")[0].strip('"')
        except DapRequestError as error:
            return error.text


def _fault(printed: Printed, value: str, type_name: str, refusal: str) -> str | None:
    if printed.value.startswith("!"):
        if not refusal:
            return "value where C# throws"
        said = SAID.get(printed.value[1:], printed.value[1:])
        return None if said in refusal else "another exception"
    if refusal:
        return "refused though valid"
    # On a busy machine the time for a call of ToString may be over: the type is shown then.
    if printed.value not in ("~", value) and not (printed.value.startswith("{") and value == f"{{{type_name}}}"):
        return "false value"
    if printed.type == "void":
        return None
    types = {printed.type} if printed.is_exact else {printed.type, printed.actual_type}
    return None if "<anonymous>" in types or _unnamed(type_name) in types else "wrong type"


def _unnamed(type_name: str) -> str:
    """A type as it is shown, without the names of tuples' elements."""
    return re.sub(r"(?<=[^,(]) \w+(?=[,)])", "", type_name)


def _changed(expected: str, state: str) -> str:
    """The parts of the program's state that differ."""
    pairs = itertools.zip_longest(_unquoted(expected).split(" | "), _unquoted(state).split(" | "))
    return "; ".join(f"{before!r} is {after!r}" for before, after in pairs if before != after)


def _unquoted(text: str) -> str:
    return text.replace("\\", "").replace('"', "")


def _printed(lines: list[str]) -> dict[int, Printed]:
    printed: dict[int, Printed] = {}
    for line in lines:
        if line.startswith("@"):
            number, value, type_name, actual = line[1:].split("\t")
            if type_name == "state":
                first = printed[int(number)]
                printed[int(number)] = Printed(first.value, first.type, first.is_exact, first.actual_type, value)
            else:
                printed[int(number)] = Printed(value, type_name.lstrip("~"), not type_name.startswith("~"), actual, "")
    return printed


def known() -> set[tuple[str, str, str]]:
    """The fault, the place and the expression of each known difference."""
    fault, listed = "", set()
    for line in FOLDER.joinpath("known.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line[1:-1] in FAULTS:
            fault = line[1:-1]
        elif line:
            place, _, text = line.partition(": ")
            listed.add((fault, place, text))
    return listed
