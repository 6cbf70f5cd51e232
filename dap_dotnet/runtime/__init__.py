"""The debuggee behind a typed seam.

`api` is what the rest of dap-dotnet sees, with the terms of `model` and the events of `events`; `cordebug` drives it
through ICorDebug.
"""
