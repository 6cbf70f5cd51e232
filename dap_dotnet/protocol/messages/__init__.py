"""Pydantic models of the DAP messages that dap-dotnet uses, one module per family.

Import the family that is needed and nothing else: each model costs start-up time, and `initialize` is answered before
most of them are wanted. Class names are those of the protocol's schema, with ``ResponseBody`` and ``EventBody`` for
the bodies that it leaves without a name. Python names are snake_case; the camelCase of the wire lives in aliases only.
"""
