"""The registry of breakpoints: which ones the user wants, which the runtime has, and every change between.

It knows nothing of ICorDebug nor of PDBs: places come from a `Resolver`, and the runtime is driven through
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
    Group,
    LogicalBreakpoint,
    Pending,
    Place,
    Settings,
    State,
    Unbound,
    Wanted,
)
from dap_dotnet.breakpoints.resolution import NOT_LOADED, Resolution, Resolver
from dap_dotnet.errors import UserError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, ModuleId, RuntimeCallErrorInfo

UNLOADED = "The module that had this breakpoint was unloaded. It binds again when the module is loaded again."


def _is_news(before: State, after: State) -> bool:
    """Whether a client sees a difference: one more module that has the same place is none."""
    if isinstance(before, Bound) and isinstance(after, Bound):
        return (before.sites[0], before.note, before.code) != (after.sites[0], after.note, after.code)
    return before != after


Listener = Callable[[LogicalBreakpoint], None]


class BreakpointRegistry:
    """All logical breakpoints of a session. See the module's docstring."""

    def __init__(
        self, resolver: Resolver, on_change: Listener, check: Callable[[Settings], None] | None = None
    ) -> None:
        """`on_change` is told of every change of state that is not the answer to the client's own request.

        `check` raises `UserError` for settings that can never work; their breakpoint is then not bound.
        """
        self._resolver = resolver
        self._on_change = on_change
        self._check = check
        self._next_id = 1
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
        return sorted(self._users.get(bound, ()), key=lambda breakpoint_: breakpoint_.id)

    def location_of(self, bound: BoundId) -> BreakpointLocation | None:
        """Where a runtime breakpoint is; None when it was removed meanwhile."""
        return self._locations.get(bound)

    def bound_at(self, location: BreakpointLocation | None) -> BoundId | None:
        """The runtime breakpoint at a location, if there is one."""
        return self._bound.get(location) if location is not None else None

    def new_id(self) -> BreakpointId:
        """The next id, for a breakpoint that is kept elsewhere."""
        identity = BreakpointId(self._next_id)
        self._next_id += 1
        return identity

    @property
    def has_changes(self) -> bool:
        """Whether `apply` has anything to do in the runtime."""
        return bool(self._to_remove) or any(resolution.sites for resolution in self._to_bind.values())

    # what the user wants

    def replace(self, group: Group, wanted: Sequence[Wanted]) -> list[LogicalBreakpoint]:
        """Make `wanted` the breakpoints of a group; one result for each entry, in order.

        Breakpoints that stay keep id, state and hit count, and take over changed settings at once. The same place
        twice is one breakpoint, with the settings of the last. New ones are resolved at once and wait for `apply`.
        """
        old = self._groups.get(group, {})
        new: dict[Place, LogicalBreakpoint] = {}
        for entry in wanted:
            if entry.place not in new:
                new[entry.place] = old.get(entry.place) or self._add(entry.place)
            self._set(new[entry.place], entry.settings)
        for place, breakpoint_ in old.items():
            if place not in new:
                self._forget(breakpoint_)
        self._groups[group] = new
        return [new[entry.place] for entry in wanted]

    def _add(self, place: Place) -> LogicalBreakpoint:
        breakpoint_ = LogicalBreakpoint(self.new_id(), place, Settings(), Pending(NOT_LOADED))
        self._by_id[breakpoint_.id] = breakpoint_
        self._resolve(breakpoint_, None)
        return breakpoint_

    def _set(self, breakpoint_: LogicalBreakpoint, settings: Settings) -> None:
        """Take over settings; those that can never work take the breakpoint out of the runtime, until they change."""
        if settings == breakpoint_.settings:
            return
        was_refused = breakpoint_.id in self._refused
        breakpoint_.settings = settings
        if not self._refuse(breakpoint_) and was_refused and not isinstance(breakpoint_.state, Disabled):
            breakpoint_.state = Pending(NOT_LOADED)
            self._resolve(breakpoint_, None)

    def _refuse(self, breakpoint_: LogicalBreakpoint) -> bool:
        """Take a breakpoint whose settings can never work out of the runtime; whether it is one."""
        problem = self._problem(breakpoint_.id, breakpoint_.settings)
        if problem is None:
            self._refused.discard(breakpoint_.id)
            return False
        self._refused.add(breakpoint_.id)
        if not isinstance(breakpoint_.state, Disabled):  # which it stays; why it cannot work is told when it is enabled
            self._withdraw(breakpoint_)
            breakpoint_.state = Pending(problem.message, failed=True, code=problem.code)
        return True

    def _problem(self, breakpoint_id: BreakpointId, settings: Settings) -> UserError | None:
        if settings.after is not None and (settings.after not in self._by_id or settings.after == breakpoint_id):
            what = "itself" if settings.after == breakpoint_id else f"breakpoint {settings.after}, which does not exist"
            text = f"The breakpoint cannot wait for {what}: name the id of another one that is set before it."
            return UserError(text, code="BREAKPOINT_NOT_FOUND")
        try:
            if self._check is not None:
                self._check(settings)
        except UserError as error:
            return error
        return None

    def _resolve(self, breakpoint_: LogicalBreakpoint, module: ModuleId | None) -> None:
        resolution = self._resolver.resolve(breakpoint_.place, module)
        if resolution.sites:
            earlier = self._to_bind.get(breakpoint_.id)
            if earlier is not None:
                sites, note = (*earlier.sites, *resolution.sites), earlier.note or resolution.note
                resolution = Resolution(sites, note, code=earlier.code or resolution.code)
            self._to_bind[breakpoint_.id] = resolution
        elif resolution.reason and isinstance(breakpoint_.state, Pending):
            breakpoint_.state = Pending(resolution.reason, resolution.failed, resolution.code)

    def _forget(self, breakpoint_: LogicalBreakpoint) -> None:
        self._by_id.pop(breakpoint_.id, None)
        self._refused.discard(breakpoint_.id)
        self._withdraw(breakpoint_)

    def _withdraw(self, breakpoint_: LogicalBreakpoint) -> None:
        """Take a breakpoint out of the runtime, whatever its state."""
        self._to_bind.pop(breakpoint_.id, None)
        if isinstance(breakpoint_.state, Bound):
            for bound_site in breakpoint_.state.sites:
                self._release(bound_site, breakpoint_)

    def _release(self, bound_site: BoundSite, breakpoint_: LogicalBreakpoint) -> None:
        users = self._users.get(bound_site.bound)
        if users is None or breakpoint_ not in users:
            return
        users.remove(breakpoint_)
        if not users:
            del self._users[bound_site.bound]
            self._bound.pop(bound_site.site.location, None)
            self._locations.pop(bound_site.bound, None)
            self._to_remove.append(bound_site.bound)

    def set_enabled(self, breakpoint_id: BreakpointId, enabled: bool) -> None:
        """Disable or enable one breakpoint; takes effect with `apply`. Unknown ids are ignored."""
        breakpoint_ = self._by_id.get(breakpoint_id)
        if breakpoint_ is None or enabled != isinstance(breakpoint_.state, Disabled):
            return
        if enabled:
            breakpoint_.state = Pending(NOT_LOADED)
            if not self._refuse(breakpoint_):
                self._resolve(breakpoint_, None)
        else:
            self._withdraw(breakpoint_)
            breakpoint_.state = Disabled()

    def disable_all(self) -> None:
        """Disable every breakpoint, before the program is left to itself."""
        for breakpoint_ in self.all():
            self.set_enabled(breakpoint_.id, False)

    # what the runtime has

    def apply(self, debuggee: Debuggee) -> list[LogicalBreakpoint]:
        """Carry out all collected changes; the process must be held. Returns the breakpoints whose state changed."""
        if self._to_remove:
            debuggee.remove_breakpoints(self._to_remove)
            self._to_remove = []
        waiting, self._to_bind = self._to_bind, {}
        if not waiting:
            return []
        places = dict.fromkeys(site.location for resolution in waiting.values() for site in resolution.sites)
        wanted = [location for location in places if location not in self._bound]
        errors: dict[BreakpointLocation, RuntimeCallErrorInfo] = {}
        for location, result in zip(wanted, debuggee.create_breakpoints(wanted) if wanted else (), strict=True):
            if isinstance(result, RuntimeCallErrorInfo):
                errors[location] = result
            else:
                self._bound[location] = result
                self._locations[result] = location
        changed = []
        for breakpoint_id, resolution in waiting.items():
            breakpoint_ = self._by_id[breakpoint_id]
            if self._take(breakpoint_, resolution, errors):
                changed.append(breakpoint_)
        return changed

    def _take(
        self,
        breakpoint_: LogicalBreakpoint,
        resolution: Resolution,
        errors: dict[BreakpointLocation, RuntimeCallErrorInfo],
    ) -> bool:
        before = breakpoint_.state
        known = before.sites if isinstance(before, Bound) else ()
        sites = list(known)
        has = {site.bound for site in known}
        for site in resolution.sites:
            bound = self._bound.get(site.location)
            if bound is None or bound in has:
                continue
            has.add(bound)
            self._users.setdefault(bound, []).append(breakpoint_)
            sites.append(BoundSite(site, bound))
        if sites:
            breakpoint_.state = Bound(tuple(sites), resolution.note, resolution.code)
        else:
            error = next((errors[site.location] for site in resolution.sites if site.location in errors), None)
            name = error.hresult_name if error else "no reason"
            breakpoint_.state = Pending(f"The runtime refused the breakpoint here: {name}.", failed=True)
        return _is_news(before, breakpoint_.state)

    def module_loaded(self, module: ModuleId, debuggee: Debuggee) -> None:
        """Bind what belongs into a module that has just loaded; the process must be held. Tells the listener."""
        reasons = []
        for group, entries in self._groups.items():
            if self._resolver.may_have(group, module):
                for breakpoint_ in entries.values():
                    if not isinstance(breakpoint_.state, Disabled) and breakpoint_.id not in self._refused:
                        before = breakpoint_.state
                        self._resolve(breakpoint_, module)
                        if breakpoint_.state != before:
                            reasons.append(breakpoint_)
        changed = self.apply(debuggee)
        self._tell([*(entry for entry in reasons if entry not in changed), *changed])

    def module_unloaded(self, module: ModuleId) -> None:
        """Unbind what was in a module that has gone, with all its runtime breakpoints. Tells the listener."""
        changed = []
        for breakpoint_ in self.all():
            if not isinstance(breakpoint_.state, Bound):
                continue
            kept = tuple(entry for entry in breakpoint_.state.sites if entry.site.location.module != module)
            if len(kept) == len(breakpoint_.state.sites):
                continue
            breakpoint_.state = structs.replace(breakpoint_.state, sites=kept) if kept else Unbound(UNLOADED)
            changed.append(breakpoint_)
        self._drop_waiting(module)
        for location in [location for location in self._bound if location.module == module]:
            bound = self._bound.pop(location)
            self._users.pop(bound, None)
            self._locations.pop(bound, None)
        self._tell(changed)

    def _drop_waiting(self, module: ModuleId) -> None:
        for breakpoint_id, resolution in list(self._to_bind.items()):
            kept = tuple(site for site in resolution.sites if site.location.module != module)
            if not kept:
                del self._to_bind[breakpoint_id]
            elif len(kept) != len(resolution.sites):
                self._to_bind[breakpoint_id] = structs.replace(resolution, sites=kept)

    def bound_failed(self, bound: BoundId, error: str) -> None:
        """The runtime could not arm a breakpoint that it had accepted. Tells the listener."""
        changed = self._users.pop(bound, [])
        location = self._locations.pop(bound, None)
        if location is not None:
            self._bound.pop(location, None)
        for breakpoint_ in changed:
            assert isinstance(breakpoint_.state, Bound)
            kept = tuple(entry for entry in breakpoint_.state.sites if entry.bound != bound)
            refused = Pending(f"The runtime could not set the breakpoint: {error}.", failed=True)
            breakpoint_.state = structs.replace(breakpoint_.state, sites=kept) if kept else refused
        self._tell(changed)

    def _tell(self, changed: Iterable[LogicalBreakpoint]) -> None:
        for breakpoint_ in changed:
            self._on_change(breakpoint_)
