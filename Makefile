# `make play` and `make test` include the set-up. `make help` lists all targets.
#
# PYTHON=... and CXX=... select the interpreter and the compiler of the set-up.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Ignore settings of the user's shell for other projects.
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONDONTWRITEBYTECODE PYTHONOPTIMIZE PYTHONWARNINGS
unexport VIRTUAL_ENV CONDA_PREFIX PIP_TARGET PIP_PREFIX PIP_USER PIP_REQUIRE_VIRTUALENV
unexport PIP_FIND_LINKS UV_FIND_LINKS UV_PYTHON UV_SYSTEM_PYTHON UV_PROJECT_ENVIRONMENT
unexport CMAKE_ARGS CMAKE_GENERATOR CMAKE_BUILD_TYPE CMAKE_TOOLCHAIN_FILE
unexport MAKEFLAGS MAKELEVEL MFLAGS

BIN := $(CURDIR)/.venv/bin
export PATH := $(BIN):$(PATH)

# Ignore make's own default (g++), which the user did not select.
ifeq ($(origin CXX),default)
CXX :=
endif
# WERROR=ON makes compiler warnings errors.
WERROR ?= OFF
# `all` compiles the kernel for all instruction sets, as in wheels; `native` for this machine's.
INSTRUCTION_SETS ?= native
export PYTHON CXX WERROR INSTRUCTION_SETS

JOBS ?= 2
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

SETUP := requirements/install
# Shows progress, and the output only if the command fails.
QUIETLY := requirements/quietly
STAMPS := .venv/stamps

## help: list all targets
.PHONY: help
help:
	@sed -n 's/^## \([a-z-]*\): /  make \1\t/p' Makefile | expand -t 20

# --- the two commands ---------------------------------------------------------------------------

# Two bots; the second one is a TBP program.
A ?= beam
B ?= tbp:sevenbag serve beam --as tbp
ARGS ?=

## play: play a game of two bots; A=... and B=... select them, ARGS=... adds options
.PHONY: play
play: build
	@"$(BIN)/sevenbag" play "$(A)" "$(B)" --ramp 100 --pieces 250 --speed 5 $(ARGS)

# Many tests wait for other processes, so there are twice as many workers as jobs.
PYTEST = "$(BIN)/python" -m pytest -q -n $$((2 * $(JOBS)))

## test: run the kernel tests and the quick Python tests
.PHONY: test
test: kernel-test $(STAMPS)/dev
	@$(PYTEST) \
		-m "not (slow or browser or peers or postgres or faults)" $(PYTEST_ARGS)

## test-all: run all tests, with more random cases
.PHONY: test-all
test-all: kernel-test $(STAMPS)/dev $(STAMPS)/node $(STAMPS)/browser $(STAMPS)/peers
	@$(PYTEST) --hypothesis-profile=ci $(PYTEST_ARGS)

# --- set-up: each stamp is younger than what it was made from -----------------------------------

## build: set up everything and compile the kernel, if something changed
.PHONY: build
build: $(STAMPS)/kernel
	@:

# The .venv of a moved or copied folder contains invalid paths.
ifneq ($(file < .venv/home),$(CURDIR))
.PHONY: moved
moved: ;
$(STAMPS)/env: moved
endif

# step(name): run one set-up step; its messages show its number and the total. A dry run counts the
# steps; the STEPS=0 passed to it prevents a recursive count.
TAKEN :=
STEPS = $(eval STEPS := $(shell $(DRY_RUN) STEPS=0 $(MAKECMDGOALS) | grep -c '$(SETUP)'))$(STEPS)
DRY_RUN = $(MAKE) -n $(if $(findstring B,$(firstword -$(MAKEFLAGS))),-B)
step = $(eval TAKEN += $(1))STEP=$(words $(TAKEN))/$(STEPS) $(SETUP) $(1)

$(STAMPS)/env: requirements/uv.txt
	@$(call step,env)
	@mkdir -p $(STAMPS) && echo '$(CURDIR)' > .venv/home && touch $@

$(STAMPS)/compiler: $(STAMPS)/env
	@$(call step,compiler)
	@touch $@

$(STAMPS)/run: $(STAMPS)/env requirements/build.txt requirements/run.txt
	@$(call step,run)
	@touch $@

$(STAMPS)/dev: $(STAMPS)/run requirements/dev.txt
	@$(call step,dev)
	@touch $@

$(STAMPS)/node: $(STAMPS)/env requirements/node/package-lock.json
	@$(call step,node)
	@touch $@

$(STAMPS)/browser: $(STAMPS)/env
	@$(call step,browser)
	@touch $@

$(STAMPS)/peers: $(STAMPS)/env
	@$(call step,peers)
	@touch $@

CMAKE_FILES := CMakeLists.txt kernel/CMakeLists.txt $(wildcard cmake/*.cmake kernel/*/CMakeLists.txt fuzz/CMakeLists.txt)
KERNEL_FILES := $(wildcard kernel/*.?pp kernel/*/*.?pp kernel/*.inc kernel/*/*.inc)
TEST_FILES := $(wildcard kernel/tests/*)

# The editable installation lists packages by name: install it again when there is a new one.
PACKAGES := $(wildcard src/sevenbag/*/__init__.py src/sevenbag/*/*/__init__.py)

$(STAMPS)/kernel: $(STAMPS)/run $(STAMPS)/compiler pyproject.toml $(CMAKE_FILES) $(PACKAGES) \
		$(filter-out $(TEST_FILES),$(KERNEL_FILES))
	@$(call step,kernel)
	@touch $@

# --- the kernel's own tests -----------------------------------------------------------------------

# The tests are linked with the object files of the module, so they share its build folder.
CTEST := ctest --output-on-failure --no-tests=error -j $(JOBS)

## kernel-test: run the kernel's C++ tests; KERNEL_TESTS=... selects names
.PHONY: kernel-test
kernel-test: build
	@$(QUIETLY) build/kernel-test.log cmake -S . -B build/editable -DSEVENBAG_KERNEL_TESTS=ON
	@$(QUIETLY) build/kernel-test.log cmake --build build/editable --target kernel_tests
	@$(QUIETLY) build/kernel-test.log $(CTEST) --test-dir build/editable $(if $(KERNEL_TESTS),-R $(KERNEL_TESTS))
	@sed -n '/tests passed/p' build/kernel-test.log

## sanitize: run the kernel's tests with the address and undefined-behaviour sanitizers
.PHONY: sanitize
sanitize: $(STAMPS)/run $(STAMPS)/compiler
	@CXX="$$(cat .venv/cxx)"; export CXX; \
	$(QUIETLY) build/sanitize.log cmake -S . -B build/sanitize -G Ninja -DSEVENBAG_PYTHON=OFF \
		-DSEVENBAG_KERNEL_TESTS=ON -DSEVENBAG_SANITIZE=ON -DSEVENBAG_WERROR=ON
	@$(QUIETLY) build/sanitize.log cmake --build build/sanitize --target kernel_tests
	@$(QUIETLY) build/sanitize.log $(CTEST) --test-dir build/sanitize
	@sed -n '/tests passed/s/$$/, sanitized/p' build/sanitize.log

# Seconds for all fuzz targets together, without building them.
FUZZ_SECONDS ?=
FUZZ = build/fuzz

## fuzz: search for inputs that break the kernel or a decoder; FUZZ_SECONDS=45
.PHONY: fuzz
fuzz: build $(STAMPS)/fuzz
	@CXX="$$(cat .venv/fuzz-cxx)"; export CXX; \
	$(QUIETLY) build/fuzz.log cmake -S . -B $(FUZZ) -G Ninja -DSEVENBAG_PYTHON=OFF -DSEVENBAG_SANITIZE=ON \
		-DSEVENBAG_FUZZ="$$(cat .venv/fuzz-engine)"
	@$(QUIETLY) build/fuzz.log cmake --build $(FUZZ) --target fuzz_targets
	@"$(BIN)/python" -m fuzz.run $(FUZZ) $(FUZZ_SECONDS)

$(STAMPS)/fuzz: $(STAMPS)/run $(STAMPS)/compiler requirements/fuzz.txt
	@$(call step,fuzz)
	@touch $@

# --- checks -----------------------------------------------------------------------------------------

CPP_FILES = $(shell git ls-files -co --exclude-standard 'kernel/*.cpp' 'kernel/*.hpp' 'fuzz/*.cpp' 'fuzz/*.hpp')

## lint: run linters and type checkers
.PHONY: lint
lint: build $(STAMPS)/dev
	@ruff check --quiet .
	@ruff format --quiet --check .
	@$(CHECK_TYPES)
	@clang-format --dry-run -Werror $(CPP_FILES)
	@echo "sevenbag: lint is clean"

CHECK_TYPES = mypy $(sort $(dir $(wildcard src/ tests/ bench/*.py examples/*.py docs/*/*.py fuzz/*.py))) \
	&& basedpyright

## types: run both type checkers
.PHONY: types
types: $(STAMPS)/dev
	@$(CHECK_TYPES)

## format: format all code with ruff and clang-format
.PHONY: format
format: $(STAMPS)/dev
	@ruff check --quiet --fix-only .
	@ruff format --quiet .
	@clang-format -i $(CPP_FILES)

## coverage: measure line coverage of Python, as pages in htmlcov/
.PHONY: coverage
coverage: build $(STAMPS)/dev
	@$(PYTEST) --cov --cov-report=html $(PYTEST_ARGS)

## docs: regenerate the pictures and tables of the manual
.PHONY: docs
docs: build
	@"$(BIN)/python" -m docs.figures

## bench: run all benchmarks of the README
.PHONY: bench
bench: build
	@for file in bench/[a-z]*.py; do echo "== $$file"; "$(BIN)/python" $$file || exit 1; done

# --- the rest ---------------------------------------------------------------------------------------

## wheel: build a wheel for this platform, in dist/
.PHONY: wheel
wheel: $(STAMPS)/run $(STAMPS)/compiler
	@UV=$$(command -v uv); CXX="$$(cat .venv/cxx)"; export CXX; \
	$(QUIETLY) build/wheel.log $$UV build --color never --wheel --no-build-isolation \
		--python "$(BIN)/python" --out-dir dist
	@ls dist/*.whl

## hooks: run the checks before every commit
.PHONY: hooks
hooks: $(STAMPS)/dev
	@pre-commit install

LOCK = uv pip compile --quiet --no-config --generate-hashes --universal --python-version 3.11 \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(LOCK_ARGS)

## lock: pin all requirements again; LOCK_ARGS=--upgrade updates them
.PHONY: lock
lock: $(STAMPS)/env
	@cp requirements/uv.txt .venv/uv.txt; $(LOCK) requirements/uv.in -o .venv/uv.txt
	@cmp -s .venv/uv.txt requirements/uv.txt || cp .venv/uv.txt requirements/uv.txt
	@$(LOCK) requirements/build.in -o requirements/build.txt
	@$(LOCK) pyproject.toml -c requirements/build.txt -o requirements/run.txt
	@$(LOCK) requirements/dev.in -c requirements/build.txt -c requirements/run.txt -o requirements/dev.txt
	@$(LOCK) requirements/fuzz.in -o requirements/fuzz.txt
	@! grep -nE '^[^#]*://|index-url|find-links' requirements/*.txt

## clean: remove all generated files, including the set-up
.PHONY: clean
clean:
	@rm -rf .venv build dist htmlcov .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find src tests bench examples docs -name __pycache__ -prune -exec rm -rf {} +
