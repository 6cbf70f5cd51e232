"""The tests of a built assembly: which methods its framework would run, under which names, and where they are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import UserError
from dap_dotnet.test_discovery.filters import filter_of
from dap_dotnet.test_discovery.frameworks import Framework, Role
from dap_dotnet.test_discovery.modules import Marked, Module, Modules
from dap_dotnet.test_discovery.places import Place, Places

if TYPE_CHECKING:
    from portablepdb import Metadata, Method, TypeDef

_ASSEMBLY = 0x20000001
_ABSTRACT, _SEALED = 0x80, 0x100
_PUBLIC, _NESTED_PUBLIC, _VISIBILITY = 0x1, 0x2, 0x7
_VIRTUAL, _NEW_SLOT = 0x40, 0x100
_ONLY_PUBLIC = (Framework.XUNIT, Framework.XUNIT_V3, Framework.MSTEST, Framework.TUNIT)
_DISCOVER_INTERNALS = "Microsoft.VisualStudio.TestTools.UnitTesting.DiscoverInternalsAttribute"
_ARITY = re.compile(r"`\d+")
_MONIKER = re.compile(r"\.(NETCoreApp|NETStandard|NETFramework),Version=v(\d+)\.(\d+)(?:\.(\d+))?")


class UnreadableAssemblyError(UserError):
    """A .dll of tests that cannot be read."""

    code = "INVALID_FILE"


class DiscoveredTest(Struct, frozen=True):
    """A test: a method that its framework runs, once or with several rows of data."""

    id: str
    """As runs report it: ``Ns.Outer+Inner.Method``, by the class that runs it, not one that it inherits from."""
    name: str
    """For people: that of the attribute, or the method's."""
    namespace: str
    class_name: str
    """Without its namespace; nested ones after a plus sign."""
    method: str
    framework: Framework
    place: Place | None
    """None without symbols."""
    filter: str | None
    """What selects it, as `dotnet test --filter` takes it; None where its framework has options of its own."""
    has_rows: bool
    """Whether it has parameters, and so may run several times."""
    skip: str | None
    """Why it does not run; None where nothing says so."""


class DiscoveredClass(Struct, frozen=True):
    """A class with tests. `name` is its full name, as in the ids of its tests."""

    name: str
    file: str
    line: int


class DiscoveredAssembly(Struct, frozen=True):
    """A built assembly with its tests, in the order of the sources."""

    path: str
    target_framework: str
    """Such as ``net8.0``; empty where the assembly does not say."""
    tests: tuple[DiscoveredTest, ...]
    classes: tuple[DiscoveredClass, ...]
    has_symbols: bool


def discover(path: str) -> DiscoveredAssembly:
    """The tests of an assembly. Raises `UnreadableAssemblyError`."""
    from portablepdb import PortablePdbError

    try:
        with Modules(path) as modules:
            return _Discovery(path, modules.tests).run()
    except (PortablePdbError, OSError) as error:
        raise UnreadableAssemblyError(
            f"The tests of {os.path.basename(path)} cannot be read: {error}. Build its project again."
        ) from error


class _Discovery:
    def __init__(self, path: str, module: Module) -> None:
        self._path = path
        self._module = module
        self._metadata: Metadata = module.metadata
        self._places = Places()

    def run(self) -> DiscoveredAssembly:
        internals = False
        moniker = ""
        for attribute in self._metadata.attributes_of(_ASSEMBLY):
            if attribute.type_name == "System.Runtime.Versioning.TargetFrameworkAttribute":
                moniker = str(attribute.fixed_arguments[0].value)
            internals = internals or attribute.type_name == _DISCOVER_INTERNALS
        tests = [test for type_ in self._metadata.types for test in self._tests_of(type_, internals=internals)]
        tests.sort(key=lambda test: (test.place.file, test.place.line) if test.place is not None else ("", 0))
        return DiscoveredAssembly(
            path=self._path,
            target_framework=_short_moniker(moniker),
            tests=tuple(tests),
            classes=tuple(self._classes(tests)),
            has_symbols=self._module.pdb is not None,
        )

    def _classes(self, tests: Iterable[DiscoveredTest]) -> Iterator[DiscoveredClass]:
        """The classes whose declarations the sources of their tests show; inherited tests may be elsewhere."""
        seen: set[str] = set()
        for test in tests:
            full_name = test.id.removesuffix(f".{test.method}")
            if test.place is None or full_name in seen:
                continue
            line = self._places.line_of_class(test.place, test.class_name.rpartition("+")[2])
            if line is not None:
                seen.add(full_name)
                yield DiscoveredClass(full_name, test.place.file, line)

    def _tests_of(self, type_: TypeDef, *, internals: bool) -> Iterator[DiscoveredTest]:
        flags = int(type_.flags)
        if type_.is_interface or (flags & _ABSTRACT and not flags & _SEALED):
            return
        methods = dict(self._methods_of(type_))
        if not methods:
            return
        marks = self._module.marks(type_)
        is_public = self._is_public(type_)
        fixtures = [mark for mark in marks if mark.role is Role.FIXTURE]
        has_fixture_arguments = any(mark.attribute.fixed_arguments for mark in fixtures)
        is_generic = bool(type_.generic_parameters)
        skipped = next((mark for mark in marks if mark.role is Role.SKIP), None)
        for module, method, of_method in methods.values():
            mark = next(mark for mark in of_method if mark.role is Role.TEST)
            framework = mark.framework
            if framework in _ONLY_PUBLIC and not (is_public or (internals and framework is Framework.MSTEST)):
                continue
            if framework is Framework.MSTEST and not any(mark.role is Role.CLASS for mark in marks):
                continue
            if is_generic and not (framework is Framework.NUNIT and has_fixture_arguments):
                continue
            yield self._test(type_, module, method, of_method, skipped, varies=has_fixture_arguments)

    def _methods_of(self, type_: TypeDef) -> Iterator[tuple[str, tuple[Module, Method, list[Marked]]]]:
        """The test methods of a class by their names and signatures: its own, and those that it inherits."""
        seen: dict[str, tuple[Module, Method, bool]] = {}
        for module, base in self._module.and_bases(type_):
            for method in getattr(base, "methods", ()):  # a TypeRef has none
                marks = module.marks(method)
                is_test = any(mark.role is Role.TEST for mark in marks)
                if not is_test and not (int(method.flags) & _VIRTUAL):
                    continue
                key = f"{method.name}{method.signature.parameters}"
                overridden = seen.get(key)
                if overridden is None:
                    seen[key] = (module, method, is_test)
                    if is_test:
                        yield key, (module, method, marks)
                elif is_test and not overridden[2]:  # the attributes of what is overridden count for the override
                    at, override, _ = overridden
                    seen[key] = (at, override, True)
                    if not int(override.flags) & _NEW_SLOT:
                        yield key, (at, override, marks)

    def _is_public(self, type_: TypeDef) -> bool:
        current: TypeDef | None = type_
        while current is not None:
            if int(current.flags) & _VISIBILITY not in (_PUBLIC, _NESTED_PUBLIC):
                return False
            current = current.enclosing
        return True

    def _test(
        self,
        type_: TypeDef,
        module: Module,
        method: Method,
        marks: list[Marked],
        skipped: Marked | None,
        *,
        varies: bool,
    ) -> DiscoveredTest:
        mark = next(mark for mark in marks if mark.role is Role.TEST)
        full_name = _ARITY.sub("", type_.full_name)
        namespace, class_name = _divided(full_name)
        skip = mark.named("Skip") or mark.named("Ignore")
        off = next((mark for mark in marks if mark.role is Role.SKIP), skipped)
        if off is not None and off.framework is mark.framework:
            skip = off.first_text() or "ignored"
        return DiscoveredTest(
            id=f"{full_name}.{method.name}",
            name=self._name(method, mark, marks),
            namespace=namespace,
            class_name=class_name,
            method=method.name,
            framework=mark.framework,
            place=self._places.of_method(module, method, method.name),
            filter=filter_of(mark.framework, type_.full_name, method.name, varies=varies),
            has_rows=bool(method.signature.parameters),
            skip=skip,
        )

    def _name(self, method: Method, mark: Marked, marks: list[Marked]) -> str:
        if mark.framework in (Framework.XUNIT, Framework.XUNIT_V3, Framework.MSTEST):
            name = mark.named("DisplayName")
            if name is None and mark.framework is Framework.MSTEST and _is_mstest_name(mark):
                name = mark.first_text()
            return name or method.name
        shown = next((mark for mark in marks if mark.role is Role.NAME), None)
        return (shown.first_text() if shown is not None else None) or method.name


def _is_mstest_name(mark: Marked) -> bool:
    """MSTest 4 has the file of the caller among the arguments of its attribute; only a lone one is a name."""
    return len(mark.attribute.fixed_arguments) == 1


def _divided(full_name: str) -> tuple[str, str]:
    outermost, plus, nested = full_name.partition("+")
    namespace, _, name = outermost.rpartition(".")
    return namespace, f"{name}{plus}{nested}"


def _short_moniker(moniker: str) -> str:
    match = _MONIKER.fullmatch(moniker)
    if match is None:
        return ""
    family, major, minor, patch = match[1], match[2], match[3], match[4] or ""
    if family == "NETFramework":
        return f"net{major}{minor}{patch}"
    if family == "NETStandard":
        return f"netstandard{major}.{minor}"
    return f"net{major}.{minor}" if int(major) >= 5 else f"netcoreapp{major}.{minor}"
