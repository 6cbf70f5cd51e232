"""What a client sends that is not as the protocol says: taken for what it means, dropped, or refused.

`reading.read` states the rule; this module carries it out, for messages that need it only. It looks at the
places that pydantic's strict validation names, so that it knows nothing of any single model.
"""

from __future__ import annotations

import functools
import json
import logging
import math
import re
import typing
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

from pydantic import ValidationError

from dap_dotnet.protocol.messages.base import Needed, WireModel

if typing.TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

_log = logging.getLogger(__name__)
M = TypeVar("M", bound=WireModel)
Location = tuple[int | str, ...]

_ROUNDS = 4
"""A mended place may show what was wrong inside of it; nothing is nested deeper than this in requests."""
_LOGGED_UNKNOWN = 20
_INTEGER = re.compile(r"\s*[+-]?\d{1,19}\s*", re.ASCII)
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def mend(model: type[M], value: Any, name: str, error: ValidationError) -> M | list[ErrorDetails]:
    """Mend `value`, which `model` refused with `error`, in place, and read it; or what is needed and not understood."""
    for _ in range(_ROUNDS):
        if refused := _mend_places(model, value, name, error):
            return refused
        if not isinstance(value, dict):  # and its model can do without any members
            value = {}
        try:
            return model.model_validate(value, strict=True)
        except ValidationError as remaining:
            error = remaining
    return error.errors(include_url=False)


def unknown_members(model: type[WireModel], value: Any) -> Iterator[str]:
    """The paths of the first members that the model does not have."""
    return islice(_unknown(model, value, ""), _LOGGED_UNKNOWN)


def path_text(location: Location) -> str:
    """A place in a message as a client's programmer writes it: ``breakpoints[0].line``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def shown(value: Any) -> str:
    """A value as JSON, shortened."""
    try:
        # Long ones are cut before they are written: a body may have megabytes.
        text = json.dumps(value[:80] if isinstance(value, str | list) else value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value))
    return text if len(text) <= 80 else text[:79] + "…"


def _mend_places(model: type[WireModel], root: Any, name: str, error: ValidationError) -> list[ErrorDetails]:
    """Mend what was refused; the places that are needed and cannot be understood.

    Where a member may be of several types there is an error for each; any that can be mended counts for all.
    """
    details = error.errors(include_url=False)
    for detail in details:
        detail["loc"] = _place(root, detail)
    mended = [detail["loc"] for detail in details if _take_for_what_it_means(root, name, detail)]
    remaining = [detail for detail in details if not any(_is_around(detail["loc"], place) for place in mended)]
    return [detail for detail in remaining if not _drop(model, root, name, detail)]


def _place(root: Any, detail: ErrorDetails) -> Location:
    """Where an error is, without the names of types that pydantic puts into it for members of several types."""
    location = detail["loc"]
    place: list[int | str] = []
    owner = root
    for index, part in enumerate(location):
        is_missing = detail["type"] == "missing" and index == len(location) - 1
        is_there = part in owner if isinstance(owner, dict) else isinstance(part, int) and isinstance(owner, list)
        if is_there or is_missing:
            place.append(part)
            owner = None if is_missing else owner[part]
    return tuple(place)


def _is_around(one: Location, other: Location) -> bool:
    """Whether they are the same place, or one is inside of the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _take_for_what_it_means(root: Any, name: str, detail: ErrorDetails) -> bool:
    location, given = detail["loc"], detail["input"]
    meaning = _MEANINGS.get(detail["type"])
    meant = meaning(given, detail) if location and meaning is not None else None
    if meant is None:
        return False
    _owners(root, location)[-1][location[-1]] = meant
    _log.info("%s: '%s' is taken as %s, not as %s", name, path_text(location), shown(meant), shown(given))
    return True


def _drop(model: type[WireModel], root: Any, name: str, detail: ErrorDetails) -> bool:
    """Drop the innermost member around a place that may be absent. False when there is none."""
    location, given = detail["loc"], detail["input"]
    if not location:
        return _can_be_empty(model, name, given)
    owners = _owners(root, location)
    if len(owners) < len(location):
        return True  # what was around it has been dropped
    is_empty = detail["type"] != "missing" and (given is None or given == "")
    fields = list(_fields(model, location))
    for index in reversed(range(len(location))):
        field = fields[index]
        if field is None or field.is_required():
            continue
        if _is_needed(field, owners[index]) and not (is_empty and index == len(location) - 1):
            continue
        dropped = owners[index].pop(location[index], None)
        if dropped is not None:
            path = path_text(location[: index + 1])
            _log.info("%s: '%s' cannot be understood, and is ignored: %s", name, path, shown(dropped))
        return True
    return False


def _can_be_empty(model: type[WireModel], name: str, given: Any) -> bool:
    """Whether arguments that are no object at all can be done without."""
    if any(field.is_required() or _is_needed(field, {}) for field in model.model_fields.values()):
        return False
    _log.info("%s: what it says cannot be understood, and is ignored: %s", name, shown(given))
    return True


def _owners(root: Any, location: Location) -> list[Any]:
    """The object or list that each part of a location is in; fewer where a part is not there any more."""
    owners = [root]
    for part in location[:-1]:
        try:
            owners.append(owners[-1][part])
        except (KeyError, IndexError, TypeError):
            break
    return owners


def _fields(model: type[WireModel], location: Location) -> Iterator[FieldInfo | None]:
    """The field that each part of a location stands for; None for an item of a list and a key of a dictionary."""
    owner: type[WireModel] | None = model
    for part in location:
        if isinstance(part, int):
            yield None
            continue
        field = _members(owner).get(part) if owner is not None else None
        yield field
        owner = _model_in(field.annotation) if field is not None else None


@functools.cache
def _members(model: type[WireModel]) -> dict[str, FieldInfo]:
    """The fields by their names on the wire."""
    return {field.alias or python_name: field for python_name, field in model.model_fields.items()}


def _model_in(annotation: Any) -> type[WireModel] | None:
    """The model of a member, or of the items of its list."""
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return annotation
    return next((found for part in typing.get_args(annotation) if (found := _model_in(part))), None)


def _is_needed(field: FieldInfo, owner: Any) -> bool:
    for mark in field.metadata:
        if isinstance(mark, Needed):
            return not mark.unless or owner.get(mark.unless) is None
    return False


def _unknown(model: type[WireModel], value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(model, item, f"{path}[{index}]")
    elif isinstance(value, dict):
        members = _members(model)
        for name, item in value.items():
            inside = f"{path}.{name}" if path else name
            if name not in members:
                yield shown(inside)[1:-1]
            elif (inner := _model_in(members[name].annotation)) is not None:
                yield from _unknown(inner, item, inside)


# What a value of the wrong type can only mean; None: it does not mean anything.


def _integer(given: Any, detail: ErrorDetails) -> int | None:
    if (isinstance(given, str) and _INTEGER.fullmatch(given)) or (isinstance(given, float) and given.is_integer()):
        number = int(given)
    else:
        return None
    return number if -(1 << 63) <= number < 1 << 63 else None


def _boolean(given: Any, detail: ErrorDetails) -> bool | None:
    if isinstance(given, str):
        return _WORDS.get(given.strip().lower())
    return bool(given) if isinstance(given, int | float) and given in (0, 1) else None


def _text(given: Any, detail: ErrorDetails) -> str | None:
    if isinstance(given, bool | int) or (isinstance(given, float) and math.isfinite(given)):
        return json.dumps(given)
    return None


def _word(given: Any, detail: ErrorDetails) -> str | None:
    if not isinstance(given, str):
        return None
    allowed = re.findall(r"'([^']*)'", detail["ctx"]["expected"])
    return next((word for word in allowed if word.lower() == given.strip().lower()), None)


def _list(given: Any, detail: ErrorDetails) -> list[Any] | None:
    return [] if given == {} else None


def _object(given: Any, detail: ErrorDetails) -> dict[str, Any] | None:
    return {} if given == [] else None


_MEANINGS: dict[str, Callable[[Any, ErrorDetails], Any]] = {
    "int_type": _integer,
    "bool_type": _boolean,
    "string_type": _text,
    "literal_error": _word,
    "list_type": _list,
    "dict_type": _object,
    "model_type": _object,
}
"""By pydantic's names of errors."""
