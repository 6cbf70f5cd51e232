# What there is to do with this repository. `make demo` and `make test` need only Python 3.10, a C++ compiler and make: they
# set up `.venv`, build, and find .NET (tests/support/dotnet.py says where) or fetch .NET Core 3.1 through npm.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv/bin
# Twice the processors, at most four: a test waits for a good part of its time. More only wait for each other's debuggees.
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n > 2 ? 4 : 2 * n)))
PYTEST_ARGS ?=

# Never put these on PATH for others: recipes name the programs of .venv.
export PYTHONDONTWRITEBYTECODE ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

define require_python
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	|| { echo "error: $(PYTHON) is not Python 3.10 or later; install it (on Debian and Ubuntu: apt install python3 python3-venv) or set PYTHON" >&2; exit 1; }
endef

# Finds .NET before anything slow is done, so that a machine without it says so at once.
define find_dotnet
$(require_python); \
DAP_DOTNET_TEST_ROOTS=$$($(PYTHON) -m tests.support.dotnet) || exit 1; \
export DAP_DOTNET_TEST_ROOTS
endef

.PHONY: help demo test quick check sanitize soak fuzz bench build dev wheel wheel-test clean vsix extension

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

demo:  ## set everything up and show the debugger at work
	@$(find_dotnet); $(PYTHON) scripts/bootstrap.py; $(VENV)/python scripts/demo.py

test:  ## set everything up and run every test (PYTEST_ARGS='-k name' for some)
	@$(find_dotnet); $(PYTHON) scripts/bootstrap.py --dev; \
	$(VENV)/python -m tests.support.dotnet --list; \
	$(VENV)/pytest -n $(WORKERS) --dist loadgroup --max-worker-restart 0 $(PYTEST_ARGS)

quick: dev  ## every test that needs no .NET, in parallel (PYTEST_ARGS='-k name' for some)
	@$(VENV)/pytest -q -n $(WORKERS) --dist loadgroup --without-dotnet $(PYTEST_ARGS) tests/unit tests/session tests/symbols

check: dev  ## lint, types, imports, C++ and TypeScript
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/mypy
	$(VENV)/mypy --strict --explicit-package-bases scripts tests/support tests/conftest.py tests/e2e/clients \
		vscode-extension/set_up_adapter.py
	$(VENV)/lint-imports
	$(VENV)/python scripts/run_clang_tidy.py
	$(VENV)/python scripts/launch_schema.py --check
	$(VENV)/python scripts/reference.py --check
	$(VENV)/python scripts/agent_tools.py --check
	$(VENV)/python scripts/extension.py check

sanitize: dev  ## the shim's native tests and its tests on .NET, with sanitizers (PYTEST_ARGS='-k net10')
	@$(find_dotnet); $(VENV)/python scripts/sanitize.py $(PYTEST_ARGS)

soak: dev  ## sessions that end at random moments, and what they leave (MINUTES=10, SEED=1)
	@$(find_dotnet); $(VENV)/python scripts/soak.py --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1) $(SOAK_ARGS)

fuzz: dev  ## damage PDBs and assemblies at length (CASES=500000, SEED=1)
	DAP_DOTNET_FUZZ_CASES=$(or $(CASES),500000) DAP_DOTNET_FUZZ_SEED=$(or $(SEED),1) \
	DAP_DOTNET_HOSTILE_SIZE=1000000 DAP_DOTNET_HOSTILE_SEEDS=5 \
	$(VENV)/pytest -q --timeout=0 tests/symbols/test_fuzz.py tests/symbols/test_hostile_files.py

bench:  ## measure, and keep the result as JSON
	@$(find_dotnet); $(PYTHON) scripts/bootstrap.py --dev; \
	env -u PYTHONDONTWRITEBYTECODE $(VENV)/python benchmarks/run.py $(BENCH_ARGS); \
	$(VENV)/python benchmarks/portablepdb_bench.py --json artifacts/portablepdb.json

build:  ## make .venv, build the wheel and install it there
	@$(require_python); $(PYTHON) scripts/bootstrap.py

dev:  ## build, and install what tests and checks need
	@$(require_python); $(PYTHON) scripts/bootstrap.py --dev

wheel: dev  ## build what is published into dist: a wheel for any Python from 3.10 on, and the source distribution
	@$(VENV)/python scripts/build_wheel.py

wheel-test: wheel  ## install that wheel where there is no compiler, and debug a program with it
	@$(find_dotnet); $(VENV)/pytest -q -m packaging tests/packaging

extension:  ## type-check and test the VS Code extension
	@$(PYTHON) scripts/extension.py check

vsix: dev  ## package the VS Code extension with the adapter inside (TARGET=linux-arm64 WHEEL=FILE for another platform)
	@$(VENV)/python scripts/extension.py package $(if $(TARGET),--target $(TARGET)) $(if $(WHEEL),--wheel $(WHEEL))

clean:  ## remove what was built; .cache (fetched .NET, built test programs) stays
	rm -rf .venv build dist vscode-extension/out vscode-extension/carried vscode-extension/node_modules vscode-extension/*.vsix
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
