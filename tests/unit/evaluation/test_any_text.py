"""Any text as an expression: a value or an error in words, soon. The texts are those of a grammar, then noise."""

from __future__ import annotations

import contextlib
import random

import pytest

from dap_dotnet.errors import DapDotnetError
from tests.support.work import counted
from tests.unit.evaluation.fakes import FakeCaller, World

LEAVES = [
    "limit",
    "numbers",
    "words",
    "node",
    "node.Next",
    "1",
    "2.5",
    "'c'",
    '"s"',
    "null",
    "true",
    "$exception",
    "$1",
    "$tid",
    "this",
    "base",
    "nobody",
    "App.Node",
    "int",
    "default",
    "numbers[0]",
    "1m",
    "uint.MaxValue",
    "_",
]
FORMS = [
    "§ + §",
    "§ == §",
    "§ ?? §",
    "§ && §",
    "§ << §",
    "§..§",
    "(§)",
    "-§",
    "^§",
    "§.Value",
    "§?.Value",
    "§!.Next",
    "§.Where(x => §)",
    "§.Count()",
    "§[§]",
    "§(§)",
    "§ ? § : §",
    '$"{§}"',
    "new { A = §, § }",
    "new[] { §, § }",
    "new App.Node { Value = § }",
    "from x in § where § select §",
    "from x in § group § by § into z orderby § select §",
    "from x in § let y = § select §",
    "from x in § join y in § on § equals § into z select §",
    "§ switch { § => §, _ => § }",
    "(§, §)",
    "§ = §",
    "§ += §",
    "§++",
    "x => §",
    "(int)(§)",
    "§ is int n && n > §",
    "§ is { Value: § }",
    "typeof(§)",
    "nameof(§)",
    "checked(§)",
    "new int[§]",
    "§[§..§]",
    "[§, ..§]",
    "§ with { Value = § }",
    "M(out var x, ref §)",
    "x => { return §; }",
    "await §",
]
NOISE = "abc019.,;:()[]{}<>+-*/%&|^!~?='\"$@#\\ \n\tλ\u01c2\u2028\x00_"
MOST_CALLS = 4_000_000


def made(chance: random.Random, depth: int) -> str:
    """A text of the grammar."""
    if depth <= 0:
        return chance.choice(LEAVES)
    head, *rest = chance.choice(FORMS).split("§")
    return head + "".join(made(chance, depth - 1 - chance.randrange(2)) + part for part in rest)


def spoiled(chance: random.Random, text: str) -> str:
    """A text with a mistake in it."""
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(NOISE) + text[place + chance.randrange(3) :]


def noise(chance: random.Random) -> str:
    return "".join(chance.choice(NOISE) for _ in range(chance.randrange(1, 60)))


@pytest.mark.parametrize("seed", range(2))
def test_any_text_is_answered_soon(seed: int) -> None:
    world, chance = World(), random.Random(seed)
    world.local("limit", world.scalar("int", 2))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (3, 1, 4)]))
    world.local("words", world.array("string", [world.text("one")]))
    node = world.type("App.Node")
    world.field(node, "Value", "int")
    world.field(node, "Next", node)
    world.local("node", world.new(node, Value=world.scalar("int", 3)))
    for number in range(250):
        text = made(chance, chance.randrange(1, 5))
        text = (text, text, spoiled(chance, text), noise(chance))[number % 4]
        with counted() as work:
            try:
                world.evaluate(text, FakeCaller(world) if number % 3 else None)
            except DapDotnetError:
                pass
            except Exception as error:
                raise AssertionError(text) from error
        assert work.calls < MOST_CALLS, text


DEEP = (
    *("(" * 90 + "1" + ")" * 90, "!" * 150 + "true", "-" * 99 + "1", "a" + ".b" * 2000, "1" + "+1" * 3000, "[" * 5000),
    *("x => " * 60 + "1", "from x in y select " * 60 + "1", "new { A = " * 60 + "1" + "}" * 60, "(int)" * 150 + "1"),
    *("a ? " * 90 + "1" + ": 1" * 90, '$"{' * 30 + "1" + '}"' * 30, "a<" * 399),
    *("\x00", "\ud800", "𐐀", "@", "$", "$$", "\\u0041"),
)


@pytest.mark.parametrize("text", DEEP)
def test_deep_or_odd_text_is_answered_soon(text: str) -> None:
    with counted() as work, contextlib.suppress(DapDotnetError):
        World().evaluate(text, None)
    assert work.calls < MOST_CALLS
