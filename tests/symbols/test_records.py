"""Records are what `typing.NamedTuple` would make of the same declarations."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from typing import Any

import pytest

from portablepdb.records import Record


class Point(Record):
    """A place."""

    x: int
    y: int
    name: str = ""

    def moved(self, by: int) -> Point:
        """The same place, moved."""
        return self._replace(x=self.x + by)


class Named(Point):
    """Of a class that is derived from a record."""

    note = "derived"


class _Theirs(typing.NamedTuple):
    """A place."""

    x: int
    y: int
    name: str = ""


_Theirs.__name__ = "Point"


def test_record_is_a_tuple_with_names() -> None:
    point = Point(1, 2)
    assert isinstance(point, tuple)
    assert point == (1, 2, "") == _Theirs(1, 2)
    assert hash(point) == hash((1, 2, ""))
    assert (point.x, point[1], point.name) == (1, 2, "")
    assert repr(point) == repr(_Theirs(1, 2))
    x, *rest = point
    assert (x, rest) == (1, [2, ""])
    assert point.moved(3) == (4, 2, "")
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        point.z = 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("member", ["_fields", "_field_defaults", "__match_args__", "__doc__"])
def test_record_says_what_it_has(member: str) -> None:
    assert getattr(Point, member) == getattr(_Theirs, member)
    ours, theirs = (inspect.signature(one).parameters.values() for one in (Point, _Theirs))
    assert [(one.name, one.default, one.kind) for one in ours] == [(one.name, one.default, one.kind) for one in theirs]
    assert [one.annotation for one in ours] == ["int", "int", "str"]
    assert inspect.getdoc(Point.y) == "Alias for field number 1"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((1, 2, "a"), {}),
        ((1,), {"y": 2}),
        ((), {"name": "b", "x": 1, "y": 2}),
        ((1, 2), {}),
        ((1,), {"y": 2, "name": ""}),
    ],
)
def test_values_come_by_position_and_by_name(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    assert Point(*values, **named) == _Theirs(*values, **named)


@pytest.mark.parametrize(
    ("values", "named", "problem"),
    [
        ((1,), {}, "Point lacks a value for 'y'"),
        ((1, 2, "a", 4), {}, "Point takes 3 values, not 4"),
        ((1, 2), {"x": 1}, "Point has more than one value for 'x'"),
        ((1, 2), {"z": 1}, "Point has no field 'z'"),
    ],
)
def test_wrong_values_are_refused(values: tuple[Any, ...], named: dict[str, Any], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        Point(*values, **named)
    with pytest.raises(TypeError):
        _Theirs(*values, **named)


def test_record_is_made_of_a_sequence_and_of_another() -> None:
    assert Point._make([1, 2, "a"]) == Point(1, 2, "a")
    with pytest.raises(TypeError, match="takes 3 values, not 1"):
        Point._make([1])
    assert Point(1, 2)._asdict() == {"x": 1, "y": 2, "name": ""}
    with pytest.raises(TypeError, match="no field 'z'"):
        Point(1, 2)._replace(z=1)  # type: ignore[call-arg]


def test_record_is_copied_and_pickled() -> None:
    for made in (copy.copy(Point(1, 2)), copy.deepcopy(Point(1, 2)), pickle.loads(pickle.dumps(Point(1, 2)))):
        assert (type(made), made) == (Point, (1, 2, ""))


def test_record_is_matched() -> None:
    match Point(1, 2):
        case Point(x, y=2):
            assert x == 1
        case _:
            pytest.fail("not matched")


def test_class_derived_from_a_record_has_its_fields() -> None:
    named = Named(1, 2)
    assert (type(named), named.note, named.x, named._fields) == (Named, "derived", 1, ("x", "y", "name"))
