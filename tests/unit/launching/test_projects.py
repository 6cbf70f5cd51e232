"""Which project a path stands for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.projects import Project, find_project

EXE = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>'
LIBRARY = '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Library</OutputType></PropertyGroup></Project>'
WEB = '<Project Sdk="Microsoft.NET.Sdk.Web/10.0.100" />'
TESTS = (
    '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>'
    '<ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="1" /></ItemGroup></Project>'
)
OLD = (
    '<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003">'
    "<PropertyGroup><OutputType> WinExe </OutputType></PropertyGroup></Project>"
)


def write(path: Path, text: str = EXE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8-sig")
    return path


def test_project_file_and_folder_with_one(tmp_path):
    path = write(tmp_path / "My App.csproj")
    assert find_project(path) == find_project(tmp_path) == Project(path)
    assert Project(path).names == ("My App",)


@pytest.mark.parametrize(
    ("text", "is_program"), [(EXE, True), (LIBRARY, False), (WEB, True), (TESTS, False), (OLD, True)]
)
def test_what_makes_a_program(tmp_path, text, is_program):
    assert Project(write(tmp_path / "a.csproj", text)).is_program() is is_program


def test_a_file_that_is_no_xml_makes_no_program(tmp_path):
    assert not Project(write(tmp_path / "a.csproj", "<Project")).is_program()


def test_several_projects_in_a_folder_are_named(tmp_path):
    write(tmp_path / "a.csproj")
    write(tmp_path / "b.fsproj")
    with pytest.raises(LaunchError, match=r"several projects: a\.csproj, b\.fsproj\. Name one"):
        find_project(tmp_path)


def test_solution_with_one_program(tmp_path):
    app = write(tmp_path / "src" / "App" / "App.csproj")
    write(tmp_path / "src" / "Lib" / "Lib.csproj", LIBRARY)
    write(tmp_path / "test" / "T.csproj", TESTS)
    kind = "{FAE04EC0-301F-11D3-BF4B-00C04F79EFBC}"
    lines = ["Microsoft Visual Studio Solution File, Format Version 12.00"]
    for name in (r"src\App\App.csproj", r"src\Lib\Lib.csproj", r"test\T.csproj", r"gone\Gone.csproj"):
        lines += [f'Project("{kind}") = "X", "{name}", "{{1}}"', "EndProject"]
    solution = write(tmp_path / "All.sln", "\r\n".join(lines))
    assert find_project(solution) == find_project(tmp_path) == Project(app)


def test_solution_in_xml_with_several_programs(tmp_path):
    for name in ("A", "B"):
        write(tmp_path / name / f"{name}.csproj")
    text = (
        '<Solution><Folder Name="/x/"><Project Path="A/A.csproj" /></Folder><Project Path="B\\B.csproj" /></Solution>'
    )
    with pytest.raises(LaunchError, match=r"several projects that build programs: A\.csproj, B\.csproj"):
        find_project(write(tmp_path / "All.slnx", text))


def test_solution_without_a_program(tmp_path):
    write(tmp_path / "L.csproj", LIBRARY)
    solution = write(tmp_path / "All.slnx", '<Solution><Project Path="L.csproj" /></Solution>')
    with pytest.raises(LaunchError, match="No project of the solution"):
        find_project(solution)


def test_c_sharp_file_alone_and_beside_its_project(tmp_path):
    source = write(tmp_path / "app.cs", "")
    assert find_project(source) == Project(source)
    assert Project(source).is_file_based
    project = write(tmp_path / "p.csproj")
    assert find_project(source) == Project(project)


@pytest.mark.parametrize("name", ["app.dll", "app", "folder", "Program.fs"])
def test_other_paths_are_no_projects(tmp_path, name):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "Program.fs", "")
    assert find_project(tmp_path / name) is None


@pytest.mark.parametrize("name", ["a.csproj", "a.sln", "a.cs"])
def test_missing_ones_are_named(tmp_path, name):
    with pytest.raises(LaunchError, match=r"There is no .*Correct program"):
        find_project(tmp_path / name)


def test_listed_frameworks(tmp_path):
    text = "<Project><PropertyGroup><TargetFrameworks>net8.0; net10.0;</TargetFrameworks></PropertyGroup></Project>"
    assert Project(write(tmp_path / "a.csproj", text)).frameworks() == ["net8.0", "net10.0"]
    assert Project(write(tmp_path / "b.csproj", text.replace("net8.0", "$(Old)"))).frameworks() == []
    assert Project(write(tmp_path / "c.csproj")).frameworks() == []


def test_a_name_that_no_file_can_have_is_no_project(tmp_path):
    assert find_project(tmp_path / ("x" * 5000)) is None
    with pytest.raises(LaunchError):
        find_project(tmp_path / ("x" * 5000 + ".csproj"))


def test_solution_filter_leaves_some_projects(tmp_path):
    app = write(tmp_path / "src" / "App" / "App.csproj")
    other = write(tmp_path / "src" / "Other" / "Other.csproj")
    write(tmp_path / "All.sln", "")
    path = tmp_path / "filters" / "One.slnf"
    write(path, json.dumps({"solution": {"path": "..\\All.sln", "projects": ["src\\App\\App.csproj"]}}))
    assert find_project(path) == Project(app)
    write(path, json.dumps({"solution": {"path": "..\\All.sln", "projects": [str(app), str(other)]}}))
    with pytest.raises(LaunchError, match=r"One\.slnf has several projects that build programs"):
        find_project(path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"solution": {"path": 1, "projects": []}}', '{"solution": []}'])
def test_damaged_solution_filter_is_refused(tmp_path, text):
    with pytest.raises(LaunchError, match="is not a solution filter"):
        find_project(write(tmp_path / "a.slnf", text))
