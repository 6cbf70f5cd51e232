"""SourceLink: from a document's name to the address of its source (the map of dotnet/designs' source-link.md)."""

from __future__ import annotations

import json
from urllib.parse import quote

from .errors import MalformedError


def document_map(text: str) -> dict[str, str]:
    """The ``documents`` of a SourceLink JSON text. Raises MalformedError."""
    try:
        found = json.loads(text.lstrip("\ufeff"))
        documents = found["documents"]
        if not isinstance(documents, dict) or not all(isinstance(v, str) for v in documents.values()):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MalformedError(
            "the SourceLink text is not JSON with an object of documents", file="<SourceLink>"
        ) from None
    return documents


def source_url(text: str, name: str) -> str | None:
    r"""The address of a document, or None when the map has no entry for it.

    An entry that ends with ``*`` stands for all names that begin with what is before it (case ignored); the rest of the
    name, with ``\`` as ``/`` and percent-encoded, takes the place of the ``*`` in the address. The longest entry wins.

    ``text`` is PortablePdb.source_link where that is not None. Raises MalformedError, TypeError for what is no text.
    """
    if not isinstance(text, str):
        raise TypeError(
            f"the text of a SourceLink is wanted, not {type(text).__name__}"
            " (PortablePdb.source_link is None where there is none)"
        )
    best: tuple[int, str] | None = None
    for pattern, url in document_map(text).items():
        prefix, star, after = pattern.partition("*")
        if after:
            continue
        if star:
            if name.lower().startswith(prefix.lower()) and (best is None or len(prefix) > best[0]):
                rest = name[len(prefix) :].replace("\\", "/")
                best = (len(prefix), url.replace("*", quote(rest), 1))
        elif name.lower() == pattern.lower():
            return url
    return None if best is None else best[1]
