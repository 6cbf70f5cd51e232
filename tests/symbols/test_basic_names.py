"""Names of what Visual Basic's compiler makes, in C#'s words."""

from __future__ import annotations

import pytest

from portablepdb import Assembly


@pytest.mark.parametrize("options", [(), ("-optimize+",)], ids=["debug", "release"])
def test_async_lambdas_and_iterators_are_lambdas(compiled, options: tuple[str, ...]) -> None:
    made = (*options, "-debug:portable", "-target:library", '-define:_MyType=\\"Empty\\"')
    with Assembly.open(compiled("lambdas.vb", *made)) as assembly:
        metadata = assembly.metadata
        names = sorted(
            metadata.display_method(method.token)
            for type_ in metadata.types
            for method in metadata.methods_of(type_.token)
            if method.name == "MoveNext"
        )
    assert names == ["Lambdas<T>.lambda(int x)"] * 3
