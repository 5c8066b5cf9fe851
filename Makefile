# make run     install and open a local Slack with the demo team in the browser;
#              REPO=… DOCS=… PROMETHEUS=… use your own sources instead
# make chat    the same in the terminal
# make test    install with everything that tests need, run all tests and, beside them, the checks;
#              ARGS=tests/unit/engine runs those tests alone; HYPOTHESIS_PROFILE=thorough tries more examples
# make quick   run the tests nearest to what changed since the last commit, in about a minute
# make check   lint, format, types, import rules
# make demo    build the demo team again
# make bench   measure; ARGS=… is passed on
# make pins    write constraints.txt anew, and from it the hashes in hashes/
# make sbom    write build/sbom.json: what is installed, as CycloneDX
# make clean   remove what the others made

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
.PHONY: run chat test quick check demo bench pins sbom clean

BIN := .venv/bin
# urllib3-future, which caldav brings, takes the place of urllib3 for everybody unless it is built with this variable set.
export URLLIB3_NO_OVERRIDE := 1
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-binary urllib3-future
# Every package is of the version and the hash that stand in a file; what has another is not installed.
HASHED := $(PIP) --require-hashes -r
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal
quote = '$(subst ','\'',$(1))'
SOURCES := $(strip $(foreach r,$(REPO),--repo $(call quote,$(r))) \
  $(foreach d,$(DOCS),--docs $(call quote,$(d))) \
  $(if $(PROMETHEUS),--prometheus $(call quote,$(PROMETHEUS))))
WANTED := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

run: .venv/installed
	@exec $(BIN)/oracle up $(SOURCES)

chat: .venv/installed
ifeq ($(SOURCES),)
	@$(BIN)/oracle demo
endif
	@exec $(BIN)/oracle chat $(SOURCES)

demo: .venv/installed
	@$(BIN)/oracle demo

test: .venv/installed-dev
ifeq ($(ARGS),)
	@mkdir -p build
	@$(MAKE) --no-print-directory check > build/check.log 2>&1 & checks=$$!; \
	$(PYTEST) && tests=0 || tests=$$?; \
	wait $$checks && checks=0 || checks=$$?; \
	cat build/check.log; exit $$((tests ? tests : checks))
else
	@$(PYTEST) $(ARGS)
endif

quick: .venv/installed-dev
	@$(BIN)/python -m tests.quick

check: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed-dev
	@$(BIN)/python -m bench $(ARGS)

.venv/bin/python:
	@command -v git >/dev/null || { echo "git is needed (Debian: apt install git)." >&2; exit 1; }
	@for python in python3 python3.13 python3.12 python3.11; do \
	  if command -v $$python >/dev/null && $$python -c '$(WANTED)' 2>/dev/null; then \
	    echo "Making .venv with $$($$python --version)"; exec $$python -m venv .venv; \
	  fi; \
	done; \
	echo "Python 3.11 or newer with its venv module is needed (Debian: apt install python3 python3-venv)." >&2; exit 1

.venv/installed: pyproject.toml hashes/run.txt | .venv/bin/python
	@echo "Installing …"
	@$(HASHED) hashes/run.txt
	@$(PIP) --no-deps -e .
	@touch $@

.venv/installed-dev: pyproject.toml hashes/dev.txt | .venv/bin/python
	@echo "Installing with what tests need …"
	@$(HASHED) hashes/dev.txt
	@$(PIP) --no-deps -e .
	@touch .venv/installed $@

sbom: | .venv/bin/python
	@mkdir -p build
	@$(BIN)/python sbom.py constraints.txt hashes/dev.txt > build/sbom.json
	@echo "build/sbom.json: $$(grep -c '"purl"' build/sbom.json) packages"

COMPILE := -c constraints.txt --generate-hashes --universal --python-version 3.11 --no-header --no-annotate
pins:
	python3 -m venv --clear build/pins
	build/pins/bin/python -m pip --disable-pip-version-check install --quiet -e '.[dev,encoder]'
	build/pins/bin/python -m pip freeze --exclude-editable > constraints.txt
	build/pins/bin/python -m pip --disable-pip-version-check install --quiet uv
	build/pins/bin/uv pip compile --quiet $(COMPILE) --extra encoder -o hashes/run.txt pyproject.toml
	build/pins/bin/uv pip compile --quiet $(COMPILE) --extra encoder --extra dev -o hashes/dev.txt pyproject.toml
	rm -rf build/pins

clean:
	rm -rf .venv .oracle build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
