"""Texts that the program would make in its culture, which is read; where it is not known there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dap_dotnet.errors import EvaluationError
from tests.support.fake_debuggee.values import Object
from tests.unit.evaluation.fakes import NUMBER_FORMAT_FIELDS, World


@pytest.fixture
def world() -> World:
    world = World()
    for name, of, value in (("half", "double", -0.5), ("large", "int", 1234567), ("small", "int", -3)):
        world.local(name, world.scalar(of, value))
    world.local("boxed", world.box(world.scalar("double", 1.5)))
    return world


def number_format(world: World, **changed: Any) -> Object:
    """The invariant culture's, but for some fields."""
    values: dict[str, Any] = {
        name: {"int": 2, "int[]": [3], "string": ","}[of] for name, of in NUMBER_FORMAT_FIELDS.items()
    }
    values |= {"_negativeSign": "-", "_positiveSign": "+", "_numberNegativePattern": 1, "_numberDecimalSeparator": "."}
    makers: dict[str, Callable[[Any], Any]] = {
        "int": lambda value: world.scalar("int", value),
        "int[]": lambda value: world.array("int", [world.scalar("int", size) for size in value]),
        "string": world.text,
    }
    values |= changed
    return world.new(
        world.number_format_type, **{name: makers[NUMBER_FORMAT_FIELDS[name]](value) for name, value in values.items()}
    )


def culture(world: World, info: Object | None, name: str = "", of: Any = None) -> Object:
    return world.new(of or world.culture_type, _name=world.text(name), _numInfo=info)


def european(world: World) -> Object:
    changed = {"_numberDecimalSeparator": ",", "_numberGroupSeparator": ".", "_negativeSign": "~"}
    return culture(world, number_format(world, **changed, _numberGroupSizes=[3, 2]))


@pytest.mark.parametrize("place", ["s_currentThreadCulture", "s_DefaultThreadCurrentCulture", "s_userDefaultCulture"])
def test_texts_have_the_separators_and_signs_of_the_current_culture(world: World, place: str) -> None:
    world.set_static(world.culture_type, place, european(world))
    assert world.show('$"{half}|{large:N1}|{small,4}"') == '"~0,5|12.34.567,0|  ~3"'
    assert world.show('"" + half + boxed') == '"~0,51,5"'
    assert world.show('half.ToString("F2") + small.ToString()') == '"~0,50~3"'
    assert world.show("(half, small).ToString()") == '"(~0,5, ~3)"'


@pytest.mark.parametrize("number", [5, -1])
def test_a_pattern_that_no_culture_has_leaves_the_text_to_the_program(world: World, number: int) -> None:
    damaged = culture(world, number_format(world, _numberNegativePattern=number))
    world.set_static(world.culture_type, "s_currentThreadCulture", damaged)
    with pytest.raises(EvaluationError):
        world.show('$"{small:N1}"')


def test_the_culture_of_the_thread_goes_before_that_of_all_threads(world: World) -> None:
    world.set_static(world.culture_type, "s_DefaultThreadCurrentCulture", european(world))
    world.set_static(world.culture_type, "s_currentThreadCulture", world.invariant_culture)
    assert world.show('$"{half}"') == '"-0.5"'


def test_numbers_as_values_are_those_of_csharp_in_any_culture(world: World) -> None:
    world.set_static(world.culture_type, "s_currentThreadCulture", european(world))
    assert (world.show("half"), world.show("boxed"), world.show("small")) == ("-0.5", "1.5", "-3")


def test_a_clone_of_the_invariant_culture_that_has_not_changed_is_invariant(world: World) -> None:
    world.set_static(world.culture_type, "s_currentThreadCulture", culture(world, None))
    assert world.show('$"{half}"') == '"-0.5"'


def test_a_culture_that_was_never_asked_for_its_format_is_left_to_the_program(world: World) -> None:
    world.set_static(world.culture_type, "s_currentThreadCulture", culture(world, None, "de-DE"))
    with pytest.raises(EvaluationError, match="The text of a value of type 'double' needs a call"):
        world.show('$"{half}"')
    assert world.show('$"{large}"') == '"1234567"'


def test_a_culture_of_a_class_of_its_own_is_left_to_the_program(world: World) -> None:
    own = world.type("App.Own", "System.Globalization.CultureInfo")
    world.set_static(world.culture_type, "s_currentThreadCulture", culture(world, number_format(world), of=own))
    with pytest.raises(EvaluationError, match="needs a call"):
        world.show('"" + small')


def test_a_pattern_that_is_not_known_is_left_to_the_program(world: World) -> None:
    changed = culture(world, number_format(world, _currencyNegativePattern=99))
    world.set_static(world.culture_type, "s_currentThreadCulture", changed)
    with pytest.raises(EvaluationError, match="needs a call"):
        world.show('"" + small')


def test_before_the_program_has_asked_only_the_invariant_mode_says_what_its_culture_is(world: World) -> None:
    world.set_static(world.culture_type, "s_userDefaultCulture", None)
    with pytest.raises(EvaluationError, match="needs a call"):
        world.show('$"{half}"')
    mode = world.type("System.Globalization.GlobalizationMode")
    world.field(mode, "<Invariant>k__BackingField", "bool", static=True)
    world.set_static(mode, "<Invariant>k__BackingField", world.scalar("bool", 1))
    assert world.show('$"{half}"') == '"-0.5"'


def test_the_invariant_culture_costs_one_read_for_all_texts_of_a_request(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = world.debuggee.static_fields
    monkeypatch.setattr(
        world.debuggee, "static_fields", lambda *given, **named: reads.append(1) or read(*given, **named)
    )
    assert world.show('$"{half}{half:F1}{small}" + half') == '"-0.5-0.5-3-0.5"'
    assert len(reads) == 1


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("App.Colour.Green.ToString()", '"Green"'),
        ('App.Colour.Green.ToString("d")', '"1"'),
        ('$"{(App.Colour)3:F}|{(App.Colour)3}|{(App.Colour)3:x}"', '"Green, Blue|3|00000003"'),
        ('$"{(App.Colour)(-1)}|{App.Colour.Red:D}"', '"-1|0"'),
    ],
)
def test_enum_texts_by_format(world: World, expression: str, shown: str) -> None:
    world.enum("App.Colour", Red=0, Green=1, Blue=2)
    assert world.show(expression) == shown


@pytest.mark.parametrize("expression", ['$"{App.Colour.Green:N2}"', '$"{App.Colour.Equal}"', '$"{(App.Colour)5:F}"'])
def test_enum_texts_that_only_the_program_can_tell_are_refused(world: World, expression: str) -> None:
    world.enum("App.Colour", Red=0, Green=1, Equal=1, Blue=2, Four=4)
    with pytest.raises(EvaluationError, match="needs a call"):
        world.show(expression)


def test_alignment_counts_utf16_units(world: World) -> None:
    world.local("face", world.text("\U0001f600"))
    assert world.show('$"{face,4}|{face,-3}|"') == '"  \U0001f600|\U0001f600 |"'


def test_alignment_and_format_of_what_takes_none(world: World) -> None:
    world.local("letter", world.scalar("char", ord("a")))
    world.local("yes", world.scalar("bool", 1))
    assert world.show('$"{letter,3:N2}{yes,-6:N2}|"') == '"  aTrue  |"'
