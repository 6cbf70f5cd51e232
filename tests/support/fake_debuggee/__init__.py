"""The one fake of the seam `dap_dotnet.runtime.api`, without any .NET.

`FakeDebuggee` keeps the seam's rules and is strict about them: what they forbid is refused as the real debuggee refuses
it, and noted in `violations`. A test has it stand still (`stand`) and gives it frames, or has a Python function play
the program on a thread of its own (`FakeBackend`, `Machine`).
"""
