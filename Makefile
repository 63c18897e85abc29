# Two commands for everybody: `make run` and `make test`. The rest is for people who change the code.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEV_READY := .venv/.dev-ready
NPM_TOOLS := .venv/npm/.ready
DOCS := .venv/docs/.ready
GENERATOR := .venv/generator/.ready
CLUSTERS := .venv/.clusters-ready
TOOL := .venv/npm/node_modules/.bin
AXE ?= .venv/axe/node_modules/axe-core/axe.min.js

.PHONY: run demo ports test check docs openapi typescript clients catalogues wheel evaluate bench soak browser storm audit train reviewer client lock clean help

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

run: ports $(READY) ## set up everything, classify a few products at the first start and keep serving until Ctrl-C
	@$(BIN)/pcs up --demo-once

demo: ports $(READY) ## classify a few products and exit (0 only if every product completed)
	@$(BIN)/pcs up --demo --exit

test: $(DEV_READY) ## every test but the browser's, with the crash suite
	@$(BIN)/pytest -n 3 --dist loadgroup -m "not browser and not storm and not wheel and not npm and not catalogues"

storm: $(DEV_READY) ## 1,000 classifications, 4 workers, 20 kills, 2 database restarts; prints what came of it
	@$(BIN)/pytest -m storm -s -o timeout=600

check: $(DEV_READY) ## lint, types, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

openapi: $(DEV_READY) $(NPM_TOOLS) ## lint the interface's OpenAPI document with Redocly and Spectral
	@$(BIN)/pcs openapi > .venv/openapi.json
	@REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(TOOL)/redocly lint --config .ci/redocly.yaml .venv/openapi.json
	@$(TOOL)/spectral lint --ruleset .ci/spectral.yaml --fail-severity hint .venv/openapi.json

docs: $(DOCS) ## build docs/ into a searchable site, build/docs, and check its links
	@.venv/docs/bin/zensical build --clean --strict --config-file mkdocs.yml

typescript: $(READY) $(NPM_TOOLS) ## pack the TypeScript client into clients/typescript
	@rm -rf .venv/typescript
	@cp .venv/typescript/$$(clients/typescript/build.sh $(CURDIR)/.venv/npm/node_modules .venv/typescript | tail -1) clients/typescript/
	@ls clients/typescript/*.tgz

clients: $(DEV_READY) $(NPM_TOOLS) $(GENERATOR) ## test the TypeScript client on Node, and compile the clients that generators make
	@$(BIN)/pytest -n 2 --dist loadgroup -m npm tests/contract

catalogues: $(CLUSTERS) ## 20,000 products on Ray and on Spark, each with two processes of this machine (Spark needs Java)
	@$(BIN)/pytest -n 2 --dist loadgroup -m catalogues tests/catalogues

wheel: $(DEV_READY) ## build the wheel, install it in an empty environment elsewhere, classify with it
	@$(BIN)/pytest -m wheel tests/wheel

evaluate: $(READY) ## accuracy on labelled cases beside the targets: CASES=files, and what to load first, SCHEDULES=files NOTES=files
	@test -n "$(CASES)" || { echo "make evaluate: name labelled cases, CASES=path/to/cases.jsonl (docs/method.md), and SCHEDULES= and NOTES= to load first"; exit 2; }
	@test -z "$(SCHEDULES)" || $(BIN)/pcs schedules import $(SCHEDULES) --data-dir .pcs/evaluation
	@test -z "$(NOTES)" || $(BIN)/pcs schedules notes $(NOTES) --data-dir .pcs/evaluation
	@$(BIN)/pcs evaluate $(CASES) --targets benchmarks/accuracy.json --data-dir .pcs/evaluation

client: $(DEV_READY) ## write the synchronous client from the asynchronous one
	@$(BIN)/python clients/python/generate.py

train: $(READY) ## rebuild the engine's trained parts from the knowledge pack and the loaded rulings
	@$(BIN)/pcs train

bench: $(DEV_READY) ## speed and memory, as ratios in one run
	@$(BIN)/python -m benchmarks

soak: $(DEV_READY) ## ten minutes at half the measured capacity: errors, memory, queue, latency
	@$(BIN)/python -m benchmarks.soak

audit: $(DEV_READY) ## known vulnerabilities of the locked dependencies (asks a service outside)
	@$(BIN)/python .ci/audit

browser: $(DEV_READY) $(AXE) ## the dashboard's journeys on headless Chromium
	@$(BIN)/pytest -m browser tests/browser

ports: .venv/bin/python # before the long install: are the ports free?
	@PYTHONPATH=src $(BIN)/python -m pcs.cli.ports

$(AXE): | .venv/bin/python
	@npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix .venv/axe axe-core@4.14.1 || { echo "make browser needs npm for axe-core, or PCS_AXE=path/to/axe.min.js"; exit 1; }

$(NPM_TOOLS): Makefile | .venv/bin/python
	@npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix .venv/npm @redocly/cli@1.34.7 @stoplight/spectral-cli@6.16.3 openapi-typescript@7.13.0 typescript@5.9.3 @types/node@26.6.6 orval@7.13.2 || { echo "make openapi and make clients need npm, and an index that it reaches"; exit 1; }
	@touch $@

$(GENERATOR): Makefile | .venv/bin/python # apart from ours: it wants an older Typer
	@$(PYTHON) -m venv .venv/generator
	@.venv/generator/bin/pip install -q --disable-pip-version-check openapi-python-client==0.29.1 python-dateutil==2.9.0.post0
	@touch $@

$(CLUSTERS): requirements-catalogues.lock | $(DEV_READY) # PySpark comes as its sources alone
	@sh .ci/install requirements-catalogues.lock --no-binary pyspark --no-build-isolation
	@touch $@

$(DOCS): requirements-docs.lock | .venv/bin/python # apart from ours: a tool, not a library
	@$(PYTHON) -m venv .venv/docs
	@.venv/docs/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements-docs.lock
	@touch $@

reviewer: $(READY) ## install the libraries of a reviewing language model (docs/reviewer.md)
	@sh .ci/install requirements-reviewer.lock

lock: $(DEV_READY) ## pin every dependency again, with hashes
	@$(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --no-header --allow-unsafe --extra build -o requirements.lock pyproject.toml
	@$(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --no-header --allow-unsafe --extra build --extra dev --extra otel --extra reviewer --extra parquet -c requirements.lock -o requirements-dev.lock pyproject.toml
	@$(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --no-header --allow-unsafe --extra build --extra reviewer -c requirements-dev.lock -o requirements-reviewer.lock pyproject.toml
	@$(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --no-header --allow-unsafe --extra build --extra ray --extra spark -c requirements-dev.lock -o requirements-catalogues.lock pyproject.toml
	@echo 'zensical==0.0.73' | $(BIN)/pip-compile -q --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras --no-header --allow-unsafe -o requirements-docs.lock -

clean: ## remove the environment and everything the service stored here
	rm -rf .venv .pcs

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "pcs needs Python 3.11 or newer; '$(PYTHON)' is older. Give another: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "pcs could not make .venv here: is the folder writable, and is Python's venv module installed?"; exit 1; }

$(READY): .venv/bin/python requirements.lock pyproject.toml
	@sh .ci/install requirements.lock
	@touch $@

$(DEV_READY): $(READY) requirements-dev.lock
	@sh .ci/install requirements-dev.lock
	@touch $@
