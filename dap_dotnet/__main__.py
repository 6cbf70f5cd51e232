"""``dap-dotnet``: the adapter on standard input and output, or a subcommand."""

from __future__ import annotations

import os
import sys

from dap_dotnet.startup.options import REQUIRED_TOKEN_VARIABLE, AdapterOptions, UsageError, parse_adapter_options

HELP = """\
usage: dap-dotnet [OPTIONS]                      a debug adapter on standard input and output, for an editor to start
       dap-dotnet [OPTIONS] run [...] PROGRAM    run a .NET program under the debugger
       dap-dotnet [OPTIONS] test [...] PROJECT   run a project's tests under the debugger
       dap-dotnet [OPTIONS] attach [...] PID     debug a running .NET program
       dap-dotnet [OPTIONS] core [...] FILE      look into a core dump of a .NET program
       dap-dotnet ps                             list the .NET programs that can be attached to
       dap-dotnet config EDITOR                  print the set-up of nvim, emacs, helix, kate, vscode, zed
       dap-dotnet doctor                         find out what prevents debugging on this machine
       dap-dotnet [OPTIONS] mcp [...]            the debugger as tools for agents (Model Context Protocol)

options:
  --log FILE              write a trace to FILE
  --log-level LEVEL       error, warning, info or debug (every message; the default with --log)
  --listen [HOST:]PORT    wait for editors on this address; each is served by its own process. An address that other
                          machines can reach needs a token, in DAP_DOTNET_TOKEN, which editors send as serverToken
  --server[=PORT]         the same, as other .NET debug adapters spell it; the port is 4711 by default
  --interpreter=vscode    accepted and ignored: editors pass it to other .NET debug adapters
  --version [--verbose]   show the version; also the native part's, and which parts of the accelerator work
  --help                  show this; a subcommand has its own --help
"""

_SUBCOMMANDS = ("run", "test", "attach", "core", "peek", "ps", "doctor", "config", "mcp")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line (None: this process's own) and return the exit code."""
    try:
        options, rest = parse_adapter_options(sys.argv[1:] if arguments is None else arguments)
        if not rest and options.listen is not None:
            from dap_dotnet.cli.listening import listen, parse_address, take_token

            token = take_token(os.environ)
            return listen(parse_address(options.listen, has_token=token is not None), options.to_arguments(), token)
        if not rest:
            return _serve(options)
        if rest[0] in ("--help", "-h"):
            print(HELP, end="")
            return 0
        if rest[0] == "--version":
            from dap_dotnet import __version__

            print(f"dap-dotnet {__version__}")
            if "--verbose" in rest:
                from dap_dotnet.cli.doctor_checks import accelerator
                from dap_dotnet.runtime._shim import VERSION

                print(f"native part: version {VERSION}")
                for finding in accelerator(os.environ):
                    print(f"{finding.name}: {finding.message}")
            return 0
        if rest[0] not in _SUBCOMMANDS:
            raise UsageError(f"unknown command {rest[0]!r}; the commands are {', '.join(_SUBCOMMANDS)}")
        from dap_dotnet.cli.subcommands import run_subcommand

        return run_subcommand(rest, options)
    except UsageError as error:
        print(f"dap-dotnet: {error}", file=sys.stderr)
        return 2


def _serve(options: AdapterOptions) -> int:
    from dap_dotnet.startup.kept_modules import KeptModules

    modules = KeptModules()
    modules.serve()
    from dap_dotnet.startup.process import EndSignals, hasten_imports

    hasten_imports()
    if sys.stdin is not None and sys.stdin.isatty():
        print(
            "dap-dotnet speaks the Debug Adapter Protocol here, for an editor that starts it. Try --help.",
            file=sys.stderr,
        )
    from dap_dotnet.protocol.transport import claim_stdio
    from dap_dotnet.startup.log import configure_logging

    reader, writer = claim_stdio()  # before any file is opened, which could take the number of a closed descriptor
    configure_logging(options)
    from dap_dotnet.adapter import serve

    token = os.environ.pop(REQUIRED_TOKEN_VARIABLE, None)  # popped: programs that are debugged do not need it
    signals = EndSignals()
    serve(reader, writer, signals=signals, token=token)
    modules.write()
    return signals.exit_code


if __name__ == "__main__":
    sys.exit(main())
