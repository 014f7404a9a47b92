# Everything runs in one virtual environment, .venv, made when it is first needed.

PYTHON ?= python3
BIN := .venv/bin
READY_DEMO := .venv/.ready-demo
READY := .venv/.ready
PROCESSES := $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")  # some wait for others
SHARED := --numprocesses=$(strip $(PROCESSES)) --dist=worksteal
# Likewise, file by file, in their order: a file's kernels are compiled by one of them, and a file of few
# tests that compiles for a minute is not left for the end, when the other core has nothing to do.
BY_FILE := --numprocesses=$(strip $(PROCESSES)) --dist=loadfile --no-loadscope-reorder
WITH_RAY := -m ray tests/engines tests/run tests/cli

MINUTES ?= 60

# Tests start hundreds of processes, which import the same modules: those are compiled once.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-random test-nojit test-bounds test-wheel wheel torture check format bench docs clean

help:  ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Most modules of the dependencies are never imported: Python compiles the others when they are.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

$(READY_DEMO): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e ".[serve]"
	touch $@

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e ".[dev]"  # which includes what the demo needs
	touch $(READY_DEMO) $@

demo: $(READY_DEMO)  ## a first look at what topminer does; needs no data
	$(BIN)/topminer demo --keep demo --overwrite

# The same each time: the examples that Hypothesis draws, and the order of sets, which is that of hashes.
test test-nojit test-bounds: export PYTHONHASHSEED = 0

test: $(READY)  ## the whole test suite
	$(BIN)/topminer warm  # once, on all cores: each process of the tests would compile for itself
	$(BIN)/python -m pytest $(SHARED) -m "not ray"
	$(BIN)/python -m pytest $(BY_FILE) $(WITH_RAY)

test-random: $(READY)  ## the same with other examples, in another order; SEED=… repeats a run
	@seed="$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' '))"; \
	repeat="To repeat this run: make test-random SEED=$$seed"; echo "$$repeat"; \
	export PYTHONHASHSEED=$$seed; \
	random="--shuffle=$$seed --hypothesis-profile=random --hypothesis-seed=$$seed"; \
	{ $(BIN)/python -m pytest $(BY_FILE) $$random -m "not ray" && \
	$(BIN)/python -m pytest $(WITH_RAY) $$random; } || { echo "$$repeat"; exit 1; }

test-nojit: $(READY)  ## the quick tests, or those in TESTS=…, with the kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(SHARED) -m small $(TESTS)

test-bounds: $(READY)  ## the quick tests, or those in TESTS=…, with every array index checked
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest $(BY_FILE) -m small $(TESTS)

# Kernels are used with just the versions of Python and Numba that have compiled them.
wheel: $(READY)  ## a wheel with compiled kernels, for this Python on x86-64, in dist
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 $(BIN)/python -m hatchling build --target wheel --directory dist

# One part alone, or one trial again: make torture ARGS="--part kills --seed 0 --trial 7"
torture: $(READY)  ## damaged models, killed runs and hostile input, for an hour or MINUTES=n
	PYTHONPATH=tests $(BIN)/python -m torture --minutes $(MINUTES) --out torture-table $(ARGS)

# Only files with quick tests are collected: others may need what a plain installation does not have.
test-wheel:  ## the quick tests, on the wheel, installed without extras in an environment of its own
	rm -rf .wheel
	$(PYTHON) -m venv .wheel
	.wheel/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir .wheel .
	.wheel/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		.wheel/topminer-*.whl hypothesis pytest pytest-benchmark pytest-xdist
	.wheel/bin/python -m pytest $(SHARED) -m small $$(grep -rl 'mark\.small' tests --include='test_*.py')

check: $(READY)  ## lint, format, types, and the one-way flow of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)  ## put the code in its usual shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(READY)  ## measure, against rivals in the same run
	@set -e; for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script; done

docs: $(READY)  ## the documentation, into docs/_build
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build

clean:  ## remove what was made, the environment included
	rm -rf .venv .wheel docs/_build docs/_generated .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis .benchmarks dist torture-table.json torture-table.md
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
