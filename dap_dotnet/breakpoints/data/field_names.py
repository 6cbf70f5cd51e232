"""Names of fields: as users write them, as `dataId`s that come back from clients, and which fields they mean. Pure."""

from __future__ import annotations

import re

from dap_dotnet.breakpoints.model import FieldPlace
from dap_dotnet.errors import UserError

_DATA_ID = re.compile(r"(?P<module>[^!]*)!(?P<type>.+)::(?P<field>.+?)(?:#(?P<instance>\d{1,9}))?")
_NAME = re.compile(r"(?:(?P<module>[^!]+)!)?(?P<type>.+)\.(?P<field>@?[^\W\d][\w]*)")
_TYPE_PARTS = re.compile(r"[^\W\d][\w]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>|`\d+)?")
_ARITY = re.compile(r"`\d+")
_BACKING = ("<{}>k__BackingField", "<{}>i__Field")
NOT_SEEN = "not seen: reflection, by-reference writes from elsewhere, optimised framework code"
FORM = "[Module!]Namespace.Type.Field"


def data_id(place: FieldPlace) -> str:
    """What stands for a field with clients. Good in later sessions too, unless it is of one object."""
    if not place.is_exact:
        return f"{place.module}!{place.type_name}.{place.field}" if place.module else f"{place.type_name}.{place.field}"
    instance = f"#{place.instance}" if place.instance else ""
    return f"{place.module}!{place.type_name}::{place.field}{instance}"


def parse_data_id(text: str) -> FieldPlace:
    """A `dataId`, or the name of a field as a user writes it. Raises `UserError` (INVALID_FIELD)."""
    match = _DATA_ID.fullmatch(text)
    if match is not None:
        return FieldPlace(match["type"], match["field"], match["module"], True, int(match["instance"] or 0))
    return parse_field_name(text)


def parse_field_name(text: str) -> FieldPlace:
    """The name of a field as a user writes it: ``[Module!]Namespace.Type.Field``.

    The first parts of the name may be left out, nested types have a dot or a plus, generic ones any type arguments.
    Raises `UserError` (INVALID_FIELD).
    """
    match = _NAME.fullmatch(text.strip().removeprefix("global::"))
    parts = re.split(r"[.+](?![^<]*>)", match["type"]) if match is not None else []
    if match is None or not all(_TYPE_PARTS.fullmatch(part) for part in parts):
        raise UserError(f"'{text[:200]}' is not a valid field name: write {FORM}.", code="INVALID_FIELD")
    return FieldPlace(match["type"], match["field"].removeprefix("@"), (match["module"] or ""))


def field_names(place: FieldPlace) -> list[str]:
    """The metadata names of the fields that are meant: a property's name means the field behind it too."""
    return [place.field] if place.is_exact else [place.field, *(form.format(place.field) for form in _BACKING)]


def is_type(place: FieldPlace, full_name: str) -> bool:
    """Whether a type of this full metadata name is meant. A name that a user wrote may lack its first parts."""
    if place.is_exact:
        return full_name == place.type_name
    wanted, actual = _plain(place.type_name), _plain(full_name)
    if "`" in place.type_name:  # with arities: they count
        wanted, actual = place.type_name.replace("+", "."), full_name.replace("+", ".")
    return actual == wanted or actual.endswith("." + wanted)


def is_module(place: FieldPlace, file_name: str) -> bool:
    """Whether the field may be defined in a module of this file name."""
    wanted = place.module.lower()
    return not wanted or file_name.lower() == wanted or file_name.lower().rpartition(".")[0] == wanted


def is_assembly(place: FieldPlace, assembly: str | None) -> bool:
    """Whether a reference to an assembly of this simple name may mean the module that is asked for."""
    return (
        assembly is None
        or not place.module
        or assembly.lower()
        in (
            place.module.lower(),
            place.module.lower().rpartition(".")[0],
        )
    )


def shown_field(name: str) -> str:
    """The name that the user wrote: the property's for the field behind an automatic one, a variable's when hoisted."""
    match = re.fullmatch(r"<([^<>]+)>(?:k__BackingField|i__Field|5__\d+)", name)
    return match.group(1) if match is not None else name


def shown_field_of(type_name: str, field: str) -> str:
    """A field with its type as the user wrote them; a variable that was captured or hoisted, with its method."""
    owner, _, last = type_name.rpartition("+")
    made = re.match(r"<([^<>]*)>", last)
    if made is None:
        return f"{type_name.replace('+', '.')}.{shown_field(field)}"
    method = f".{made.group(1)}" if made.group(1) else ""
    return f"{shown_field(field)} in {owner.replace('+', '.')}{method}"


def _plain(type_name: str) -> str:
    """Without type arguments and arities, with dots for nested types."""
    previous = ""
    text = _ARITY.sub("", type_name).replace("+", ".")
    while previous != text:
        previous, text = text, re.sub(r"<[^<>]*>", "", text)
    return text
