"""From what a user calls the program to the command that starts it, or to a sentence that says what is wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.foreign_paths import local_program
from dap_dotnet.launching.frameworks import RuntimeConfig, read_runtime_config
from dap_dotnet.launching.hosts import HOST_NAME, DotnetHost, apphost_root, find_hosts, root_variables
from dap_dotnet.launching.images import Image, ImageKind, inspect_image, machine_architecture
from dap_dotnet.runtime.model import LaunchSpec

_SOURCE_SUFFIXES = {".cs", ".fs", ".vb", ".csproj", ".fsproj", ".vbproj", ".sln", ".slnx", ".slnf"}
_WHAT_TO_GIVE = (
    "program must be a project, the .dll that its build produced (bin/Debug/<framework>/<name>.dll) or the executable "
    "next to it"
)


def resolve_program(program: str, args: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> LaunchSpec:
    """Find out how to start a program.

    `program` is a .dll or an executable, relative to `cwd`; `env` is the program's whole environment. With a
    `cwd` of None it is relative to our own working directory and runs in its `default_folder`. Only reads files.
    Raises LaunchError, which says what to do, for everything that surely would not start or could not be debugged.
    """
    folder = os.path.abspath(os.path.expanduser(cwd)) if cwd else os.getcwd()
    if not program:
        raise LaunchError(f"No program is specified: {_WHAT_TO_GIVE}.")
    if "\0" in program:
        raise LaunchError("The program's path contains a NUL character. Correct program in the launch configuration.")
    path = local_program(Path(os.path.normpath(os.path.join(folder, os.path.expanduser(program)))))
    image = _inspect(path)
    if not cwd:
        folder = default_folder(path, folder)
    if image.kind is ImageKind.ASSEMBLY:
        return _resolve_assembly(path, image, args, folder, env)
    if image.kind in (ImageKind.APPHOST, ImageKind.SINGLE_FILE):
        return _resolve_apphost(path, image, args, folder, env)
    if image.kind is ImageKind.NATIVE:
        return _resolve_native(path, image, args, folder, env)
    raise LaunchError(_why_not(path, image))


def default_folder(program: Path, own_folder: str) -> str:
    """Where a program runs when nobody says: in the workspace, which is our own folder, if the program lies in it.

    An editor that starts us in / or in the home folder has not chosen a workspace. Then it is the program's folder.
    """
    own = os.path.abspath(own_folder)
    if own not in (os.sep, os.path.expanduser("~")) and program.is_relative_to(own):
        return own
    return str(program.parent)


def _inspect(path: Path) -> Image:
    if path.suffix.lower() in _SOURCE_SUFFIXES and os.path.isfile(path):
        raise LaunchError(f"{path} is source, not a program. Build it (dotnet build); then {_WHAT_TO_GIVE}.")
    if os.path.isdir(path):
        raise LaunchError(f"{path} is a folder; {_WHAT_TO_GIVE}.{_programs_in(path)}")
    try:
        return inspect_image(path)
    except (FileNotFoundError, NotADirectoryError):
        raise LaunchError(f"There is no program {path}.{_similar_to(path)}") from None
    except OSError as error:
        is_forbidden = isinstance(error, PermissionError)
        remedy = "Give this user permission to read it." if is_forbidden else "Correct program."
        raise LaunchError(f"The program {path} cannot be read: {error.strerror}. {remedy}") from error


def _programs_in(folder: Path) -> str:
    names = sorted(
        found.name.removesuffix(".runtimeconfig.json") + ".dll" for found in folder.glob("*.runtimeconfig.json")
    )
    return f" It contains {_listing(names)}." if names else ""


def _similar_to(path: Path) -> str:
    missing = path
    while not os.path.isdir(missing.parent):
        missing = missing.parent
    try:
        names = sorted(entry.name for entry in missing.parent.iterdir())
    except OSError:
        return ""
    if missing != path:
        return f" The folder {missing} does not exist either{_close(missing.name, names)}. Build the project first."
    same_stem = [name for name in names if Path(name).stem == path.stem and Path(name).suffix in ("", ".dll")]
    candidates = [name for name in names if Path(name).suffix in ("", ".dll")]
    return f" Build the project first, or correct the name{_close(path.name, same_stem or candidates)}."


def _close(name: str, names: Sequence[str]) -> str:
    by_lower = {candidate.lower(): candidate for candidate in names}
    import difflib

    close = [by_lower[match] for match in difflib.get_close_matches(name.lower(), list(by_lower), n=3, cutoff=0.6)]
    return f" (the folder has {_listing(close)})" if close else ""


def _listing(names: Sequence[str]) -> str:
    shown = list(names[:5])
    rest = len(names) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _resolve_assembly(
    path: Path, image: Image, args: Sequence[str], folder: str, environment: Mapping[str, str]
) -> LaunchSpec:
    if not image.has_entry_point:
        raise LaunchError(
            f"{path} is a class library: it has no Main to start. Use the .dll of the program that uses it, "
            "or make it a program with <OutputType>Exe</OutputType> in its project."
        )
    config_path = _config_path(path)
    if not os.path.isfile(config_path):
        raise LaunchError(
            f"{config_path.name} is missing next to {path}, and without it no runtime can be chosen. Use the .dll in "
            "the output folder of dotnet build or dotnet publish, not the one in obj/, or copy that file too."
        )
    config = read_runtime_config(config_path, environment)
    if config is not None and config.is_self_contained:
        return _resolve_self_contained(path, args, folder, environment)
    host = _choose_host(path, image, config, environment)
    return LaunchSpec((str(host.executable), str(path), *args), folder, dict(environment), str(path))


def _resolve_self_contained(path: Path, args: Sequence[str], folder: str, environment: Mapping[str, str]) -> LaunchSpec:
    executable = path.with_suffix("")
    if not os.path.isfile(executable):
        raise LaunchError(
            f"{path} was published with its own runtime, and only its executable can start it, but there is no "
            f"{executable}. Publish it again with the executable, or without --self-contained."
        )
    return resolve_program(str(executable), args, folder, environment)


def _choose_host(path: Path, image: Image, config: RuntimeConfig | None, environment: Mapping[str, str]) -> DotnetHost:
    """The first host that can start the assembly."""
    hosts = list(find_hosts(environment))
    if not hosts:
        raise LaunchError(
            "No .NET was found through DOTNET_ROOT, PATH or /etc/dotnet/install_location, nor in the usual folders. "
            "Install the .NET runtime, or set DOTNET_ROOT in env to the folder that contains the dotnet program."
        )
    fitting = [host for host in hosts if image.architecture in (None, host.architecture()) or host.root is None]
    if not fitting:
        raise LaunchError(
            f"{path} is compiled for {image.architecture} only, but {hosts[0].executable} is for "
            f"{hosts[0].architecture()}. Build it for AnyCPU or for this machine."
        )
    if config is None:
        return fitting[0]
    for host in fitting:
        if not config.missing(host):
            return host
    raise LaunchError(_missing_frameworks(path, config, fitting))


def _missing_frameworks(path: Path, config: RuntimeConfig, hosts: Sequence[DotnetHost]) -> str:
    missing = config.missing(hosts[0])[0]
    found = [f"{host.root} has {_listing(host.installed(missing.name)) or 'none'}" for host in hosts]
    newest = max((_major(version) for host in hosts for version in host.installed(missing.name)), default=-1)
    is_newer = newest > _major(missing.version)
    roll = " set DOTNET_ROLL_FORWARD=Major in env to run it on a newer one," if is_newer else ""
    return (
        f"{path.name} needs {missing.name} {missing.version}, which is not installed ({'; '.join(found)}). Install "
        f"that version,{roll} or set DOTNET_ROOT in env to an installation that has it."
    )


def _major(version: str) -> int:
    first = version.partition(".")[0]
    return int(first) if first.isdigit() else -1


def _resolve_apphost(
    path: Path, image: Image, args: Sequence[str], folder: str, environment: Mapping[str, str]
) -> LaunchSpec:
    _check_executable(path)
    _check_machine(path, image)
    result = dict(environment)
    assembly = path.with_name(path.name + ".dll")
    config_path = _config_path(assembly)
    is_bundle = image.kind is ImageKind.SINGLE_FILE
    if not is_bundle and os.path.isfile(assembly) and not os.path.isfile(config_path):
        raise LaunchError(
            f"{config_path.name} is missing next to {path}, and without it no runtime can be chosen. Use the one in "
            "the output folder of dotnet build or dotnet publish, or copy that file too."
        )
    config = read_runtime_config(config_path, environment) if os.path.isfile(config_path) else None
    if config is not None and config.is_self_contained:
        return LaunchSpec((str(path), *args), folder, result, f"{path}.dll")
    found = apphost_root(environment)
    own = DotnetHost(found / HOST_NAME, found) if found is not None else None
    if own is None or (config is not None and config.missing(own)):
        host = _choose_host(path, image, config, environment)
        if host.root is not None:
            strong, common = root_variables()
            result[strong if strong in result else common] = str(host.root)
    return LaunchSpec((str(path), *args), folder, result, f"{path}.dll")


def _resolve_native(
    path: Path, image: Image, args: Sequence[str], folder: str, environment: Mapping[str, str]
) -> LaunchSpec:
    """A host of its own, such as corerun or a game engine, which will load a runtime; that cannot be seen before."""
    _check_executable(path)
    _check_machine(path, image)
    return LaunchSpec((str(path), *args), folder, dict(environment))


def _check_executable(path: Path) -> None:
    if not os.access(path, os.X_OK):
        raise LaunchError(f"{path} is not marked executable. Run chmod +x on it.")


def _config_path(assembly: Path) -> Path:
    return assembly.with_name(assembly.stem + ".runtimeconfig.json")


def _check_machine(path: Path, image: Image) -> None:
    machine = machine_architecture()
    if image.architecture not in (None, machine):
        raise LaunchError(
            f"{path} is compiled for {image.architecture}, but this machine is {machine}. Build it for this machine "
            f"(dotnet build -r linux-{machine}), or use the .dll next to it."
        )


def _why_not(path: Path, image: Image) -> str:
    beside = path.with_suffix(".dll") if path.suffix else path.with_name(path.name + ".dll")
    is_there = beside != path and os.path.isfile(beside)
    instead = f"Use {beside.name} next to it." if is_there else f"Note that {_WHAT_TO_GIVE}."
    if image.kind is ImageKind.WINDOWS_NATIVE:
        return f"{path} is a native Windows program, not a .NET assembly. {instead}"
    if image.kind is ImageKind.SCRIPT:
        return f"{path} is a script, not a .NET program. Use the .dll that it starts, or start it yourself and attach."
    if image.kind is ImageKind.SINGLE_FILE_SELF_CONTAINED:
        return (
            f"{path} is a self-contained single-file program, whose runtime has no debugger interface. Debug a "
            "build without PublishSingleFile, or publish it with --self-contained false."
        )
    if image.kind is ImageKind.NATIVE_AOT:
        return f"{path} was compiled ahead of time and needs a native debugger. Debug a build without PublishAot."
    return f"{path} is neither a .NET assembly nor an executable. {instead}"
