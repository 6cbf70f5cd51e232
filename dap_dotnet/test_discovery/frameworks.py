"""What the attributes of xunit, NUnit, MSTest and TUnit mean, by their full names."""

from __future__ import annotations

import enum


class Framework(enum.Enum):
    """A test framework, by the name that it has in reports."""

    XUNIT = "xunit"
    XUNIT_V3 = "xunit.v3"
    NUNIT = "nunit"
    MSTEST = "mstest"
    TUNIT = "tunit"


class Role(enum.Enum):
    """What an attribute says of a method or a class."""

    TEST = enum.auto()
    CLASS = enum.auto()
    """MSTest: only a class with it has tests."""
    FIXTURE = enum.auto()
    """NUnit: a class may have arguments, which then stand in the names of its tests."""
    SKIP = enum.auto()
    NAME = enum.auto()
    """TUnit: the name that is shown."""


_NUNIT = "NUnit.Framework."
_MSTEST = "Microsoft.VisualStudio.TestTools.UnitTesting."
_TUNIT = "TUnit.Core."

KNOWN: dict[str, tuple[Role, Framework]] = {
    "Xunit.FactAttribute": (Role.TEST, Framework.XUNIT),
    "Xunit.TheoryAttribute": (Role.TEST, Framework.XUNIT),
    **{
        f"{_NUNIT}{name}Attribute": (Role.TEST, Framework.NUNIT)
        for name in ("Test", "TestCase", "TestCaseSource", "Theory", "Combinatorial", "Pairwise", "Sequential")
    },
    f"{_NUNIT}TestFixtureAttribute": (Role.FIXTURE, Framework.NUNIT),
    f"{_NUNIT}TestFixtureSourceAttribute": (Role.FIXTURE, Framework.NUNIT),
    f"{_NUNIT}IgnoreAttribute": (Role.SKIP, Framework.NUNIT),
    f"{_MSTEST}TestMethodAttribute": (Role.TEST, Framework.MSTEST),
    f"{_MSTEST}DataTestMethodAttribute": (Role.TEST, Framework.MSTEST),
    f"{_MSTEST}TestClassAttribute": (Role.CLASS, Framework.MSTEST),
    f"{_MSTEST}IgnoreAttribute": (Role.SKIP, Framework.MSTEST),
    f"{_TUNIT}TestAttribute": (Role.TEST, Framework.TUNIT),
    f"{_TUNIT}SkipAttribute": (Role.SKIP, Framework.TUNIT),
    f"{_TUNIT}DisplayNameAttribute": (Role.NAME, Framework.TUNIT),
}
"""The attributes from which those of a user's own may derive."""
XUNIT_V3_ASSEMBLY = "xunit.v3.core"
"""Where FactAttribute is in version 3; its name is the same."""
