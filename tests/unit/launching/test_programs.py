from __future__ import annotations

import os
import re

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import hosts
from dap_dotnet.launching.images import Image, ImageKind, inspect_image, machine_architecture
from dap_dotnet.launching.programs import resolve_program
from tests.unit.launching import images
from tests.unit.launching.images import environment, write_config, write_executable, write_root

OTHER = "arm64" if machine_architecture() == "x64" else "x64"
OTHER_PE = images.ARM64 if OTHER == "arm64" else images.AMD64
OWN_PE = images.AMD64 if OTHER == "arm64" else images.ARM64


@pytest.fixture(autouse=True)
def no_dotnet_of_this_machine(monkeypatch, tmp_path):
    """Only what a test makes is found."""
    monkeypatch.setattr(hosts, "_DEFAULT_ROOTS", ())
    monkeypatch.setattr(hosts, "_INSTALL_LOCATION_FOLDER", tmp_path / "etc")
    for name in list(os.environ):
        if name.startswith("DOTNET_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def root(tmp_path):
    return write_root(tmp_path / "dotnet", "8.0.5", "10.0.1")


@pytest.fixture
def app(tmp_path):
    """A folder with app.dll, ready to start on 8.0."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "app.dll").write_bytes(images.pe())
    write_config(folder, "app")
    return folder / "app.dll"


def refusal(program, env, cwd=None):
    with pytest.raises(LaunchError) as caught:
        resolve_program(str(program), [], cwd, env)
    assert re.search(r"\.$", caught.value.message), "a full sentence"
    return caught.value.message


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(images.pe(), Image(ImageKind.ASSEMBLY, None, True), id="AnyCPU"),
        pytest.param(images.pe(flags=3), Image(ImageKind.ASSEMBLY, "x86", True), id="x86"),
        pytest.param(images.pe(flags=0x20003), Image(ImageKind.ASSEMBLY, None, True), id="AnyCPU that prefers 32 bits"),
        pytest.param(images.pe(machine=images.AMD64), Image(ImageKind.ASSEMBLY, "x64", True), id="x64"),
        pytest.param(images.pe(machine=images.AMD64 ^ 0x7B79), Image(ImageKind.ASSEMBLY, "x64", True), id="ReadyToRun"),
        pytest.param(images.pe(entry_point=0), Image(ImageKind.ASSEMBLY), id="library"),
        pytest.param(images.pe(has_cli_header=False), Image(ImageKind.WINDOWS_NATIVE, "x86"), id="Windows program"),
        pytest.param(images.pe()[:0x100], Image(ImageKind.OTHER), id="cut PE"),
        pytest.param(b"MZ\x90", Image(ImageKind.OTHER), id="stub"),
        pytest.param(images.apphost("arm64"), Image(ImageKind.APPHOST, "arm64"), id="apphost"),
        pytest.param(images.apphost("x64", 5000), Image(ImageKind.SINGLE_FILE, "x64"), id="single file"),
        pytest.param(
            images.apphost("x64", 5000, b"DotNetRuntimeInfo\0"),
            Image(ImageKind.SINGLE_FILE_SELF_CONTAINED, "x64"),
            id="self-contained single file",
        ),
        pytest.param(images.elf("x64"), Image(ImageKind.NATIVE, "x64"), id="native"),
        pytest.param(images.elf("x64", b"DotNetRuntimeDebugHeader\0"), Image(ImageKind.NATIVE_AOT, "x64"), id="AOT"),
        pytest.param(b"#!/bin/sh\n", Image(ImageKind.SCRIPT), id="script"),
        pytest.param(b"", Image(ImageKind.OTHER), id="empty"),
    ],
)
def test_image_is_recognised_by_its_headers(tmp_path, content, expected):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert inspect_image(path) == expected


def test_assembly_is_started_by_its_host(app, root):
    env = environment(root, X="1")
    spec = resolve_program("app.dll", ["a b", ""], str(app.parent), env)
    assert spec.command == (str(root / "dotnet"), str(app), "a b", "")
    assert spec.working_directory == str(app.parent)
    assert spec.environment == env


def test_working_directory_is_the_programs_where_we_are_in_no_workspace(app, root, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    for folder in (tmp_path / "elsewhere", "/"):
        monkeypatch.chdir(folder)
        assert resolve_program(str(app), [], None, environment(root)).working_directory == str(app.parent)
    monkeypatch.setenv("HOME", str(app.parent.parent))
    monkeypatch.chdir(app.parent.parent)
    assert resolve_program(str(app), [], None, environment(root)).working_directory == str(app.parent)


def test_working_directory_is_our_own_when_the_program_lies_in_it(app, root, monkeypatch):
    monkeypatch.chdir(app.parent.parent)
    spec = resolve_program("bin/app.dll", [], None, environment(root))
    assert spec.command[1:] == (str(app),)
    assert spec.working_directory == str(app.parent.parent)


@pytest.mark.parametrize("place", ["own DOTNET_ROOT", "PATH", "own PATH", "/etc", "usual folder", "home"])
def test_host_is_found(app, root, tmp_path, monkeypatch, place):
    env = environment()
    if place == "own DOTNET_ROOT":
        monkeypatch.setenv("DOTNET_ROOT", str(root))
    elif place == "PATH":
        env["PATH"] += f":{root}"
    elif place == "own PATH":
        monkeypatch.setenv("PATH", str(root))
    elif place == "/etc":
        (tmp_path / "etc").mkdir()
        (tmp_path / "etc" / "install_location").write_text(f"{root}\n")
    elif place == "usual folder":
        monkeypatch.setattr(hosts, "_DEFAULT_ROOTS", ("/no/such/folder", str(root)))
    else:
        (tmp_path / "home").mkdir()
        root.rename(tmp_path / "home" / ".dotnet")
        root = tmp_path / "home" / ".dotnet"
    assert resolve_program(str(app), [], None, env).command[0] == str(root / "dotnet")


def test_host_behind_a_link_knows_its_root(app, root, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    (links / "dotnet").symlink_to(root / "dotnet")
    env = environment(PATH=str(links))
    assert resolve_program(str(app), [], None, env).command[0] == str(links / "dotnet")
    write_config(app.parent, "app", "9.0.0")
    assert f"{root} has 8.0.5, 10.0.1" in refusal(app, env)


def test_no_host_is_said(app):
    assert "set DOTNET_ROOT in env" in refusal(app, environment())


def test_next_host_is_taken_when_the_first_lacks_the_framework(app, root, tmp_path):
    first = write_root(tmp_path / "first", "6.0.1")
    env = environment(first, PATH=str(root))
    assert resolve_program(str(app), [], None, env).command[0] == str(root / "dotnet")


@pytest.mark.parametrize(
    ("wanted", "variables", "is_served"),
    [
        (("8.0.0", None), {}, True),
        (("8.0.9", None), {}, False),
        (("8.1.0", None), {}, False),
        (("9.0.0", None), {}, False),
        (("9.0.0", "Major"), {}, True),
        (("9.0.0", None), {"DOTNET_ROLL_FORWARD": "LatestMajor"}, True),
        (("9.0.0", "Major"), {"DOTNET_ROLL_FORWARD": "Minor"}, False),
        (("8.0.0", "Disable"), {}, False),
        (("8.0.5", "Disable"), {}, True),
        (("11.0.0", "Major"), {}, False),
        (("10.0.0", "LatestPatch"), {}, True),
        (("10.0.0-rc.1", None), {}, True),
        (("9.0.0", None), {"DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX": "2"}, True),
        (("9.0.0", "Nonsense"), {}, True),
    ],
)
def test_framework_is_refused_only_when_it_surely_fails(app, root, wanted, variables, is_served):
    version, policy = wanted
    write_config(app.parent, "app", version, **({"rollForward": policy} if policy else {}))
    env = environment(root, **variables)
    if is_served:
        resolve_program(str(app), [], None, env)
    else:
        message = refusal(app, env)
        assert f"needs Microsoft.NETCore.App {version}" in message
        assert f"{root} has 8.0.5, 10.0.1" in message
        assert ("DOTNET_ROLL_FORWARD=Major" in message) == (not version.startswith(("10", "11")))


def test_second_framework_is_checked_too(app, root):
    frameworks = [{"name": name, "version": "8.0.0"} for name in ("Microsoft.NETCore.App", "Microsoft.AspNetCore.App")]
    write_config(app.parent, "app", None, frameworks=frameworks)
    assert f"Microsoft.AspNetCore.App 8.0.0, which is not installed ({root} has none)" in refusal(
        app, environment(root)
    )


@pytest.mark.parametrize("text", ["", "{", "[]", '{"runtimeOptions": {}}', '{"runtimeOptions": {"framework": 1}}'])
def test_strange_configuration_is_left_to_the_host(app, root, text):
    (app.parent / "app.runtimeconfig.json").write_text(text)
    assert resolve_program(str(app), [], None, environment(root)).command[1] == str(app)


def test_missing_configuration_is_said(app, root):
    (app.parent / "app.runtimeconfig.json").unlink()
    assert "app.runtimeconfig.json is missing next to" in refusal(app, environment(root))


def test_missing_program_names_close_ones(app, root):
    (app.parent / "helper.dll").write_bytes(images.pe())
    message = refusal(app.parent / "App.dll", environment(root))
    assert message.startswith(f"There is no program {app.parent / 'App.dll'}.")
    assert "(the folder has app.dll)" in message
    assert "(the folder has app.dll)" in refusal(app.parent / "app", environment(root))


def test_missing_folder_is_named(app, root):
    message = refusal(app.parent / "Debug" / "net8.0" / "app.dll", environment(root))
    assert f"The folder {app.parent / 'Debug'} does not exist either" in message
    assert "Build the project" in message


def test_file_as_folder_is_no_crash(app, root):
    assert "There is no program" in refusal(app / "inner.dll", environment(root))


def test_folder_names_the_programs_in_it(app, root):
    assert "It contains app.dll." in refusal(app.parent, environment(root))


def test_empty_and_impossible_names_are_said(root):
    assert "No program is specified" in refusal("", environment(root))
    assert "NUL character" in refusal("a\0b", environment(root))


@pytest.mark.parametrize("name", ["app.csproj", "Program.cs", "All.sln"])
def test_source_is_refused_with_the_advice_to_build_it(tmp_path, root, name):
    (tmp_path / name).write_text("")
    assert "Build it (dotnet build)" in refusal(tmp_path / name, environment(root))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (images.pe(entry_point=0), "is a class library"),
        (images.pe(machine=OTHER_PE), f"is compiled for {OTHER} only"),
        (images.pe(has_cli_header=False), "is a native Windows program, not a .NET assembly"),
        (images.elf(body=b"DotNetRuntimeDebugHeader\0"), "needs a native debugger"),
        (images.apphost(None, 5000, b"DotNetRuntimeInfo\0"), "self-contained single-file program"),
        (images.apphost(OTHER), f"is compiled for {OTHER}, but this machine is {machine_architecture()}"),
        (b"#!/bin/sh\n", "is a script"),
        (b"text", "is neither a .NET assembly nor an executable"),
    ],
)
def test_wrong_file_is_refused_with_the_reason(app, root, content, expected):
    write_executable(app.parent / "wrong", content)
    write_config(app.parent, "wrong")
    assert expected in refusal(app.parent / "wrong", environment(root))


def test_assembly_beside_a_windows_program_is_proposed(app, root):
    (app.parent / "app.exe").write_bytes(images.pe(has_cli_header=False))
    assert "Use app.dll next to it." in refusal(app.parent / "app.exe", environment(root))


def test_assembly_for_this_machine_is_accepted(app, root):
    app.write_bytes(images.pe(machine=OWN_PE))
    assert resolve_program(str(app), [], None, environment(root)).command[1] == str(app)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_program_is_said(app, root):
    app.chmod(0)
    assert "cannot be read" in refusal(app, environment(root))


def test_program_of_windows_is_what_it_is_called_here(app, root):
    windows = str(app.with_suffix(".exe"))
    assert resolve_program(windows, [], None, environment(root)).command[1:] == (str(app),)
    apphost = write_executable(app.with_suffix(""), images.apphost())
    assert resolve_program(windows, [], None, environment(root)).command == (str(apphost),)
    assert "no program" in refusal(app.with_name("other.exe"), environment(root))


def test_native_host_is_started_as_it_is(app, root):
    host = write_executable(app.with_name("host"), images.elf(machine_architecture()))
    spec = resolve_program(str(host), ["x"], None, environment(root))
    assert (spec.command, spec.assembly) == ((str(host), "x"), "")
    host.write_bytes(images.elf(OTHER))
    assert "is compiled for" in refusal(host, environment(root))
    host.chmod(0o644)
    assert "chmod +x" in refusal(host, environment(root))


def test_apphost_is_started_as_it_is(app, root):
    executable = write_executable(app.with_suffix(""), images.apphost())
    env = environment(root)
    spec = resolve_program(str(executable), ["x"], None, env)
    assert spec.command == (str(executable), "x")
    assert spec.environment == env


def test_apphost_gets_the_root_of_dotnet(app, root):
    executable = write_executable(app.with_suffix(""), images.apphost())
    spec = resolve_program(str(executable), [], None, environment(PATH=str(root)))
    assert spec.environment["DOTNET_ROOT"] == str(root)


def test_apphost_is_led_away_from_a_root_that_lacks_the_framework(app, root, tmp_path):
    executable = write_executable(app.with_suffix(""), images.apphost())
    strong = hosts.root_variables()[0]
    bare = write_root(tmp_path / "bare", "6.0.1")
    spec = resolve_program(str(executable), [], None, environment(root, **{strong: str(bare)}))
    assert spec.environment[strong] == str(root)
    (app.parent / "app.runtimeconfig.json").unlink()
    write_config(app.parent, "app", "12.0.0")
    assert "needs Microsoft.NETCore.App 12.0.0" in refusal(executable, environment(root))


def test_apphost_that_is_not_executable_is_said(app, root):
    executable = app.with_suffix("")
    executable.write_bytes(images.apphost())
    assert "chmod +x" in refusal(executable, environment(root))


def test_apphost_without_its_configuration_is_said(app, root):
    executable = write_executable(app.with_suffix(""), images.apphost())
    (app.parent / "app.runtimeconfig.json").unlink()
    assert "app.runtimeconfig.json is missing" in refusal(executable, environment(root))


def test_self_contained_assembly_is_started_by_its_executable(app):
    included = [{"name": "Microsoft.NETCore.App", "version": "8.0.5"}]
    write_config(app.parent, "app", None, includedFrameworks=included)
    assert "only its executable can start it" in refusal(app, environment())
    executable = write_executable(app.with_suffix(""), images.apphost())
    assert resolve_program(str(app), ["x"], None, environment()).command == (str(executable), "x")


def test_framework_dependent_single_file_is_started(tmp_path, root):
    executable = write_executable(tmp_path / "app", images.apphost(None, 5000))
    spec = resolve_program(str(executable), [], None, environment(PATH=str(root)))
    assert spec.command == (str(executable),)
    assert spec.environment["DOTNET_ROOT"] == str(root)


@pytest.mark.parametrize("name", ["app", "My.App"])
@pytest.mark.parametrize("starts", ["assembly", "executable"])
def test_assembly_of_a_program_is_known_by_how_it_is_started(app, root, name, starts):
    assembly = app.rename(app.with_name(f"{name}.dll"))
    write_config(app.parent, name, "8.0.0")
    executable = write_executable(app.with_name(name), images.apphost())
    spec = resolve_program(str(assembly if starts == "assembly" else executable), ["x.dll"], None, environment(root))
    assert spec.assembly == str(assembly)


def test_wrapper_script_as_host_is_used_unseen(app, tmp_path):
    folder = tmp_path / "wrapper"
    folder.mkdir()
    write_executable(folder / "dotnet", b"#!/bin/sh\n")
    spec = resolve_program(str(app), [], None, environment(PATH=str(folder)))
    assert spec.command[0] == str(folder / "dotnet")


def test_versions_are_sorted_as_numbers():
    versions = ["10.0.0", "9.0.18", "10.0.0-rc.1", "9.0.2"]
    assert sorted(versions, key=hosts.version_key) == ["9.0.2", "9.0.18", "10.0.0-rc.1", "10.0.0"]
