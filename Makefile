# evrev: what each target does is in its first comment; `make` lists them.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
SNAKEMAKE := $(BIN)/snakemake

# Settings of a run: make heldout DATA=FOLDER LAB=FILE PATIENTS=N MODELS=a,b ENDPOINT=URL
setting = $(if $($(3)),$(1)'$(2)=$(subst ','\'',$($(3)))')
settings = $(if $(DATA),$(1)source=eicu_demo) $(call setting,$(1),data,DATA) $(call setting,$(1),lab,LAB) \
           $(call setting,$(1),patients,PATIENTS) $(call setting,$(1),models,MODELS) \
           $(call setting,$(1),endpoint,ENDPOINT) $(call setting,$(1),study,STUDY)

.PHONY: help heldout test check bench engines lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

# The environment -----------------------------------------------------------------------------------------------
# A stamp named by the locks: an install that was cut off has none and is done again.
lock_id := $(shell cat envs/core.txt envs/dev.txt pyproject.toml | sha256sum | cut -c1-12)
CORE := .venv/.core-$(lock_id)
DEV := .venv/.dev-$(lock_id)

$(CORE):
	@command -v $(PYTHON) >/dev/null || { echo "evrev needs Python 3.11 or later; set PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "evrev needs Python 3.11 or later, not $$($(PYTHON) -V); set PYTHON=" >&2; exit 2; }
	@echo "Setting up .venv from envs/core.txt (about a minute, once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes --no-deps -r envs/core.txt
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(CORE)
	@echo "Adding the test tools from envs/dev.txt (once)"
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes --no-deps -r envs/dev.txt
	@touch $@

# Running -------------------------------------------------------------------------------------------------------
heldout: $(CORE) ## run the held-out batch and write its tables (DATA= LAB= PATIENTS= MODELS= ENDPOINT=)
	@echo "Running the held-out batch: records, scenarios, generation, scores, statistics, tables"
	@$(SNAKEMAKE) heldout --quiet all $(if $(strip $(settings)),--config $(settings)) || { status=$$?; \
	  echo "Not finished. What is wrong is said above or in $$(ls -t .snakemake/log/* | head -1); then give the same command again." >&2; \
	  exit $$status; }
	@echo "Tables are in $$($(BIN)/python -m evrev $(call settings,--set ) latest)"

test: $(DEV) ## run the tests
	@echo "Running the tests"
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(DEV) ## format, lint, types, import contract, workflow lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/snakefmt --check Snakefile rules
	$(SNAKEMAKE) --lint

bench: $(DEV) ## measure speed, as ratios in one run
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

engines: ## install the engines that tests can use (none yet)
	@echo "No engine to install: SLURM and vLLM are not part of this version"

lock: $(DEV) ## write envs/*.txt from pyproject.toml again
	$(BIN)/pip install --quiet pip-tools
	$(BIN)/pip-compile -q $(compile) -o envs/core.txt pyproject.toml
	$(BIN)/pip-compile -q $(compile) --extra dev -c envs/core.txt -o envs/dev.txt pyproject.toml
compile := --build-deps-for editable --generate-hashes --strip-extras --allow-unsafe --no-header --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

clean: ## remove what scripted studies made; studies with a real model are kept
	@rm -rf .snakemake results/latest
	@for study in results/*scripted*; do \
	  [ -d "$$study" ] || continue; \
	  if grep -rqsE --include=*.json '"kind": ?"(real|tiny)"' "$$study"; then echo "keeping $$study: not all its models are scripted"; \
	  else echo "removing $$study"; rm -rf "$$study"; fi; \
	done
