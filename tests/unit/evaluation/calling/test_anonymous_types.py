"""The assembly with a type for anonymous objects, as the reader of metadata finds it."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.calling.anonymous_types import anonymous_image
from portablepdb import Assembly, Metadata
from portablepdb.signatures import TypeParameter

_TYPE = 0x02000002


def _metadata(*names: str) -> Metadata:
    return Assembly.open(anonymous_image(names), layout="flat").metadata


def test_the_type_has_the_members_in_order() -> None:
    metadata = _metadata("Name", "Größe", "class")
    assert metadata.type_def(_TYPE).name == "<>f__AnonymousType0`3"
    assert [one.name for one in metadata.properties_of(_TYPE)] == ["Name", "Größe", "class"]
    methods = metadata.methods_of(_TYPE)
    assert [one.name for one in methods] == [
        "get_Name", "get_Größe", "get_class", ".ctor", "Equals", "GetHashCode", "ToString",
    ]  # fmt: skip
    assert methods[1].signature.return_type == TypeParameter(1)
    assert methods[3].signature.parameters == (TypeParameter(0), TypeParameter(1), TypeParameter(2))
    assert [row.name for row in methods[3].parameter_rows] == ["Name", "Größe", "class"]
    assert [row.name for row in methods[4].parameter_rows] == ["value"]
    assert not methods[6].parameter_rows


def test_as_many_members_as_the_indices_take() -> None:
    names = [f"{'n' * 90}{number}" for number in range(100)]
    assert [one.name for one in _metadata(*names).properties_of(_TYPE)] == names
    for wrong in ([], [*names, "more"], ["n" * 10_001]):
        with pytest.raises(EvaluationError, match="cannot be created here"):
            anonymous_image(wrong)
