"""The registry of breakpoints: which ones the user wants, which the runtime has, and every change between.

It knows nothing of ICorDebug nor of PDBs: sites come from a `Resolver`, and the runtime is driven through
`runtime/api`. Session thread only.

Changes to the runtime need a held process. They are collected, and `apply` makes them with one bulk call for the
removals and one for the creations; so a registry can be changed while the program runs, and applied at the next hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import structs

from dap_dotnet.breakpoints.model import (
    Bound,
    BoundSite,
    BreakpointId,
    Disabled,
    FieldPlace,
    Group,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Place,
    Settings,
    Site,
    SourceGroup,
    State,
    Unbound,
    Wanted,
)
from dap_dotnet.breakpoints.resolution import NOT_LOADED, Resolution, Resolver
from dap_dotnet.errors import UserError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, ModuleId, RuntimeCallErrorInfo

UNLOADED = "The module of this breakpoint was unloaded. The breakpoint binds again when the module is loaded again."


def _is_news(before: State, after: State) -> bool:
    """Whether a client sees a difference: one more module that has the same place makes none."""
    if isinstance(before, Bound) and isinstance(after, Bound):
        return (before.sites[0], before.note, before.code) != (after.sites[0], after.note, after.code)
    return before != after


Listener = Callable[[LogicalBreakpoint], None]


_ELSEWHERE = 1_000_000
"""Ids of exception filters come after it: a user's first breakpoint is number 1 also where filters were set before."""


_NO_ERROR = "S_OK"
"""What .NET Core 3.1 says where a method's code has nothing left of the place."""
_NO_CODE_NOW = "CORDBG_E_UNABLE_TO_SET_BREAKPOINT"
"""What a runtime says where the method has been compiled already."""
_NO_CODE_THERE = (
    "The runtime has no code for this place: it has optimised the method. Try a line nearby, or a Debug build, or "
    "suppressJITOptimizations."
)


class BreakpointRegistry:
    """All logical breakpoints of a session. See the module's docstring."""

    def __init__(
        self,
        resolver: Resolver,
        on_change: Listener,
        check: Callable[[Settings], None] | None = None,
        on_use: Callable[[BoundId], None] | None = None,
    ) -> None:
        """`on_change` is called for every change of state that is not the answer to the client's own request.

        `check` raises `UserError` for settings that can never work; their breakpoint is then not bound. `on_use` is
        called when a runtime breakpoint gets or loses one of its breakpoints, or one of them has other settings.
        """
        self._on_use = on_use if on_use is not None else lambda bound: None
        self._resolver = resolver
        self._on_change = on_change
        self._check = check
        self._next_id = 1
        self._next_id_elsewhere = _ELSEWHERE
        self._groups: dict[Group, dict[Place, LogicalBreakpoint]] = {}
        self._by_id: dict[BreakpointId, LogicalBreakpoint] = {}
        self._refused: set[BreakpointId] = set()
        """Those whose settings can never work."""
        self._bound: dict[BreakpointLocation, BoundId] = {}
        self._locations: dict[BoundId, BreakpointLocation] = {}
        self._users: dict[BoundId, list[LogicalBreakpoint]] = {}
        self._to_bind: dict[BreakpointId, Resolution] = {}
        self._to_remove: list[BoundId] = []

    # what is there

    def all(self) -> list[LogicalBreakpoint]:
        """Every logical breakpoint, by id."""
        return [self._by_id[breakpoint_id] for breakpoint_id in sorted(self._by_id)]

    def get(self, breakpoint_id: BreakpointId) -> LogicalBreakpoint | None:
        """The breakpoint with the id; None when it was removed or never was."""
        return self._by_id.get(breakpoint_id)

    def hit(self, bound: BoundId) -> list[LogicalBreakpoint]:
        """The logical breakpoints behind a runtime breakpoint, by id; empty when it was removed meanwhile."""
        return sorted(self._users.get(bound, ()), key=lambda logical: logical.id)

    def location_of(self, bound: BoundId) -> BreakpointLocation | None:
        """Where a runtime breakpoint is; None when it was removed meanwhile."""
        return self._locations.get(bound)

    def bound_at(self, location: BreakpointLocation | None) -> BoundId | None:
        """The runtime breakpoint at a location, if there is one."""
        return self._bound.get(location) if location is not None else None

    def new_id(self) -> BreakpointId:
        """The next id, for a breakpoint that is kept elsewhere; far from those that people see and type."""
        self._next_id_elsewhere += 1
        return BreakpointId(self._next_id_elsewhere)

    @property
    def has_changes(self) -> bool:
        """Whether `apply` has anything to do in the runtime."""
        return bool(self._to_remove) or any(resolution.sites for resolution in self._to_bind.values())

    # what the user wants

    def replace(self, group: Group, wanted: Sequence[Wanted]) -> list[LogicalBreakpoint]:
        """Make `wanted` the breakpoints of a group; one result for each of them, in order.

        Breakpoints that stay keep id, state and hit count, and take over changed settings at once. The same place
        twice is one breakpoint, with the settings of the last. New ones are resolved at once and wait for `apply`.
        """
        old = self._groups.get(group, {})
        new: dict[Place, LogicalBreakpoint] = {}
        for one in wanted:
            if one.place not in new:
                new[one.place] = old.get(one.place) or self._add(one.place)
            self._set(new[one.place], one.settings)
        for place, logical in old.items():
            if place not in new:
                self._forget(logical)
        self._groups[group] = new
        return [new[one.place] for one in wanted]

    def move(self, group: SourceGroup, moved: Callable[[int], int | None]) -> None:
        """The lines of a file have other numbers now, and its breakpoints with them; those on lines that are gone go.

        They stand where they stood: the program that runs has not changed.
        """
        new: dict[Place, LogicalBreakpoint] = {}
        for logical in self._groups.get(group, {}).values():
            assert isinstance(logical.place, LinePlace)
            line = moved(logical.place.line)
            place = structs.replace(logical.place, line=line) if line is not None else None
            if place is None or place in new:
                self._forget(logical)
            else:
                logical.place = place
                new[place] = logical
        self._groups[group] = new

    def _add(self, place: Place) -> LogicalBreakpoint:
        logical = LogicalBreakpoint(BreakpointId(self._next_id), place, Settings(), Pending(NOT_LOADED))
        self._next_id += 1
        self._by_id[logical.id] = logical
        self._resolve(logical, None)
        return logical

    def _set(self, logical: LogicalBreakpoint, settings: Settings) -> None:
        """Take over settings; those that can never work take the breakpoint out of the runtime, until they change."""
        if settings == logical.settings:
            return
        was_refused = logical.id in self._refused
        logical.settings = settings
        if isinstance(logical.state, Bound):
            for bound_site in logical.state.sites:
                self._on_use(bound_site.bound)
        if not self._refuse(logical) and was_refused and not isinstance(logical.state, Disabled):
            logical.state = Pending(NOT_LOADED)
            self._resolve(logical, None)

    def _refuse(self, logical: LogicalBreakpoint) -> bool:
        """Take a breakpoint whose settings can never work out of the runtime; whether it is one."""
        problem = self._problem(logical.id, logical.settings)
        if problem is None:
            self._refused.discard(logical.id)
            return False
        self._refused.add(logical.id)
        if not isinstance(logical.state, Disabled):  # which it stays; why it cannot work is reported when it is enabled
            self._withdraw(logical)
            logical.state = Pending(problem.message, failed=True, code=problem.code)
        return True

    def _problem(self, breakpoint_id: BreakpointId, settings: Settings) -> UserError | None:
        if settings.after is not None and (settings.after not in self._by_id or settings.after == breakpoint_id):
            what = "itself" if settings.after == breakpoint_id else f"breakpoint {settings.after}, which does not exist"
            text = f"The breakpoint cannot wait for {what}: give the id of another breakpoint that is already set."
            return UserError(text, code="BREAKPOINT_NOT_FOUND")
        try:
            if self._check is not None:
                self._check(settings)
        except UserError as error:
            return error
        return None

    def _resolve(self, logical: LogicalBreakpoint, module: ModuleId | None) -> None:
        resolution = self._resolver.resolve(logical.place, module)
        if resolution.sites:
            earlier = self._to_bind.get(logical.id)
            if earlier is not None:
                sites, note = (*earlier.sites, *resolution.sites), earlier.note or resolution.note
                if isinstance(logical.place, FieldPlace):
                    note = resolution.note  # of all modules so far
                resolution = Resolution(sites, note, code=earlier.code or resolution.code)
            self._to_bind[logical.id] = resolution
        elif resolution.note and isinstance(logical.state, Bound):
            logical.state = Bound(logical.state.sites, resolution.note, logical.state.code)
        elif resolution.reason and isinstance(logical.state, Pending):
            logical.state = Pending(resolution.reason, resolution.failed, resolution.code)

    def _forget(self, logical: LogicalBreakpoint) -> None:
        self._by_id.pop(logical.id, None)
        self._refused.discard(logical.id)
        self._withdraw(logical)

    def _withdraw(self, logical: LogicalBreakpoint) -> None:
        """Take a breakpoint out of the runtime, whatever its state."""
        self._to_bind.pop(logical.id, None)
        if isinstance(logical.state, Bound):
            for bound_site in logical.state.sites:
                self._release(bound_site, logical)

    def _release(self, bound_site: BoundSite, logical: LogicalBreakpoint) -> None:
        users = self._users.get(bound_site.bound)
        if users is None or logical not in users:
            return
        users.remove(logical)
        self._on_use(bound_site.bound)
        if not users:
            del self._users[bound_site.bound]
            self._bound.pop(bound_site.site.location, None)
            self._locations.pop(bound_site.bound, None)
            self._to_remove.append(bound_site.bound)

    def set_enabled(self, breakpoint_id: BreakpointId, enabled: bool) -> None:
        """Disable or enable one breakpoint; takes effect with `apply`. Unknown ids are ignored."""
        logical = self._by_id.get(breakpoint_id)
        if logical is None or enabled != isinstance(logical.state, Disabled):
            return
        if enabled:
            logical.state = Pending(NOT_LOADED)
            if not self._refuse(logical):
                self._resolve(logical, None)
        else:
            self._withdraw(logical)
            logical.state = Disabled()

    def withdraw_all(self) -> None:
        """Take every breakpoint out of the runtime, with `apply`, before the program is left to itself."""
        for logical in self.all():
            self._withdraw(logical)
            if isinstance(logical.state, Bound):
                logical.state = Pending(NOT_LOADED)

    def take_over(self, former: BreakpointRegistry, gone: Callable[[Place], str]) -> None:
        """Go on with the breakpoints of the program's run before, with their ids, as if each had just been set.

        `gone` says why a place died with that run; empty for one that did not. Calls `on_change` for each that is not
        disabled. Nothing is done in the runtime; `former` is not to be used any more.
        """
        self._next_id, self._groups, self._by_id = former._next_id, former._groups, former._by_id
        self._next_id_elsewhere = former._next_id_elsewhere
        for logical in self.all():
            logical.hit_count = 0
            if isinstance(logical.state, Disabled):
                continue
            reason = gone(logical.place)
            logical.state = Pending(reason or NOT_LOADED, failed=bool(reason), code="INVALID_FIELD" if reason else "")
            if reason:
                self._refused.add(logical.id)
            else:
                self._refuse(logical)
            self._on_change(logical)

    # what the runtime has

    def apply(self, debuggee: Debuggee) -> list[LogicalBreakpoint]:
        """Carry out all collected changes; the process must be held. Returns the breakpoints whose state changed."""
        if self._to_remove:
            debuggee.remove_breakpoints(self._to_remove)
            self._to_remove = []
        changed: list[LogicalBreakpoint] = []
        while self._to_bind:  # again for those that the runtime has no code for, where there is another place
            waiting, self._to_bind = self._to_bind, {}
            changed += [one for one in self._bind(waiting, debuggee) if one not in changed]
        return changed

    def _bind(self, waiting: dict[BreakpointId, Resolution], debuggee: Debuggee) -> list[LogicalBreakpoint]:
        locations = dict.fromkeys(site.location for resolution in waiting.values() for site in resolution.sites)
        errors: dict[BreakpointLocation, RuntimeCallErrorInfo | str] = {
            one: reason for one in locations if (reason := self._resolver.refusal(one, debuggee.runtime_version))
        }
        wanted = [location for location in locations if location not in self._bound and location not in errors]
        for location, result in zip(wanted, debuggee.create_breakpoints(wanted) if wanted else (), strict=True):
            if isinstance(result, RuntimeCallErrorInfo):
                errors[location] = result
            else:
                self._bound[location] = result
                self._locations[result] = location
        takers = ((self._by_id[breakpoint_id], resolution) for breakpoint_id, resolution in waiting.items())
        return [logical for logical, resolution in takers if self._take(logical, resolution, errors)]

    def _take(
        self,
        logical: LogicalBreakpoint,
        resolution: Resolution,
        errors: dict[BreakpointLocation, RuntimeCallErrorInfo | str],
    ) -> bool:
        before = logical.state
        known = before.sites if isinstance(before, Bound) else ()
        sites = list(known)
        has = {site.bound for site in known}
        for site in resolution.sites:
            bound = self._bound.get(site.location)
            if bound is None or bound in has:
                continue
            has.add(bound)
            self._users.setdefault(bound, []).append(logical)
            self._on_use(bound)
            sites.append(BoundSite(site, bound))
        if sites:
            logical.state = Bound(tuple(sites), resolution.note, resolution.code)
        else:
            error = next((errors[site.location] for site in resolution.sites if site.location in errors), None)
            name = error.hresult_name if isinstance(error, RuntimeCallErrorInfo) else "it gave no reason"
            is_lost = name == _NO_CODE_NOW and self._resolver.is_optimized(resolution.sites[0].location.module)
            reason = _NO_CODE_THERE if is_lost else f"The runtime refused the breakpoint: {name}."
            reason = error if isinstance(error, str) else reason
            logical.state = Pending(reason, failed=True)
            if is_lost:
                self._look_behind(logical, resolution.sites[0])
        return _is_news(before, logical.state)

    def module_loaded(self, module: ModuleId, debuggee: Debuggee) -> None:
        """Bind what belongs in a module that has just loaded; the process must be held. Calls `on_change`."""
        reasons = []
        for group, of_group in self._groups.items():
            if self._resolver.may_have(group, module):
                for logical in of_group.values():
                    if not isinstance(logical.state, Disabled) and logical.id not in self._refused:
                        before = logical.state
                        self._resolve(logical, module)
                        if logical.state != before:
                            reasons.append(logical)
        changed = self.apply(debuggee)
        self._report([*(logical for logical in reasons if logical not in changed), *changed])

    def module_unloaded(self, module: ModuleId) -> None:
        """Unbind what was in a module that has gone, with all its runtime breakpoints. Calls `on_change`."""
        changed = []
        for logical in self.all():
            if not isinstance(logical.state, Bound):
                continue
            kept = tuple(one for one in logical.state.sites if one.site.location.module != module)
            if len(kept) == len(logical.state.sites):
                continue
            logical.state = structs.replace(logical.state, sites=kept) if kept else Unbound(UNLOADED)
            changed.append(logical)
        self._drop_waiting(module)
        for location in [location for location in self._bound if location.module == module]:
            bound = self._bound.pop(location)
            self._users.pop(bound, None)
            self._locations.pop(bound, None)
        self._report(changed)

    def _drop_waiting(self, module: ModuleId) -> None:
        for breakpoint_id, resolution in list(self._to_bind.items()):
            kept = tuple(site for site in resolution.sites if site.location.module != module)
            if not kept:
                del self._to_bind[breakpoint_id]
            elif len(kept) != len(resolution.sites):
                self._to_bind[breakpoint_id] = structs.replace(resolution, sites=kept)

    def bound_failed(self, bound: BoundId, error: str, debuggee: Debuggee) -> None:
        """The runtime could not arm a breakpoint that it had accepted; the process must be held. Calls `on_change`."""
        changed = self._users.pop(bound, [])
        location = self._locations.pop(bound, None)
        if location is not None:
            self._bound.pop(location, None)
        for logical in changed:
            assert isinstance(logical.state, Bound)
            failed = next(one.site for one in logical.state.sites if one.bound == bound)
            kept = tuple(one for one in logical.state.sites if one.bound != bound)
            reason = _NO_CODE_THERE if error == _NO_ERROR else f"The runtime could not set the breakpoint: {error}."
            refused = Pending(reason, failed=True)
            logical.state = structs.replace(logical.state, sites=kept) if kept else refused
            if not kept and error == _NO_ERROR:
                self._look_behind(logical, failed)
        others = self.apply(debuggee)
        self._report([*changed, *(one for one in others if one not in changed)])

    def _look_behind(self, logical: LogicalBreakpoint, site: Site) -> None:
        """Optimised code has nothing of a site: bind where the statement goes on, with `apply`, if that is known."""
        resolution = self._resolver.instead_of(site) if isinstance(logical.place, LinePlace) else None
        if resolution is not None:
            self._to_bind[logical.id] = resolution

    def _report(self, changed: Iterable[LogicalBreakpoint]) -> None:
        for logical in changed:
            self._on_change(logical)
