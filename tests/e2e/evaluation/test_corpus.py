"""Thousands of expressions over all operators, types, patterns, queries and places mean what the compiler says.

What does not yet is listed in `corpus/known.txt`, a list that only shrinks: the test fails where an expression differs
that is not in it, and where one in it is right. `scripts/expression_corpus.py --record` writes it anew, and says how
many are right. Every fourth expression is evaluated, and all of them with ``DAP_DOTNET_TEST_LONG=1``.
"""

from __future__ import annotations

import os

import pytest

from tests.support import corpus
from tests.support.dotnet import Runtime
from tests.support.paths import CACHE

LONG = os.environ.get("DAP_DOTNET_TEST_LONG") == "1"
STEP = 1 if LONG else 4
PARTS = {"captured": ("captured",), "plain": ("plain",), "others": (), "effects": ("effects",)}
"""The places of each; `others` has those that no other part has. They take about as long as each other."""
FIRST_OF_CSHARP_14 = 10
LEAST_VALID = 3_000
LEAST_REFUSED = 400


@pytest.mark.e2e
@pytest.mark.timeout(600 if LONG else 120)
@pytest.mark.parametrize("part", list(PARTS))
def test_expressions_mean_what_the_compiler_says(newest_runtime: Runtime, part: str) -> None:
    """Values, types, refusals, the program's state, and neither writes nor calls where none are needed."""
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    taken = {place_name for places in PARTS.values() for place_name in places}
    items = [
        item
        for item in corpus.expressions()[::STEP]
        if (item.place in PARTS[part] if PARTS[part] else item.place not in taken)
    ]
    differences, _ = corpus.differences(items, newest_runtime, CACHE / "corpus" / part, watches=LONG)
    evaluated = {item.key for item in items}
    known = {entry for entry in corpus.known() if entry[1:] in evaluated}
    differing = {(item.fault, *item.expression.key): item.details for item in differences}
    new = [f"{' | '.join(entry)}: {details}" for entry, details in differing.items() if entry not in known]
    right = [f"{' | '.join(entry)} is right now: take it off known.txt" for entry in known - differing.keys()]
    assert not new + sorted(right), "\n".join(new + sorted(right))


def test_lists_are_of_the_corpus_that_there_is() -> None:
    """What the lists name exists, and the corpus is not one of a few expressions."""
    items = corpus.expressions()
    refused = [item for item in items if item.code]
    assert len(refused) == len(corpus.FOLDER.joinpath("refused.tsv").read_text(encoding="utf-8").splitlines())
    assert len(refused) >= LEAST_REFUSED
    assert len(items) - len(refused) >= LEAST_VALID
    keys = {item.key for item in items}
    assert not [entry for entry in corpus.known() if entry[1:] not in keys]
