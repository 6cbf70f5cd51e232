"""Simple names that types of the user's have in several namespaces: such types are shown with their namespace.

Asked of every name that is shown, so it costs a dictionary's look-up: the top-level types of the user's modules are
indexed when the first name is shown, and those of a module that comes later then. A name that was ambiguous stays so
for the session, whatever is unloaded: what is shown must not go back and forth. Session thread only.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import ModuleId
from dap_dotnet.symbols.metadata_names import FILE_LOCAL_PREFIX, top_level_types
from dap_dotnet.symbols.modules import ModuleCatalog


class AmbiguousNames:
    """Those of one session."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self.count = 0
        """Another one whenever a name became ambiguous."""
        self._version = -1
        self._indexed: set[ModuleId] = set()
        self._namespaces: dict[str, set[str]] = {}
        """By the metadata name of a top-level type."""
        self._answers: dict[str, bool] = {}

    def update(self) -> None:
        """Take in the user's modules that were loaded since."""
        modules = self._modules
        if modules.version == self._version:
            return
        self._version = modules.version
        self._answers.clear()
        for module in modules:
            if module.id in self._indexed or not modules.is_users(module):
                continue
            self._indexed.add(module.id)
            for namespace, name in top_level_types(module):
                known = self._namespaces.setdefault(name, set())
                self.count += bool(known) and namespace not in known
                known.add(namespace)

    def has(self, full_name: str) -> bool:
        """Whether a type of the user's in another namespace has the simple name of a type, or of the one around it."""
        answer = self._answers.get(full_name)
        if answer is None:
            namespace, _, name = FILE_LOCAL_PREFIX.sub("", full_name).partition("+")[0].rpartition(".")
            known = self._namespaces.get(name)
            answer = self._answers[full_name] = known is not None and (len(known) > 1 or namespace not in known)
        return answer


def ambiguous_names(modules: ModuleCatalog) -> AmbiguousNames:
    """The ambiguous names of a session, as of now."""
    found = modules.derived(AmbiguousNames)
    found.update()
    return found
