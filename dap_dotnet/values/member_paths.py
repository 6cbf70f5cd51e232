"""C# expressions for what is shown: a member of a value, so that a watch or a copied text means the same value."""

from __future__ import annotations

import re

_KEYWORD = re.compile(
    "abstract|as|base|bool|break|byte|case|catch|char|checked|class|const|continue|decimal|default|delegate|do|double|"
    "else|enum|event|explicit|extern|false|finally|fixed|float|for|foreach|goto|if|implicit|in|int|interface|internal|"
    "is|lock|long|namespace|new|null|object|operator|out|override|params|private|protected|public|readonly|ref|return|"
    "sbyte|sealed|short|sizeof|stackalloc|static|string|struct|switch|this|throw|true|try|typeof|uint|ulong|unchecked|"
    "unsafe|ushort|using|virtual|void|volatile|while"
)

_PRIMED = re.compile(r"[^\W\d]\w*(?:'\w*)+")
_OF_FSHARP = re.compile(r"[^\W\d](?=.*[' ])[\w' ]*")

_COMPILERS = ("<>", ".<", "<anonymous", "<unknown", "__", "@")
"""What names have that only compilers give; `@` is that of F#."""


def identifier(name: str) -> str | None:
    """A name as an expression has it, `@class` for a keyword; None for one that only a compiler can give.

    Names of F# that C# does not have are written as in F#: `x'`, ``` ``two words`` ```.
    """
    if _OF_FSHARP.fullmatch(name):
        return name if _PRIMED.fullmatch(name) else f"``{name}``"
    if not name.isidentifier():
        return None
    return f"@{name}" if _KEYWORD.fullmatch(name) else name


def member_path(owner: str | None, name: str, *, seen_as: str | None = None) -> str | None:
    """A member of what `owner` means; `seen_as` is the type that it has to be cast to. None when nothing means it."""
    written = identifier(name)
    if owner is None or written is None:
        return None
    if seen_as is None:
        return f"{owner}.{written}"
    can_be_cast = is_nameable(seen_as) and not owner.startswith("$")  # $exception stands at the beginning
    return f"(({seen_as}){owner}).{written}" if can_be_cast else None


def is_nameable(type_name: str) -> bool:
    """Whether C# source can name a type; it cannot name those that the compiler makes."""
    return (
        not any(mark in type_name for mark in ("<>", ".<", "<anonymous", "<unknown", "__", "@"))
        and type_name[:1] != "<"
    )
