"""Addresses whose parts follow from their text alone, as System.Uri gives them. Pure."""

from __future__ import annotations

import re

from msgspec import Struct

_LABEL = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_SAFE = r"A-Za-z0-9_~$&+,;=:@\-"
_SEGMENT = rf"(?:[{_SAFE}]+(?:\.+[{_SAFE}]+)*)"
_PLAIN = re.compile(
    rf"(?P<scheme>https?)://(?:(?P<user>[A-Za-z0-9_~:-]+)@)?(?P<host>{_LABEL}(?:\.{_LABEL})*)(?::(?P<port>[1-9]\d{{0,3}}))?"
    rf"(?P<path>(?:/{_SEGMENT}?)*)(?P<query>\?[{_SAFE}./?]+)?(?P<fragment>#[{_SAFE}./?]+)?"
)
"""Addresses that every release gives back as they were written: nothing in them is escaped, compressed or mapped."""
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_LONGEST = 2_000
_LOOPBACK = "loopback"
"""A host that Uri calls localhost."""


class Address(Struct, frozen=True):
    """The parts of an address, as the properties of Uri give them."""

    host: str
    authority: str
    path: str
    """PathAndQuery without the query; `/` where none is written."""
    query: str
    """With its question mark; empty where there is none, as the fragment."""
    fragment: str
    whole: str
    """AbsoluteUri, and what ToString writes."""


def plain(text: str) -> Address | None:
    """An address of http or https by its parts; None for all where Uri may change more than the case of the host."""
    found = _PLAIN.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None or found["host"].lower() == _LOOPBACK:
        return None
    scheme, host, port = found["scheme"], found["host"].lower(), found["port"]
    authority = host + (f":{port}" if port and port != _DEFAULT_PORTS[scheme] else "")
    path, query, fragment = found["path"] or "/", found["query"] or "", found["fragment"] or ""
    user = f"{found['user']}@" if found["user"] else ""
    return Address(host, authority, path, query, fragment, f"{scheme}://{user}{authority}{path}{query}{fragment}")
