"""Filters that select one test, and the test that a run's name belongs to."""

from __future__ import annotations

import pytest

from dap_dotnet.test_discovery.filters import filter_of, id_of_run
from dap_dotnet.test_discovery.frameworks import Framework


@pytest.mark.parametrize(
    ("framework", "class_name", "varies", "expected"),
    [
        (Framework.XUNIT, "Ns.Outer+Inner", False, "FullyQualifiedName=Ns.Outer+Inner.M"),
        (Framework.MSTEST, "Ns.C", False, "FullyQualifiedName=Ns.C.M"),
        (Framework.NUNIT, "Ns.C", False, r"(FullyQualifiedName=Ns.C.M|FullyQualifiedName~Ns.C.M\()"),
        (Framework.NUNIT, "Ns.C", True, r"(FullyQualifiedName~Ns.C\(&FullyQualifiedName~\).M)"),
        (Framework.NUNIT, "Ns.Of`1", True, r"(FullyQualifiedName~Ns.Of<&FullyQualifiedName~>.M)"),
        (Framework.TUNIT, "Ns.C", False, None),
        (Framework.XUNIT_V3, "Ns.C", False, None),
    ],
)
def test_filter_selects_one_method(framework, class_name, varies, expected):
    assert filter_of(framework, class_name, "M", varies=varies) == expected


def test_characters_with_a_meaning_are_escaped():
    name = filter_of(Framework.XUNIT, "Ns.C", "adds 1 (and ~2)", varies=False)
    assert name == r"FullyQualifiedName=Ns.C.adds 1 \(and \~2\)"


@pytest.mark.parametrize(
    ("reported", "expected"),
    [
        ("Ns.C.M", "Ns.C.M"),
        ("Ns.Outer+Inner.M", "Ns.Outer+Inner.M"),
        ('Ns.C.M(1,"a.b(")', "Ns.C.M"),
        (r'Ns.C.M("a\")","\\")', "Ns.C.M"),
        ("Ns.C.M('(')", "Ns.C.M"),
        ("Ns.C(5).M(1)", "Ns.C.M"),
        ("Ns.Of<Int32>.M", "Ns.Of.M"),
        ("Ns.C.M(new[] { f(1) })", "Ns.C.M"),
        ("Ns.C.M(", "Ns.C.M"),
        ("Ns.C.a test's name", "Ns.C.a test's name"),
    ],
)
def test_run_belongs_to_a_test(reported, expected):
    assert id_of_run(reported) == expected
