"""Which documents a path means, over documents written down by hand and files of the test."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import pytest

from dap_dotnet.breakpoints.lines import paths
from dap_dotnet.breakpoints.lines.messages import ambiguous_text, refused_text
from dap_dotnet.breakpoints.lines.paths import Certainty, PathMatch, PathMatcher
from dap_dotnet.runtime.model import ModuleId
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.symbols.source_map import SourceMap

SHA256 = UUID("8829d00f-11b8-4213-878b-770e8597ac16")
SHA1 = UUID("ff1816ec-aa5e-4d10-87f7-6f4963833460")
MD5 = UUID("406ea660-64cf-4c82-b6f0-42d48172a799")


class Modules(ModuleCatalog):
    """Modules that have nothing but documents: ``load("a.dll", "/src/a.cs")`` or ``(name, content)``."""

    def load(self, name: str, *documents: str | tuple[str, bytes], algorithm: UUID = SHA256) -> ModuleId:
        kinds = {SHA256: "sha256", SHA1: "sha1", MD5: "md5"}
        made = []
        for row_id, entry in enumerate(documents, 1):
            path, content = entry if isinstance(entry, tuple) else (entry, None)
            digest = b"" if content is None else hashlib.new(kinds[algorithm], content).digest()
            made.append(SimpleNamespace(name=path, row_id=row_id, hash=digest, hash_algorithm=algorithm))
        heap = "\0".join(document.name for document in made).encode()
        region = SimpleNamespace(data=heap, start=0, end=len(heap))
        pdb = SimpleNamespace(documents=made, image=SimpleNamespace(blobs=SimpleNamespace(region=region)))
        module = ModuleId(len(self._modules) + 1)
        self._modules[module] = SimpleNamespace(id=module, name=name, pdb=pdb)  # type: ignore[assignment]
        self.version += 1
        return module


@pytest.fixture
def modules() -> Modules:
    return Modules()


def taken(match: PathMatch) -> list[tuple[str, str]]:
    return [(entry.module.name, entry.document.name) for entry in match.taken]


def find(modules: Modules, path: str | Path) -> PathMatch:
    return PathMatcher(modules).find(str(path))


def test_same_name_is_taken_in_every_module(modules: Modules) -> None:
    modules.load("a.dll", "/src/a.cs", "/src/b.cs")
    modules.load("b.dll", "/src/a.cs")
    assert taken(find(modules, "/src/a.cs")) == [("a.dll", "/src/a.cs"), ("b.dll", "/src/a.cs")]


@pytest.mark.parametrize(
    ("path", "document"),
    [
        ("/src/./a.cs", "/src/a.cs"),
        ("/src/x/../a.cs", "/src/a.cs"),
        ("/src//a.cs", "/src/a.cs"),
        ("/src/a.cs", "/src/lib/../a.cs"),
        (r"C:\src\a.cs", r"C:\src\a.cs"),
        (r"c:\Src\A.cs", r"C:\src\a.cs"),
        ("C:/src/a.cs", r"C:\src\a.cs"),
        ("src/a.cs", r"src\a.cs"),
    ],
)
def test_same_path_written_otherwise_is_the_same(modules: Modules, path: str, document: str) -> None:
    modules.load("a.dll", document)
    match = find(modules, path)
    assert [entry.certainty for entry in match.taken] == [Certainty.SAME_PATH]


def test_case_counts_on_this_platform(modules: Modules, monkeypatch: pytest.MonkeyPatch) -> None:
    modules.load("a.dll", "/src/App.cs")
    monkeypatch.setattr(paths, "IGNORE_CASE", False)
    assert find(modules, "/src/app.cs") == PathMatch()
    monkeypatch.setattr(paths, "IGNORE_CASE", True)
    assert [entry.certainty for entry in find(modules, "/src/app.cs").taken] == [Certainty.SAME_PATH]


def test_symbolic_links_are_followed(modules: Modules, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.cs").write_bytes(b"class A;")
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "other.cs").symlink_to(real / "a.cs")
    modules.load("a.dll", str(real / "a.cs"))
    for path in (tmp_path / "link" / "a.cs", tmp_path / "other.cs"):
        assert [entry.certainty for entry in find(modules, path).taken] == [Certainty.SAME_PATH], path


def test_document_through_a_link_is_the_file_behind_it(modules: Modules, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.cs").write_bytes(b"class A;")
    (tmp_path / "link").symlink_to(real)
    modules.load("a.dll", str(tmp_path / "link" / "a.cs"))
    assert [entry.certainty for entry in find(modules, real / "a.cs").taken] == [Certainty.SAME_PATH]


@pytest.mark.parametrize(
    ("entries", "document"),
    [
        ({"/build": "{here}"}, "/build/src/a.cs"),
        ({"/build/": "{here}/"}, "/build/src/a.cs"),
        ({r"C:\build": "{here}"}, r"C:\build\src\a.cs"),
        ({r"c:\Build": "{here}"}, r"C:\build\src\a.cs"),
        ({"/build": "/elsewhere", "/build/src": "{here}/src"}, "/build/src/a.cs"),
        ({"/build/generated.cs": "{here}/src/a.cs"}, "/build/generated.cs"),
        ({"/_/": "{here}"}, "/_/src/a.cs"),
    ],
)
def test_source_map_leads_to_the_document(
    modules: Modules, tmp_path: Path, entries: dict[str, str], document: str
) -> None:
    local = tmp_path / "src" / "a.cs"
    local.parent.mkdir()
    local.write_bytes(b"x")
    modules.source_map = SourceMap({compiled: to.format(here=tmp_path) for compiled, to in entries.items()})
    modules.load("a.dll", (document, b"x"), "/other/src/a.cs")
    assert taken(find(modules, local)) == [("a.dll", document)]
    assert modules.source_map.local_path(document) == str(local)


def test_source_map_leaves_other_documents_alone() -> None:
    source_map = SourceMap({"/build": "/home/me"})
    assert source_map.local_path("/builds/a.cs") == "/builds/a.cs"
    assert source_map.local_path("/build") == "/home/me"
    assert source_map.local_path("") == ""


@pytest.mark.parametrize("algorithm", [SHA256, SHA1, MD5])
@pytest.mark.parametrize("content", [b"class A\n{\n}\n", b"class A\r\n{\r\n}\r\n"])
def test_copy_with_the_same_checksum_is_the_document(
    modules: Modules, tmp_path: Path, algorithm: UUID, content: bytes
) -> None:
    (tmp_path / "a.cs").write_bytes(b"class A\n{\n}\n")
    modules.load("a.dll", ("/ci/one/a.cs", b"other"), ("/ci/two/a.cs", content), algorithm=algorithm)
    match = find(modules, tmp_path / "a.cs")
    assert taken(match) == [("a.dll", "/ci/two/a.cs")]
    assert match.taken[0].certainty is Certainty.SAME_CONTENT


def test_longest_common_suffix_is_taken(modules: Modules) -> None:
    modules.load("a.dll", "/ci/app/Program.cs", "/ci/lib/Program.cs")
    assert taken(find(modules, "/home/me/lib/Program.cs")) == [("a.dll", "/ci/lib/Program.cs")]
    assert taken(find(modules, r"D:\work\app\Program.cs")) == [("a.dll", "/ci/app/Program.cs")]


def test_equally_long_suffixes_are_ambiguous_and_named(modules: Modules) -> None:
    modules.load("a.dll", "/ci/app/Program.cs")
    modules.load("b.dll", "/ci/lib/Program.cs")
    match = find(modules, "/home/me/Program.cs")
    assert not match.taken
    text = ambiguous_text("/home/me/Program.cs", match)
    assert "/ci/app/Program.cs (a.dll)" in text
    assert "/ci/lib/Program.cs (b.dll)" in text


def test_same_suffix_of_the_same_name_in_two_modules_is_not_ambiguous(modules: Modules) -> None:
    modules.load("a.dll", "/ci/app/Program.cs")
    modules.load("b.dll", "/ci/./app/Program.cs")
    assert len(find(modules, "/home/Program.cs").taken) == 2


def test_same_path_beats_content_and_suffix(modules: Modules, tmp_path: Path) -> None:
    (tmp_path / "a.cs").write_bytes(b"x")
    modules.load("copy.dll", ("/ci/a.cs", b"x"))
    modules.load("a.dll", (str(tmp_path / "a.cs"), b"x"))
    assert taken(find(modules, tmp_path / "a.cs")) == [("a.dll", str(tmp_path / "a.cs"))]


def test_source_that_was_changed_is_refused(modules: Modules, tmp_path: Path) -> None:
    local = tmp_path / "a.cs"
    local.write_bytes(b"new")
    modules.load("a.dll", (str(local), b"old"))
    match = find(modules, local)
    assert not match.taken
    assert "its checksum differs" in refused_text(str(local), match)
    modules.require_exact_source = False
    assert len(find(modules, local).taken) == 1


def test_changed_source_is_looked_at_again(modules: Modules, tmp_path: Path) -> None:
    local = tmp_path / "a.cs"
    local.write_bytes(b"new one")
    modules.load("a.dll", (str(local), b"old"))
    matcher = PathMatcher(modules)
    assert not matcher.find(str(local)).taken
    local.write_bytes(b"old")
    assert not matcher.find(str(local)).taken
    matcher.refresh(str(local))
    assert len(matcher.find(str(local)).taken) == 1


def test_another_file_of_the_same_name_is_not_bound_by_its_suffix(modules: Modules, tmp_path: Path) -> None:
    (tmp_path / "Program.cs").write_bytes(b"mine")
    modules.load("a.dll", ("/ci/app/Program.cs", b"theirs"))
    match = find(modules, tmp_path / "Program.cs")
    assert (match.taken, len(match.refused)) == ((), 1)


@pytest.mark.parametrize("document", ["/ci/app/a.cs", ("/ci/app/a.cs", b"x")])
def test_missing_file_or_checksum_is_no_hindrance(modules: Modules, document: str | tuple[str, bytes]) -> None:
    modules.load("a.dll", document)
    assert len(find(modules, "/nowhere/app/a.cs").taken) == 1


@pytest.mark.parametrize("path", ["/dev/zero", "/", "", ".", "..", "\0", "/src/\0.cs", "a" * 100_000, "/a/" * 5_000])
def test_any_path_can_be_asked_for(modules: Modules, path: str) -> None:
    modules.load("a.dll", "/src/a.cs", "", "/dev/zeros")
    assert not find(modules, path).taken


def test_modules_that_come_and_go_are_heeded(modules: Modules) -> None:
    matcher = PathMatcher(modules)
    assert matcher.find("/src/a.cs") == PathMatch()
    module = modules.load("a.dll", "/src/a.cs")
    assert len(matcher.find("/src/a.cs").taken) == 1
    del modules._modules[module]
    modules.version += 1
    matcher.forget(module)
    assert matcher.find("/src/a.cs") == PathMatch()
