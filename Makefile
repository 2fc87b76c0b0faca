# Two commands are all a newcomer needs: `make run` and `make test`. Each target does the set-up it needs.
SHELL := /bin/bash
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE =
export PIP_DISABLE_PIP_VERSION_CHECK = 1
ARGS ?=
PREFIX ?= $(HOME)/.local
SOAK_SECONDS ?= 120

.PHONY: setup run install unit test test-live test-zwave test-voice test-home-assistant test-others test-attack test-web soak soak-long check format bench bench-scale bench-live eval eval-live lock pages counterparts clean help

help: ## what each target does
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.dev $(VENV)/.speech ## everything the other targets need

# Set-up talks on stderr, so that `echo "what time is it" | make -s run` prints the answer alone.
$(VENV)/.run: requirements/run.lock $(wildcard requirements/search.lock) pyproject.toml
	@scripts/setup run "$(PYTHON)" "$(VENV)" >&2

$(VENV)/.dev: $(VENV)/.run requirements/dev.lock
	@scripts/setup dev "$(PYTHON)" "$(VENV)" >&2

$(VENV)/.speech: $(VENV)/.run requirements/speech.lock
	@scripts/setup speech "$(PYTHON)" "$(VENV)" >&2

run: $(VENV)/.run $(VENV)/.speech ## start the gateway on embedded defaults
	@$(BIN)/voice-gateway run $(ARGS) || [ $$? = 130 ]  # Ctrl-C is no error

install: ## voice-gateway below PREFIX (~/.local), with its systemd units, independent of this folder
	@scripts/install "$(PREFIX)" "$(PYTHON)" >&2

counterparts:
	@scripts/counterparts mosquitto pulseaudio pulseaudio-utils alsa-utils libasound2-plugins redis-server espeak-ng strace libportaudio2 >&2

unit: $(VENV)/.dev ## the inner loop: tests that need no service, no speech engine, nothing but this
	$(BIN)/pytest -n 2 --dist worksteal --unit $(ARGS)

test: setup counterparts ## all quick tests, against a real broker and a real Redis
	$(BIN)/pytest -n 3 --dist worksteal $(ARGS)

test-slow: setup counterparts ## what takes seconds each: floods, gateways that are killed, pasted blocks
	$(BIN)/pytest -n 3 --dist worksteal -m slow $(ARGS)

test-live: setup ## a real Ollama with real models (built and fetched the first time)
	@scripts/ollama setup >&2
	$(BIN)/pytest -m live tests/live $(ARGS)

test-zwave: setup counterparts ## the Z-Wave server against brokers that fail, and a real Z-Wave driver
	@scripts/zwave-driver setup >&2
	$(BIN)/pytest -m "(zwave_mqtt or zwave_driver) and not soak" tests/zwave_mqtt tests/zwave_driver $(ARGS)

test-voice: setup counterparts ## hearing and speaking: the real engines, every recording, a real sound path
	$(BIN)/pytest -m voice tests/voice $(ARGS)

test-home-assistant: setup ## a real Home Assistant, furnished with devices that fail, jam and share names (Python 3.13)
	@scripts/home-assistant setup >&2 || [ "$(CI)" != true ]
	$(BIN)/pytest -m home_assistant tests/home_assistant $(ARGS)

test-others: setup counterparts ## software of others: public MCP servers, LangChain's agents and standard tests, Home Assistant's schemas
	@scripts/others setup >&2
	$(BIN)/pytest -m others tests/others $(ARGS)

test-attack: setup counterparts ## attempts to make a gateway act without its owner, or twice
	@scripts/counterparts libfaketime >&2
	$(BIN)/pytest -n 2 --dist worksteal -m attack $(ARGS)

test-web: setup ## the console in a real browser (Debian's Chromium); its pictures are in build/web/
	@scripts/browser setup >&2
	$(BIN)/pytest -m web --timeout 180 tests/web $(ARGS)

soak: setup counterparts ## minutes of load and random faults (SOAK_SECONDS=120)
	@scripts/counterparts libfaketime >&2
	SOAK_SECONDS=$(SOAK_SECONDS) $(BIN)/pytest -s -m soak $(ARGS)

soak-long: ## ten minutes of it, which CI does not run
	@$(MAKE) soak SOAK_SECONDS=600

bench: setup ## timings, side by side with what others do
	@scripts/bench-env >&2
	$(BIN)/python -m bench $(ARGS)

bench-scale: setup counterparts ## 1, 2 and 4 gateways behind one broker and Redis, 500 rooms asking, one killed
	$(BIN)/python -m bench.scale $(ARGS)

bench-live: setup ## timings against a real Ollama
	@scripts/ollama setup >&2
	$(BIN)/python -m bench.live_ollama $(ARGS)

eval: setup ## how well the gateway understands without a model, and whether any reply claims what was not done
	$(BIN)/python -m tests.eval $(ARGS)

eval-live: setup ## the same utterances with a real model, behind the understanding and alone
	@scripts/ollama setup >&2
	$(BIN)/python -m tests.eval.forms
	$(BIN)/python -m tests.eval.live $(ARGS)

check: $(VENV)/.dev $(VENV)/.speech ## format, lint, types, import contracts, size budget
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/budget.py

format: $(VENV)/.dev ## let ruff format and fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pages: $(VENV)/.run ## write what the pages in docs/ take from the code
	$(BIN)/python scripts/pages.py

lock: $(VENV)/.dev ## renew the lock files
	scripts/lock "$(BIN)/uv"

clean: ## remove what set-up made
	rm -rf $(VENV) .venv-bench tests/zwave_driver/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
