"""Compares the corpus of expressions (tests/support/corpus.py) and says how often the debugger is right.

Usage: expression_corpus.py [--classify] [--record] [--only CATEGORY] [--runtime RELEASE] [--details]

`--classify` lets the compiler say anew what it refuses, and writes `refused.tsv`; `--record` writes `known.txt` from
what differs. `--details` prints each difference.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from tests.support import corpus, dotnet, programs
from tests.support.dotnet import Runtime

ROUNDS = 12
"""The compiler does not say all at once: syntax, then types, then the flow of control, then what is emitted."""


def classify(runtime: Runtime) -> list[corpus.Expression]:
    """The whole corpus with the compiler's codes; the source of the last round is printed where it stays invalid."""
    valid = list(corpus.candidates())
    refused: list[tuple[corpus.Expression, str]] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            text, numbers = corpus.source(valid)
            try:
                corpus.build(valid, runtime, Path(folder))
                break
            except programs.BuildError as error:
                errors = re.findall(r"Program\.cs\((\d+),\d+\): error (CS\d+): (.*)", str(error))
                if not errors:
                    raise
        codes: dict[int, str] = {}
        for line, code, message in errors:
            if int(line) not in numbers:
                raise SystemExit(
                    f"{code} in the program itself, line {line}: {message}\n{text.splitlines()[int(line) - 1][:300]}"
                )
            codes.setdefault(numbers[int(line)], code)
            if "Tools.P" in message or "from 'void'" in message:
                print(f"refused because it is printed: {valid[numbers[int(line)]].text}: {code} {message}")
        refused += [(valid[number], code) for number, code in codes.items()]
        valid = [item for number, item in enumerate(valid) if number not in codes]
    else:
        raise SystemExit("the compiler has not come to an end")
    reasons = {item.key: code for item, code in refused}
    return [dataclasses.replace(item, code=reasons.get(item.key, "")) for item in corpus.candidates()]


def write_refused(items: list[corpus.Expression]) -> None:
    """Write what the compiler refuses as the list of that."""
    listed = sorted(f"{item.place}\t{item.code}\t{item.text}" for item in items if item.code)
    corpus.FOLDER.joinpath("refused.tsv").write_text("\n".join(listed) + "\n", encoding="utf-8")


def record(differences: list[corpus.Difference]) -> None:
    """Write what differs as the list of known differences."""
    text = ""
    for fault in corpus.FAULTS:
        lines = [
            f"{difference.expression.place}: {difference.expression.text}"
            for difference in differences
            if difference.fault == fault
        ]
        text += f"[{fault}]\n" + "".join(f"{line}\n" for line in lines) + "\n"
    corpus.FOLDER.joinpath("known.txt").write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classify", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--details", action="store_true")
    parser.add_argument("--only", default="", help="of categories with this in their names")
    parser.add_argument("--runtime", default="", help="such as 8.0; the newest without it")
    options = parser.parse_args()
    runtime = [item for item in dotnet.find().runtimes if options.runtime in ("", item.major)][-1]
    # Older releases have other overloads.
    items = classify(runtime) if options.classify or options.runtime else corpus.expressions()
    if options.classify:
        write_refused(items)
    items = [item for item in items if options.only in item.category]
    with tempfile.TemporaryDirectory() as folder:
        differences, right = corpus.differences(items, runtime, Path(folder), watches=True)
    if options.record:
        record(differences)
    if options.details:
        for difference in differences:
            print(
                f"{difference.fault}\t{difference.expression.category}\t{difference.expression.place}\t{difference.expression.text}\t{difference.details}"
            )
    total = Counter(item.category for item in items)
    for category, count in total.items():
        faults = Counter(difference.fault for difference in differences if difference.expression.category == category)
        described = ", ".join(f"{number} {fault}" for fault, number in faults.most_common())
        print(f"{category:45} {right[category]:5} of {count:5}  {described}")
    refused = sum(1 for item in items if item.code)
    print(f"{len(items) - refused} valid, {refused} refused by the compiler; {sum(right.values())} right")
    for fault, count in Counter(difference.fault for difference in differences).most_common():
        print(f"{count:5} {fault}")


if __name__ == "__main__":
    main()
