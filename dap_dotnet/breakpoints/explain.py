"""Why a breakpoint is or is not hit, in words: what was looked at, what matched, what happened since."""

from __future__ import annotations

import os
from typing import Literal

from msgspec import Struct, structs

from dap_dotnet.breakpoints.binding import PdbResolver
from dap_dotnet.breakpoints.lines.paths import Candidate, Certainty
from dap_dotnet.breakpoints.lines.resolver import lacks_symbols_near
from dap_dotnet.breakpoints.model import (
    Bound,
    Disabled,
    FieldPlace,
    FunctionPlace,
    InstructionPlace,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Place,
    Settings,
    Site,
    Unbound,
)
from dap_dotnet.breakpoints.resolution import Resolution
from dap_dotnet.breakpoints.verdicts import Tally
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, SymbolState

StateName = Literal["bound", "pending", "unbound", "disabled", "none"]
NOT_REACHED = "No thread has reached it yet."
MOST_SITES = 10
"""Sites that are listed one by one."""

_MATCHES = {
    Certainty.SAME_PATH: "is this file",
    Certainty.SAME_CONTENT: "has the same name and checksum: it is taken to be this file",
    Certainty.SAME_SUFFIX: "ends in the same folder and file names",
}


class Finding(Struct, frozen=True):
    """What one module has for a breakpoint. `document` is the name in its PDB, where one matched or nearly did."""

    module: LoadedModule
    text: str
    document: str | None = None


class Explanation(Struct, frozen=True):
    """`state` none: there is no breakpoint at the place."""

    state: StateName
    code: str
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]


class Explainer:
    """Explains breakpoints of one session. Session thread only."""

    def __init__(self, modules: ModuleCatalog, resolver: PdbResolver, *, just_my_code: bool) -> None:
        self._modules = modules
        self._resolver = resolver
        self._just_my_code = just_my_code

    def explain(self, logical: LogicalBreakpoint, tally: Tally, not_hit: str = NOT_REACHED) -> Explanation:
        """A breakpoint that is set; `not_hit` is what to say of one that was not hit."""
        state = logical.state
        sentences = [f"Breakpoint {logical.id}, {_place_text(logical.place)}."]
        code = ""
        name: StateName
        match state:
            case Bound():
                sentences += self._bound(state, logical, tally, not_hit)
                name, code = "bound", state.code
            case Pending():
                sentences.append(f"It cannot be hit: {state.reason}" if state.failed else state.reason)
                name, code = "pending", state.code
            case Unbound():
                sentences.append(state.reason)
                name = "unbound"
            case Disabled():
                sentences.append("It is disabled: nothing is set in the program.")
                name = "disabled"
        findings = self._findings(logical.place)
        return Explanation(name, code, (*sentences, self._looked_at(findings)), tuple(findings))

    def explain_place(self, place: Place) -> Explanation:
        """A place without a breakpoint: what would become of one."""
        resolution = self._resolver.resolve(place, None)
        sentences = [f"There is no breakpoint at {_place_text(place)}.", *_would_be(resolution)]
        findings = self._findings(place)
        return Explanation("none", resolution.code, (*sentences, self._looked_at(findings)), tuple(findings))

    # what is bound

    def _bound(self, state: Bound, logical: LogicalBreakpoint, tally: Tally, not_hit: str) -> list[str]:
        sites = [site.site for site in state.sites]
        what = "It is set in"
        if isinstance(logical.place, FieldPlace):
            what = "Stores to it are watched in"
            stores = self._resolver.fields.stores_watched_at(logical.place, {site.location for site in sites})
            sites = [Site(store.location, store.span, store.path) for store in stores]
        count = len(sites)
        sentences = [f"{what} {count} place{'s' if count > 1 else ''} in the program."]
        sentences += [self._site_text(site) for site in sites[:MOST_SITES]]
        if count > MOST_SITES:
            sentences.append(f"{count - MOST_SITES} more places are not listed here.")
        if state.note:
            sentences.append(state.note)
        is_data = isinstance(logical.place, FieldPlace)
        sentences += _results(logical.settings, logical.hit_count, tally, not_hit, is_data=is_data)
        homes = {site.site.location.module for site in state.sites}
        for loaded in self._modules:
            if loaded.id in homes:
                sentences += self._warnings(loaded)
        return sentences

    def _site_text(self, site: Site) -> str:
        location, span = site.location, site.span
        loaded = self._modules.get(location.module)
        name = loaded.name if loaded is not None else "a module that was unloaded"
        method = loaded.method_text(location.method) if loaded is not None else f"method 0x{location.method:08x}"
        where = f"IL offset {location.il_offset} of {method} in {name}"
        if span is None:
            return f"{where}, without source."
        return f"Line {span.line}, columns {span.column}-{max(span.end_column - 1, span.column)}: {where}."

    def _warnings(self, loaded: LoadedModule) -> list[str]:
        sentences = []
        if loaded.pdb is not None and loaded.is_optimized:
            sentences.append(
                f"{loaded.name} is optimised: methods may be inlined and statements merged, so the program may pass "
                "a place without stopping. Build it as Debug, or set suppressJITOptimizations."
            )
        if self._just_my_code and not loaded.is_user_code:
            why = "it is optimised" if loaded.pdb is not None else "it has no symbols"
            sentences.append(
                f"Just My Code does not treat {loaded.name} as your code ({why}): the breakpoint still stops "
                "there, but steps pass over it."
            )
        return sentences

    # what modules have

    def _looked_at(self, findings: list[Finding]) -> str:
        total = len(self._modules)
        if not total:
            return "No module is loaded: the program has not been started, or has only just begun."
        with_symbols = sum(loaded.pdb is not None for loaded in self._modules)
        text = f"{total} module{'s' if total > 1 else ''} looked at, {with_symbols} with symbols"
        if not findings:
            return f"{text}; none has anything similar."
        return f"{text}: " + " ".join(f"{finding.module.name}: {finding.text}" for finding in findings)

    def _findings(self, place: Place) -> list[Finding]:
        if isinstance(place, FunctionPlace):
            return self._findings_of_function(place)
        if isinstance(place, FieldPlace):
            return self._findings_of_field(place)
        if isinstance(place, InstructionPlace):
            return []
        match = self._resolver.lines.paths.find(place.path)
        findings = []
        for loaded in self._modules:
            candidates = self._resolver.lines.paths.candidates(place.path, loaded)
            findings += [self._finding(place, one, one in match.taken) for one in candidates]
            if not candidates and _is_suspect(loaded, place.path):
                findings.append(Finding(loaded, f"no symbols ({loaded.symbol_status.detail})."))
        return findings

    def _finding(self, place: LinePlace, candidate: Candidate, is_taken: bool) -> Finding:
        document = candidate.document
        text = f"its document {document.name} {_MATCHES[candidate.certainty]}"
        if candidate.is_same_source is False:
            text += f"; its checksum is {bytes(document.hash).hex()}, which differs from the local file's"
        edit = self._resolver.lines.paths.edit(place.path)
        running: int | None = place.line
        if edit is not None and candidate.is_same_source:
            text += "; the file was edited since, so that its checksum differs now, and lines are followed"
            running = edit.before(place.line)
        if not is_taken:
            text += "; it was not chosen."
        else:
            match = self._resolver.lines.match(structs.replace(place, line=running), candidate) if running else None
            points = len(match.points) if match is not None else 0
            text += (
                f"; {points} place{'s' if points > 1 else ''} there." if points else f"; no code at line {place.line}."
            )
        if not candidate.module.is_user_code:
            text = f"(optimised) {text}"
        return Finding(candidate.module, text, document.name)

    def _findings_of_function(self, place: FunctionPlace) -> list[Finding]:
        from dap_dotnet.breakpoints.functions.search import is_searched, search
        from dap_dotnet.errors import UserError

        try:
            pattern = self._resolver.functions.pattern(place.name)
        except UserError:
            return []
        findings = []
        for loaded in self._modules:
            if loaded.metadata is None or not is_searched(pattern, loaded):
                continue
            result = search(pattern, loaded.metadata)
            without_code = sum(not one.has_code for one in result.found)
            text = f"{len(result.found)} method{'s' if len(result.found) != 1 else ''} with that name"
            if without_code:
                text += f", {without_code} of them without code"
            if result.near:
                example = loaded.method_text(result.near[0])
                text += f"; {len(result.near)} with other parameter types, such as {example}"
            if result.found or result.near:
                findings.append(Finding(loaded, text + "."))
        return findings

    def _findings_of_field(self, place: FieldPlace) -> list[Finding]:
        from dap_dotnet.breakpoints.data.stores import fields_meant, is_definition, stores_in

        findings = []
        for loaded in self._modules:
            fields = fields_meant(place, loaded)
            if not fields:
                continue
            text = "it has the field" if any(is_definition(field) for field in fields) else "it refers to the field"
            if loaded.pdb is None:
                text += "; it has no symbols and is not searched"
            elif not self._resolver.is_watched(loaded):
                text += "; it is optimised: stores there cannot be watched"
            else:
                count = len(stores_in(loaded, fields).found)
                text += f"; {count} instruction{'s' if count != 1 else ''} that can store to it"
            findings.append(Finding(loaded, text + "."))
        return findings


def _place_text(place: Place) -> str:
    if isinstance(place, FieldPlace):
        return f"field {place.text}{' of one object' if place.instance else ''}"
    if isinstance(place, FunctionPlace):
        return f"function {place.name}"
    if isinstance(place, InstructionPlace):
        return f"the instruction at IL offset {place.location.il_offset} of a method"
    column = "" if place.column is None else f", column {place.column}"
    return f"line {place.line}{column} of {place.path}"


def _would_be(resolution: Resolution) -> list[str]:
    if not resolution.sites:
        return [f"A breakpoint here would not be hit: {resolution.reason}" if resolution.failed else resolution.reason]
    count = len(resolution.sites)
    sentences = [f"A breakpoint here would be set in {count} place{'s' if count > 1 else ''}."]
    return [*sentences, resolution.note] if resolution.note else sentences


def _results(settings: Settings, hit_count: int, tally: Tally, not_hit: str, *, is_data: bool) -> list[str]:
    """What happened since it was set."""
    sentences = []
    if settings.condition is not None:
        sentences.append(
            f"The condition {settings.condition} was tested {_times(tally.tested)}: true {_times(tally.held)}, "
            f"failed {_times(tally.failed)}."
        )
        if tally.first_failure:
            sentences.append(f"The first failure: {tally.first_failure}")
        if not tally.tested:
            sentences.append(not_hit)
    elif not hit_count:
        sentences.append(not_hit)
    counted = "" if settings.condition is None else " with the condition true"
    if hit_count:
        verb = "It has changed" if is_data else "It was hit"
        sentences.append(f"{verb} {_times(hit_count)}{counted}.")
    if settings.hit_condition is not None:
        sentences.append(f"It acts only on hits {settings.hit_condition}.")
    if settings.log_message is not None:
        sentences.append("It writes its log message instead of stopping.")
    return sentences


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _is_suspect(loaded: LoadedModule, path: str) -> bool:
    """Whether a module without symbols may be the one that has the file: it is not part of the framework."""
    is_unusable = loaded.symbol_status.state is SymbolState.ERROR
    return is_unusable or lacks_symbols_near(loaded, os.path.dirname(path))
