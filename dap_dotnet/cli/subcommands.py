"""Which subcommand a command line asks for; each is loaded when it is wanted."""

from __future__ import annotations

from dap_dotnet.startup.options import AdapterOptions


def run_subcommand(arguments: list[str], options: AdapterOptions) -> int:
    """Run the subcommand that `arguments` begins with, and return its exit code.

    `options` are handed to the adapter that is started. Exits by itself with 2 on a usage error.
    """
    if arguments[0] == "ps":
        from dap_dotnet.cli.ps import ps

        return ps(arguments[1:])
    if arguments[0] == "dump":
        from dap_dotnet.cli.dump import dump

        return dump(arguments[1:])
    if arguments[0] == "doctor":
        from dap_dotnet.cli.doctor import doctor

        return doctor(arguments[1:])
    if arguments[0] == "config":
        from dap_dotnet.cli.editor_setups import config

        return config(arguments[1:])
    if arguments[0] == "mcp":
        from dap_dotnet.mcp.command import serve_tools

        return serve_tools(arguments[1:], options.to_arguments())
    from dap_dotnet.cli.arguments import parse_debug_arguments

    parsed = parse_debug_arguments(arguments)
    if parsed.lists_tests:
        from dap_dotnet.cli.test_list import list_tests

        return list_tests(list(parsed.lists_tests), as_json=parsed.json)
    if not parsed.debugs:
        from dap_dotnet.cli.test_run import run_tests

        return run_tests(parsed)
    from dap_dotnet.cli.debug import debug

    return debug(parsed, options)
