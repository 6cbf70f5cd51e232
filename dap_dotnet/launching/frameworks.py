"""X.runtimeconfig.json: which shared frameworks a program asks for, and which installed ones can surely not serve."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from dap_dotnet.launching.hosts import DotnetHost

_LEGACY_VARIABLE = "DOTNET_ROLL_FORWARD_ON_NO_CANDIDATE_FX"
_LEGACY_SETTING = "rollForwardOnNoCandidateFx"
_POLICIES = {"disable", "latestpatch", "minor", "latestminor", "major", "latestmajor"}


class FrameworkReference(Struct, frozen=True):
    """A framework by name and lowest version; `policy` is its rollForward in lower case, empty when unknown."""

    name: str
    version: str
    policy: str

    def may_be_served_by(self, installed: str) -> bool:
        """False only when the host would surely refuse this version: doubt is left to the host itself."""
        wanted, offered = _numbers(self.version), _numbers(installed)
        if self.policy == "disable":
            return offered == wanted
        if offered < wanted:
            return False
        if self.policy == "latestpatch":
            return offered[:2] == wanted[:2]
        if self.policy in ("minor", "latestminor"):
            return offered[0] == wanted[0]
        return True


class RuntimeConfig(Struct, frozen=True):
    """The part of X.runtimeconfig.json that decides which runtime starts."""

    frameworks: tuple[FrameworkReference, ...]
    is_self_contained: bool

    def missing(self, host: DotnetHost) -> list[FrameworkReference]:
        """The frameworks of which no installed version will do."""
        if host.root is None:
            return []
        return [
            reference
            for reference in self.frameworks
            if not any(reference.may_be_served_by(version) for version in host.installed(reference.name))
        ]


def read_runtime_config(path: Path, environment: Mapping[str, str]) -> RuntimeConfig | None:
    """Read the file; None when it is not JSON of the known shape, which its host reports better. Raises OSError."""
    try:
        options: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))["runtimeOptions"]
        references = options.get("frameworks") or [options["framework"]] if "includedFrameworks" not in options else []
        default_policy = _policy(options, environment)
        frameworks = tuple(
            FrameworkReference(str(item["name"]), str(item["version"]), _policy(item, environment, default_policy))
            for item in references
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return RuntimeConfig(frameworks, is_self_contained="includedFrameworks" in options)


def _policy(settings: Mapping[str, Any], environment: Mapping[str, str], default: str = "minor") -> str:
    if _LEGACY_VARIABLE in environment or _LEGACY_SETTING in settings:
        return ""
    chosen = environment.get("DOTNET_ROLL_FORWARD") or settings.get("rollForward")
    if chosen is None:
        return default
    policy = str(chosen).lower()
    return policy if policy in _POLICIES else ""


def _numbers(version: str) -> tuple[int, int, int]:
    parts = [int(part) if part.isdigit() else 0 for part in version.partition("-")[0].split(".")]
    major, minor, patch = (*parts, 0, 0, 0)[:3]
    return major, minor, patch
