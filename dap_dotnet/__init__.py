"""dap-dotnet: a debugger for .NET that speaks the Debug Adapter Protocol."""

__version__ = "0.1.0"
