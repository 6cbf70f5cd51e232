"""`source`, and how responses name a source."""

from __future__ import annotations

import logging
import threading

import msgspec

from dap_dotnet.errors import DapDotnetError, InternalError
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.sources import Source, SourceArguments, SourceResponseBody
from dap_dotnet.runtime.model import ModuleId
from dap_dotnet.server import DEFERRED, Deferred, PendingRequest, RequestCancelledError
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import SpanBody, span_body
from dap_dotnet.source_lines import decoded
from dap_dotnet.symbols.frames import FrameDescription
from dap_dotnet.symbols.source_texts import SourceText, SourceUnavailableError
from dap_dotnet.symbols.spans import Span

_log = logging.getLogger(__name__)
_ANSWER_TIMEOUT_S = 15.0
"""After so long a download is given up, whatever it waits for."""


def source_body(session: Session, path: str, module: ModuleId | None) -> Source:
    """The document at a local path, in the client's conventions; with a number where it is to be asked for its text.

    `module` is the one whose PDB names the document; None: any.
    """
    body = Source(name=file_name(path), path=session.view.path_to_client(path))
    reference = session.source_texts.reference(path, session.known_module(module))
    text = session.source_texts.get(reference)
    if text is not None:
        body.source_reference, body.origin = reference, text.origin
    return body


def placed(session: Session, path: str, span: Span | None, module: ModuleId | None) -> tuple[Source, SpanBody]:
    """A document and a place in it. If the file was edited since, where the place is now.

    If its lines are not there any more, the document is the text that the program was built from.
    """
    now = session.span_now(path, span) if span is not None else None
    if span is None or now is not None:
        return source_body(session, path, module), span_body(now, session.view)
    paths = session.breakpoints.resolver.lines.paths
    document, content = paths.find(path).taken[0].document, paths.runs(path).content
    assert content is not None
    reference = session.source_texts.of_before(path, document, content)
    text = session.source_texts.get(reference)
    assert text is not None
    body = Source(name=file_name(text.path), path=session.view.path_to_client(text.path))
    body.source_reference, body.origin = reference, text.origin
    return body, span_body(span, session.view)


def described_now(session: Session, described: FrameDescription) -> FrameDescription:
    """A frame with its place in the file as it is now; without a line where that was changed."""
    if described.path is None or described.span is None:
        return described
    return msgspec.structs.replace(described, span=session.span_now(described.path, described.span))


def source(session: Session, arguments: SourceArguments) -> SourceResponseBody | Deferred:
    """The text of a source that is not a local file. If it has to be downloaded, the response waits for that."""
    texts, asked = session.source_texts, arguments.source
    text = texts.get(arguments.source_reference or (asked.source_reference if asked is not None else None) or 0)
    path = session.view.path_from_client(asked.path) if asked is not None and asked.path else ""
    if path and (text is None or text.path != path):  # a number of the program before a restart
        text = texts.get(texts.reference(path))
    if text is None:
        raise SourceUnavailableError(
            "This source has no text in the debugger: it is a file, or was part of an earlier session."
        )
    if text.content is not None:
        return SourceResponseBody(content=decoded(text.content))
    _Download(session, text, session.server.current_request).start()
    return DEFERRED


class _Download:
    """A request for a source that has to be downloaded. `_run` on a thread of its own, all else on the session's."""

    def __init__(self, session: Session, text: SourceText, request: PendingRequest) -> None:
        self._server = session.server
        self._must_be_right = session.options.require_exact_source
        self._text = text
        self._request = request

    def start(self) -> None:
        self._request.on_cancel = lambda: self._fail(RequestCancelledError())
        self._server.call_later(_ANSWER_TIMEOUT_S, self._give_up)
        threading.Thread(target=self._run, name="source", daemon=True).start()

    def _run(self) -> None:
        from dap_dotnet.symbols.source_download import download

        try:
            content = download(self._text.url, self._text.check)
        except DapDotnetError as error:
            failure = error
        except Exception as error:
            _log.exception("%s could not be downloaded", self._text.url)
            failure = InternalError(f"{self._text.url} could not be downloaded: {error!r}.")
        else:
            self._server.post(lambda: self._take(content))
            return
        self._server.post(lambda: self._fail(failure))

    def _take(self, content: bytes) -> None:
        if self._must_be_right and self._text.check(content) is False:
            self._fail(
                SourceUnavailableError(
                    f"The source at {self._text.url} is not the one that the program was compiled from: its checksum "
                    "is another. With requireExactSource false it is shown all the same."
                )
            )
        elif not self._request.is_answered:
            self._request.respond(SourceResponseBody(content=decoded(content)))

    def _give_up(self) -> None:
        self._fail(SourceUnavailableError(f"{self._text.url} did not answer within {_ANSWER_TIMEOUT_S:g} s."))

    def _fail(self, error: DapDotnetError) -> None:
        if not self._request.is_answered:
            self._request.fail(error)
