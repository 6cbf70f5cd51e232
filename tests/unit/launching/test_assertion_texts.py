"""Expected and actual values in messages as the frameworks write them."""

from __future__ import annotations

import pytest

from dap_dotnet.launching.assertion_texts import expected_and_actual

CASES = {
    "xunit": ("Assert.Equal() Failure: Values differ\nExpected: 5\nActual:   4", ("5", "4")),
    "xunit 2.4": ("Assert.Equal() Failure\r\nExpected: 5\r\nActual:   4", ("5", "4")),
    "xunit, text": (
        "Assert.Equal() Failure: Strings differ\n                 ↓ (pos 5)\n"
        'Expected: "one\\nthree"\nActual:   "one\\ntwo"\n                 ↑ (pos 5)',
        ("one\nthree", "one\ntwo"),
    ),
    "xunit, collection": (
        "Assert.Equal() Failure: Collections differ\n                 ↓ (pos 1)\n"
        "Expected: [1, 2]\nActual:   [1, 3]\n                 ↑ (pos 1)",
        ("[1, 2]", "[1, 3]"),
    ),
    "NUnit": ("  Assert.That(sum, Is.EqualTo(5))\n  Expected: 5\n  But was:  4\n", ("5", "4")),
    "NUnit, text": (
        '  String lengths are both 3.\n  Expected: "abc"\n  But was:  "abd"\n  -------------^\n',
        ("abc", "abd"),
    ),
    "MSTest": ("Assert.AreEqual failed. Expected:<5>. Actual:<4>. because", ("5", "4")),
    "TUnit": ("Expected sum to be equal to 5\nbut found 4\n\nat Assert.That(sum)", ("5", "4")),
    "Shouldly": ("sum\n    should be\n5\n    but was\n4\n    difference\n1", ("5", "4")),
    "an exception": ("System.InvalidOperationException : Expected: nothing", None),
    "nothing thrown": ("Assert.Throws() Failure: No exception was thrown\nExpected: typeof(System.Exception)", None),
}


@pytest.mark.parametrize("name", CASES)
def test_values_are_told_apart(name):
    message, values = CASES[name]
    assert expected_and_actual(message) == values
