"""``config``: the set-up of an editor, to be put into its configuration. docs/editors.md has the same texts."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable

_NVIM = """\
local dap = require("dap")

dap.adapters["dap-dotnet"] = {
  type = "executable",
  command = COMMAND,
}

local configurations = {
  {
    type = "dap-dotnet",
    request = "launch",
    name = ".NET: launch",
    program = function() -- a folder with a project, which is built first, a project, or a .dll
      return vim.fn.input("Project or program: ", vim.fn.getcwd(), "file")
    end,
    console = "integratedTerminal",
  },
  {
    type = "dap-dotnet",
    request = "attach",
    name = ".NET: attach",
    processId = require("dap.utils").pick_process,
  },
}
for _, language in ipairs({ "cs", "fsharp", "vb" }) do
  dap.configurations[language] = configurations
end
"""

_EMACS = """\
(require 'dap-mode)
(require 'dap-ui)

(defun dap-dotnet-configure (configuration)
  "Name the adapter, and ask for what a template leaves open."
  (let ((launch (equal (plist-get configuration :request) "launch")))
    (append
     (list :dap-server-path (list COMMAND))
     (unless (plist-get configuration :cwd)
       (list :cwd (expand-file-name default-directory)))
     (when (and launch (not (plist-get configuration :program)))
       (list :program (expand-file-name (read-file-name "Project or program: "))))
     (unless (or launch (plist-get configuration :processId))
       (list :processId (read-number "Process id: ")))
     configuration)))

(dap-register-debug-provider "dap-dotnet" #'dap-dotnet-configure)

(dap-register-debug-template
 ".NET: launch" (list :type "dap-dotnet" :request "launch" :name ".NET: launch"))
(dap-register-debug-template
 ".NET: attach" (list :type "dap-dotnet" :request "attach" :name ".NET: attach"))
"""

_HELIX = """\
[[language]]
name = "c-sharp"

[language.debugger]
name = "dap-dotnet"
transport = "stdio"
command = COMMAND

[[language.debugger.templates]]
name = "launch"
request = "launch"
completion = [{ name = "project or program", completion = "filename" }]
args = { program = "{0}" }

[[language.debugger.templates]]
name = "attach"
request = "attach"
completion = ["pid"]
args = { processId = "{0}" }
"""

_VSCODE = """\
{
    "version": "0.2.0",
    "configurations": [
        {
            "name": ".NET: launch",
            "type": "dap-dotnet",
            "request": "launch",
            "program": "${workspaceFolder}",
            "args": []
        },
        {
            "name": ".NET: attach",
            "type": "dap-dotnet",
            "request": "attach",
            "processId": "${command:pickProcess}"
        }
    ]
}
"""

_ZED = """\
// settings.json
{
  "dap": {
    "netcoredbg": { "binary": COMMAND, "args": ["--interpreter=vscode"] }
  }
}

// .zed/debug.json
[
  {
    "label": ".NET: launch",
    "adapter": "netcoredbg",
    "request": "launch",
    "program": "$ZED_WORKTREE_ROOT",
    "cwd": "$ZED_WORKTREE_ROOT"
  }
]
"""

_KATE = """\
{
  "dap": {
    "dap-dotnet": {
      "run": { "command": [COMMAND] },
      "configurations": {
        "launch": {
          "request": {
            "command": "launch",
            "program": "${file}",
            "args": "${args|list}",
            "cwd": "${workdir}"
          }
        },
        "attach": {
          "request": { "command": "attach", "processId": "${pid|int}" }
        }
      }
    }
  }
}
"""

_PLACES = {
    "nvim": "in init.lua, with the plugin nvim-dap",
    "emacs": "in init.el, with the package dap-mode",
    "helix": "in ~/.config/helix/languages.toml",
    "kate": "in Configure Kate, Debugger, User Settings, with the debugger plug-in",
    "vscode": "in .vscode/launch.json, with the extension of dap-dotnet",
    "zed": "in the two files that it names, with an extension that has netcoredbg as a debug adapter",
}
SETUPS = {"nvim": _NVIM, "emacs": _EMACS, "helix": _HELIX, "kate": _KATE, "vscode": _VSCODE, "zed": _ZED}
"""Editor -> its text, in which the word COMMAND stands for the adapter, as a string of its language."""


def setup_text(editor: str, command: str) -> str:
    """The set-up of an editor that starts the adapter by `command`."""
    quoted: Callable[[str], str] = json.dumps if editor in ("helix", "kate", "zed") else _quoted
    return SETUPS[editor].replace("COMMAND", quoted(command))


def _quoted(text: str) -> str:
    """As Lua and Emacs Lisp read it: both take characters beyond ASCII as they are."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def own_command() -> str:
    """What starts this dap-dotnet: its name where PATH has it, else its path."""
    name = "dap-dotnet"
    own = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) == name else shutil.which(name)
    on_path = shutil.which(name)
    return name if on_path is not None and own is not None and os.path.samefile(on_path, own) else own or name


def config(arguments: list[str]) -> int:
    """``dap-dotnet config EDITOR``: the text to standard output, where it belongs to standard error."""
    parser = argparse.ArgumentParser(
        prog="dap-dotnet config", description="Print an editor's set-up, to be added to its configuration."
    )
    parser.add_argument("editor", choices=sorted(SETUPS), help="the editor")
    parser.add_argument("--command", metavar="PATH", help="what starts the adapter (default: this program)")
    found = parser.parse_args(arguments)
    if sys.stdout.isatty():
        print(f"Put this {_PLACES[found.editor]}:\n", file=sys.stderr, flush=True)
    print(setup_text(found.editor, found.command or own_command()), end="")
    return 0
