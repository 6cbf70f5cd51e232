"""The server: the SDK's protocol in front, the tools behind."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from dap_dotnet import __version__
from dap_dotnet.mcp.caller import Cancelled, Report
from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError, tool_error
from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.prompts import PROMPTS
from dap_dotnet.mcp.resources import KINDS, read_resource, uri_of
from dap_dotnet.mcp.schemas import described
from dap_dotnet.mcp.sessions import Sessions
from dap_dotnet.mcp.tool import Call, Tool
from dap_dotnet.mcp.tools import offered_tools

INSTRUCTIONS = (
    "A debugger for .NET programs. Begin with debug_launch, or debug_launch_test: it stops at a breakpoint, an "
    "exception or in Main and shows source, locals and frames, so look at the answer before asking for more. "
    "execution_continue and execution_step answer in the same way. If a breakpoint is not hit, ask breakpoint_explain. "
    "End with debug_disconnect."
)
_WORKERS = 32
"""Calls that run at once; most of them wait for a program."""
_PROGRESS_S = 0.2
_LONGEST_TEXT = 40_000
_LONGEST_ARGUMENT = 100_000
"""Characters of one text of the arguments."""

Context = ServerRequestContext[Any, Any]


class DebugServer:
    """A server with its sessions. `server` is the SDK's."""

    def __init__(self, options: ServerOptions, sessions: Sessions | None = None) -> None:
        self.options = options
        self.sessions = sessions or Sessions(options.adapter_options)
        self.sessions.on_event = self._on_event
        self.sessions.on_list_changed = self._on_list_changed
        self._tools = {tool.name: tool for tool in offered_tools(options)}
        self._bus = InMemorySubscriptionBus()
        self._owners: dict[str, ServerSession] = {}
        """Who is told of a session's stops: the connection that used it last."""
        self._subscribed: dict[str, ServerSession] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._limiter: anyio.CapacityLimiter | None = None
        self.server: Server[Any] = Server(
            "dap-dotnet",
            version=__version__,
            title="dap-dotnet: a debugger for .NET",
            instructions=INSTRUCTIONS,
            lifespan=self._lifespan,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=ListenHandler(self._bus),
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        # What `notifications/message` needs to be announced; every level is sent.
        self.server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self._set_level)

    @asynccontextmanager
    async def _lifespan(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        self._loop = asyncio.get_running_loop()
        self._limiter = anyio.CapacityLimiter(_WORKERS)
        try:
            yield {}
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self.sessions.end_all)
            self._loop = None

    # tools

    async def _list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(described(tool), by_name=False) for tool in self._tools.values()]
        )

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            return _failed(ToolError("UNKNOWN_TOOL", f"There is no tool {params.name[:100]!r} on this server."))
        longest = _longest_text(params.arguments)
        if longest > _LONGEST_ARGUMENT:
            problem = f"A text of {longest:,} characters is too long; {_LONGEST_ARGUMENT:,} are allowed."
            return _failed(ToolError("INVALID_ARGUMENTS", problem))
        try:
            arguments = tool.arguments.model_validate(params.arguments or {})
        except ValidationError as error:
            return _failed(ToolError("INVALID_ARGUMENTS", _problems(error)))
        call = Call(self.sessions, self.options, self._reporter(context))
        try:
            return await anyio.to_thread.run_sync(
                self._run, tool, call, arguments, context.session, abandon_on_cancel=True, limiter=self._limiter
            )
        finally:
            call.cancel()

    def _run(self, tool: Tool, call: Call, arguments: Any, client: ServerSession) -> types.CallToolResult:
        try:
            answer = tool.run(call, arguments)
            structured = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
            text = answer.to_text()
        except Cancelled:
            return _failed(ToolError("CANCELLED", "The call was cancelled."))
        except Exception as error:
            return _failed(tool_error(error))
        session_id = structured.get("session")
        if session_id is not None:
            self._owners[session_id] = client
        if len(text) > _LONGEST_TEXT:
            text = f"{text[:_LONGEST_TEXT]}\n… ({len(text) - _LONGEST_TEXT:,} more characters in the structured answer)"
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=structured)

    def _reporter(self, context: Context) -> Report:
        """Sends progress to a caller that has asked for it, some times a second; not for what is done at once."""
        loop, last = self._loop, time.monotonic()

        def report(done: float, total: float | None, text: str) -> None:
            nonlocal last
            now = time.monotonic()
            if loop is None or now - last < _PROGRESS_S:
                return
            last = now
            asyncio.run_coroutine_threadsafe(context.session.report_progress(done, total, text), loop)

        return report

    # events

    def _on_event(self, session: DebugSession, event: str) -> None:
        """A stop or an end; on the session's thread."""
        stop = session.stop
        data: dict[str, Any] = {"event": event, "session": session.id}
        if stop is not None:
            data |= {"reason": stop.body.get("reason"), "thread_id": stop.thread_id, "number": stop.number}
        elif session.exit_code is not None:
            data["exit_code"] = session.exit_code
        self._on_loop(self._tell(session.id, data))

    def _on_list_changed(self) -> None:
        """A session came or went, and its resources with it; on any thread."""
        self._on_loop(self._bus.publish(ResourcesListChanged()))

    def _on_loop(self, work: Coroutine[Any, Any, None]) -> None:
        loop = self._loop
        try:
            if loop is not None and not loop.is_closed():
                asyncio.run_coroutine_threadsafe(work, loop)
                return
        except RuntimeError:  # the loop was closed meanwhile
            pass
        work.close()

    async def _tell(self, session_id: str, data: dict[str, Any]) -> None:
        uris = [uri_of(session_id, kind) for kind in KINDS]
        for uri in uris:
            await self._bus.publish(ResourceUpdated(uri=uri))
        owner = self._owners.get(session_id)
        try:
            if owner is not None and owner.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                message = types.LoggingMessageNotificationParams(level="info", logger="debug", data=data)
                await owner.send_notification(types.LoggingMessageNotification(params=message))
            for uri in uris:
                subscriber = self._subscribed.get(uri)
                if subscriber is not None:
                    await subscriber.send_resource_updated(uri)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, MCPError):
            self._owners.pop(session_id, None)  # that connection is gone

    async def _set_level(self, _: Context, __: types.SetLevelRequestParams) -> types.EmptyResult:
        return types.EmptyResult()

    # resources

    async def _list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    uri=uri_of(session.id, kind), name=f"{session.id} {kind}", description=text, mime_type="text/plain"
                )
                for session in self.sessions.all()
                for kind, text in KINDS.items()
            ]
        )

    async def _list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=uri_of("{session}", kind), name=kind, description=text, mime_type="text/plain"
                )
                for kind, text in KINDS.items()
            ]
        )

    async def _read_resource(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            text = read_resource(self.sessions, params.uri)
        except ToolError as error:
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"{error.code}: {error.message} {error.remedy}"
            ) from error
        contents = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._subscribed[params.uri] = context.session
        return types.EmptyResult()

    async def _unsubscribe(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.pop(params.uri, None)
        return types.EmptyResult()

    # prompts

    async def _list_prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    description=prompt.description,
                    arguments=[
                        types.PromptArgument(name=name, description=text, required=True)
                        for name, text in prompt.arguments.items()
                    ],
                )
                for prompt in PROMPTS
            ]
        )

    async def _get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = next((prompt for prompt in PROMPTS if prompt.name == params.name), None)
        if prompt is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {params.name!r}.")
        missing = [name for name in prompt.arguments if not (params.arguments or {}).get(name)]
        if missing:
            raise MCPError(code=types.INVALID_PARAMS, message=f"The prompt needs {', '.join(missing)}.")
        content = types.TextContent(type="text", text=prompt.filled(params.arguments or {}))
        return types.GetPromptResult(
            description=prompt.description, messages=[types.PromptMessage(role="user", content=content)]
        )


def _longest_text(value: Any) -> int:
    """The length of the longest text in arguments, keys included."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return max((max(len(key), _longest_text(item)) for key, item in value.items()), default=0)
    if isinstance(value, list):
        return max((_longest_text(item) for item in value), default=0)
    return 0


def _problems(error: ValidationError) -> str:
    """What is wrong with arguments, each with its name; without the values, which may be long."""
    found = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False, include_context=False)[:10]
    ]
    return "; ".join(text[:300] for text in found)


def _failed(error: ToolError) -> types.CallToolResult:
    details = {"code": error.code, "message": error.message, "remedy": error.remedy}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{error.code}: {error.message}\n{error.remedy}")],
        structured_content={"error": details},
        is_error=True,
    )
