"""The ways in which the sources are compiled for the tests that go over everything."""

from __future__ import annotations

from typing import NamedTuple


class Way(NamedTuple):
    """A source, the compiler's options, the C# version that it needs."""

    id: str
    source: str
    options: tuple[str, ...]
    needs_csharp: int = 8


_DEBUG = ("-debug:portable", "-optimize-", "-define:DEBUG")
_RELEASE = ("-debug:portable", "-optimize+")
_SOURCE_LINK = '{"documents":{"/src/*":"https://example.org/raw/main/*"}}'

WAYS = (
    Way("first", "first.cs", _DEBUG),
    Way("features-debug", "features.cs", _DEBUG),
    Way("features-release", "features.cs", _RELEASE),
    Way("features-embedded", "features.cs", ("-debug:embedded", "-deterministic+", "-pathmap:/=/_/")),
    Way(
        "features-x64",
        "features.cs",
        ("-debug:portable", "-platform:x64", "-deterministic+", "-checksumalgorithm:SHA1"),
    ),
    Way("features-x86", "features.cs", ("-debug:embedded", "-platform:x86", "-highentropyva-")),
    Way("first-embedded", "first.cs", ("-debug:embedded", "-embed", "-deterministic+", "-pathmap:/=/_/")),
    Way("newest-debug", "newest.cs", _DEBUG, 13),
    Way("newest-release", "newest.cs", (*_RELEASE, "-embed"), 13),
    Way(
        "vb-debug",
        "basic.vb",
        (
            "-debug:portable",
            "-optimize-",
            "-rootnamespace:Root",
            "-imports:System.Linq,T=System.Text",
            '-define:_MyType=\\"Empty\\"',
        ),
    ),
    Way("vb-release", "basic.vb", ("-debug:embedded", "-optimize+", "-embed", '-define:_MyType=\\"Empty\\"')),
    Way("vb-external", "external.vb", ("-debug:portable", "-target:library", '-define:_MyType=\\"Empty\\"')),
    Way("fs-debug", "functional.fs", ("--debug:portable", "--optimize-")),
    Way("fs-release", "functional.fs", ("--debug:embedded", "--optimize+", "--embed+", "--deterministic+")),
)
"""All of them."""
