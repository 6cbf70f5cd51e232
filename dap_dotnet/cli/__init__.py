"""The subcommands of ``dap-dotnet``: clients of the adapter for a shell."""
