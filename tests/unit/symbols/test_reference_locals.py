import pytest

from dap_dotnet.symbols.reference_locals import is_declared_read_only


@pytest.mark.parametrize(
    ("text", "is_read_only"),
    [
        ("ref readonly int x = ref y;", True),
        ("ref readonly var x = ref M(ref z);", True),
        ("ref readonly (int, List<int?[]>) x = ref y;", True),
        ("foreach (ref readonly var x in span) { }", True),
        ("scoped ref readonly Ns.T<int>[]\n x\n= ref y;", True),
        ("ref int x = ref y;", False),
        ("ref readonly int y = ref x;", False),
        ("ref readonly int xx = ref x;", False),
        ("{ ref int x = ref y; } { ref readonly int x = ref y; }", False),
        ("int x = 3; F(ref x); ref readonly int y = ref x;", False),
        ("ref readonly int F(int a) => ref x; int x = 1;", False),
    ],
)
def test_variables_that_the_source_has_as_ref_readonly(text: str, is_read_only: bool) -> None:
    assert is_declared_read_only(text, "x") is is_read_only
