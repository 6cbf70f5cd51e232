"""Writes docs/requests.md and docs/command-line.md: every request and event, every command line option.

`--check` only reports whether both are up to date. Requests come from the table of handlers and their docstrings and
models, options from the parsers of the subcommands.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))

from dap_dotnet.handlers import HANDLERS  # noqa: E402
from dap_dotnet.protocol.messages.tests import EVENT_NAMES  # noqa: E402
from dap_dotnet.server.handlers import HandlerTable, arguments_model, response_models  # noqa: E402
from scripts.reference_models import members_table, nested_models, prose, wire_names  # noqa: E402

OWN = "dap-dotnet/"
REQUESTS = ROOT / "docs" / "requests.md"
COMMANDS = ROOT / "docs" / "command-line.md"
MADE = "<!-- Made by scripts/reference.py; change it there, or in the code that it is made from. -->"
SPECIFICATION = "https://microsoft.github.io/debug-adapter-protocol/specification"
SUBCOMMANDS = ("run", "test", "attach", "core", "peek", "ps", "doctor", "config", "mcp")
BY_THE_SERVER = {
    "initialize": ("Tell the adapter the client's conventions, and learn the adapter's capabilities.", "initialize"),
    "cancel": ("Cancel a request that is running or waiting; it is answered with `cancelled`.", "lifecycle"),
}
"""Requests that the server answers itself."""
MODELS_OF_SERVER = {"initialize": "InitializeRequestArguments", "cancel": "CancelArguments"}
ENVIRONMENT = {
    "DAP_DOTNET_ACCELERATOR": "`0`: without the accelerator for the runtime's data access",
    "DAP_DOTNET_DEFECTS": "`raise`: a defect in following a method's code fails the evaluation, for tests; "
    "else it is a line in the log, and the program runs the method",
    "DAP_DOTNET_GUARDIAN_LOG": "a file in which the process that guards a program writes what it does",
    "DAP_DOTNET_MCP_TOKEN": "the token of `dap-dotnet mcp --http`; without it one is made",
    "DAP_DOTNET_HIT_TEST": "`0`: Python decides each hit of a condition; `plan`: no reads of registers and memory",
    "DAP_DOTNET_READ_PLAN": "`0`: do not read ahead what conditions and log messages need",
    "DAP_DOTNET_REQUIRED_TOKEN": "what a client has to send as `serverToken`; set by `--listen` for its adapters",
    "DAP_DOTNET_TOKEN": "the token of `--listen`, of 16 characters or more; clients send it as `serverToken`",
    "DAP_DOTNET_TRUST_RUNTIME": "`1`: attach also where others could have written the runtime's debugger library",
}
"""Variables that the adapter reads. A test holds this against the sources."""


def requests() -> str:
    """docs/requests.md."""
    own = {command for command in HANDLERS if command.startswith(OWN)}
    lines = [
        "# Requests and events",
        "",
        MADE,
        "",
        "What the adapter answers and sends, for authors of clients. Members have the meanings of the",
        f"[specification]({SPECIFICATION}); those that are not named are ignored.",
        "A `?` marks members that may be omitted or null.",
        "",
        "## Requests of the protocol",
        "",
        "| request | | arguments |",
        "|---|---|---|",
    ]
    for command, (text, family) in BY_THE_SERVER.items():
        module = importlib.import_module(f"dap_dotnet.protocol.messages.{family}")
        names = wire_names(getattr(module, MODELS_OF_SERVER[command]))
        lines.append(row(f"`{command}`", text, names))
    for command in sorted(HANDLERS.keys() - own):
        function = handler(command)
        model = arguments_model(function)
        names = ""
        if command in ("launch", "attach"):
            names = "[attributes](launch-attributes.md)"
        elif model is not None:
            names = wire_names(model)
        lines.append(row(f"`{command}`", " ".join(prose(function.__doc__).split("\n\n")[0].split()), names))
    lines += [
        "",
        "Any other request fails with a message that names it. Each request has exactly one response.",
        "",
        "## Capabilities",
        "",
        "The response to `initialize` announces:",
        "",
    ]
    announced = HandlerTable(HANDLERS).capabilities().to_wire()
    lines += [capability(name, value) for name, value in sorted(announced.items())]
    lines += ["", "## Custom requests", ""]
    lines += [
        "They can be sent at any time of a session; those that need a stopped program fail with `notStopped`.",
        "",
    ]
    for command in sorted(own):
        lines += own_request(command)
    lines += ["## Events", "", "| event |", "|---|"]
    lines += [f"| `{name}` |" for name in sorted(names_given_to("_send", "send_event") | {*EVENT_NAMES.values()})]
    lines += ["", "## Requests to the client", "", "| request |", "|---|"]
    lines += [f"| `{name}` |" for name in sorted(names_given_to("send_request"))]
    return "\n".join(lines) + "\n"


def capability(name: str, value: Any) -> str:
    """A line of the list: flags alone, others with what they say."""
    if value is True:
        return f"- `{name}`"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f"- `{name}`: {', '.join('`' + one['filter'] + '`' for one in value)}"
    return f"- `{name}`: {', '.join(f'`{one}`' for one in value)}"


def own_request(command: str) -> list[str]:
    """A section: what the request does, its arguments, its body, and the objects in them."""
    function = handler(command)
    lines = [f"### {command}", "", prose(function.__doc__), ""]
    models: list[tuple[str, type[BaseModel]]] = [("Body", model) for model in response_models(function)]
    arguments = arguments_model(function)
    if arguments is not None:
        models.insert(0, ("Arguments", arguments))
    shown: set[type[BaseModel]] = set()
    for title, model in models:
        lines += [f"**{title}.** {prose(model.__doc__)}", "", *members_table(model)]
        for inner in nested_models(model):
            if inner not in shown:
                shown.add(inner)
                lines += [f"`{inner.__name__}`: {prose(inner.__doc__)}", "", *members_table(inner)]
    return lines


def handler(command: str) -> Any:
    """The function that answers a request."""
    module, _, name = HANDLERS[command].target.partition(":")
    return getattr(importlib.import_module(module), name)


def row(*cells: str) -> str:
    """A row of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def names_given_to(*functions: str) -> set[str]:
    """The text constants that calls of these methods have as their first argument, in the server and the session."""
    found: set[str] = set()
    for folder in ("server", "session"):
        for path in (ROOT / "dap_dotnet" / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in functions:
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        found.add(first.value)
    return found


def commands() -> str:
    """docs/command-line.md."""
    from dap_dotnet.__main__ import HELP

    lines = ["# Command line", "", MADE, "", "```", HELP.strip(), "```"]
    for name in SUBCOMMANDS:
        lines += ["", f"## dap-dotnet {name}", "", *subcommand(name)]
    read = variables_read()
    if read != set(ENVIRONMENT):
        raise SystemExit(
            f"ENVIRONMENT in scripts/reference.py and the sources differ: {sorted(read ^ set(ENVIRONMENT))}"
        )
    lines += ["", "## Environment", "", "Variables of the adapter's environment:", "", "| variable | |", "|---|---|"]
    lines += [f"| `{name}` | {text} |" for name, text in ENVIRONMENT.items()]
    return "\n".join(lines) + "\n"


def variables_read() -> set[str]:
    """The environment variables of our own that the sources name."""
    sources = [*(ROOT / "dap_dotnet").rglob("*.py"), *(ROOT / "cordebug_shim").rglob("*.c*")]
    names = {name for path in sources for name in re.findall(r"\bDAP_DOTNET_\w+", path.read_text(encoding="utf-8"))}
    return {name for name in names if not name.startswith("DAP_DOTNET_LAUNCHER_")}  # guards of headers


def subcommand(name: str) -> list[str]:
    """What `dap-dotnet NAME --help` says, as tables."""
    parser = parser_of(name)
    usage = (parser.usage or "").replace("%(prog)s", parser.prog)
    lines = [f"`{usage}`", ""] if usage else []
    lines += [str(parser.description), ""]
    rows_of: dict[str | None, list[str]] = {None: []}
    for group in parser._action_groups:
        shown = [option_row(parser, one) for one in group._group_actions if "--help" not in one.option_strings]
        rows_of.setdefault(group.description, []).extend(shown)
    for text, rows in rows_of.items():
        if rows:
            lines += [text, ""] if text else []
            lines += ["| | |", "|---|---|", *rows, ""]
    if parser.epilog:
        lines += [parser.epilog, ""]
    return lines[:-1]


def option_row(parser: Any, action: Any) -> str:
    """The option and its help; that of an option which belongs to another begins with a space."""
    text = str(action.help or "") % {**vars(action), "prog": parser.prog}
    text = f"… {text.strip()}" if text.startswith(" ") else text
    return row(", ".join(f"`{shown}`" for shown in spelled(action)), text)


def spelled(action: Any) -> list[str]:
    """The option with its value, in each of its spellings; a positional argument by its name."""
    value = action.metavar
    if value is None and action.choices:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    elif value is None and action.nargs != 0:
        value = action.dest.upper()
    if not action.option_strings:
        return [str(value)]
    return [option if action.nargs == 0 else f"{option} {value}" for option in action.option_strings]


def parser_of(name: str) -> Any:
    """The parser of a subcommand, taken where it would print its help."""
    import argparse

    from dap_dotnet.cli.subcommands import run_subcommand
    from dap_dotnet.startup.options import AdapterOptions

    taken: list[argparse.ArgumentParser] = []

    @contextlib.contextmanager
    def instead_of_printing() -> Iterator[None]:
        original = argparse.ArgumentParser.print_help
        argparse.ArgumentParser.print_help = lambda self, file=None: taken.append(self)  # type: ignore[method-assign]
        try:
            yield
        finally:
            argparse.ArgumentParser.print_help = original  # type: ignore[method-assign]

    with instead_of_printing(), contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        run_subcommand([name, "--help"], AdapterOptions())
    (parser,) = taken
    return parser


def main() -> int:
    """Write or check."""
    made = {REQUESTS: requests(), COMMANDS: commands()}
    old = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for path in old:
            print(
                f"{path.relative_to(ROOT)} is out of date: run .venv/bin/python scripts/reference.py", file=sys.stderr
            )
        return int(bool(old))
    for path in old:
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
