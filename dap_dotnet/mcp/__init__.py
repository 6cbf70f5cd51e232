"""The debugger as tools: a server of the Model Context Protocol, for agents.

Each debug session is an adapter process of its own behind `dap_dotnet.client`: what an editor sees, an agent sees.
"""
