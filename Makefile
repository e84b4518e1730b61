# make demo    the real RoboCup MuJoCo server, a T1 in it, and a BML document that moves it;
#              SHOW=dance BODY=mock BRAIN=... show something else: .venv/bin/embodiment_bridge demo --help has the table
# make test    everything that has to pass; ARGS="test/bml -n 0" runs one folder in one process
# make bench   the benchmarks, into benchmarks/RESULTS.md; ARGS="latency many" shows these two only, with --output FILE it also writes them
# make fuzz    the property tests with random examples, again and again; MINUTES=30 for so long (default 10)
# make soak    the tests that take long, and three times all the others while the processors are busy
# make coverage   the tests, programs that they start included, compared with what test/uncovered.txt commits to
# make codec-coverage   the same of what reads and writes bytes alone, in half a minute: every branch of it, by tables of cases
# make physics the tests of body:=mujoco with the newest MuJoCo that was tried; `make test` has the oldest
# make venv    the environment that the others use: ROS 2 from PyPI, the messages built, all else linked to this checkout
# make lock    after a change of requirements/*.txt: resolves them into requirements/locked/; ARGS=--upgrade takes what is newest
# WHEELS=kilted takes another set of ROS wheels (default jazzy); VENV=DIR another place than .venv

PYTHON ?= python3
WHEELS ?= jazzy
VENV := .venv
ARGS ?=
MINUTES ?= 10
SHOW ?=
BODY ?=
BRAIN ?=

BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
STEPS := build/steps
STEP = $(PYTHON) tools/step.py
$(if $(word 2,$(VENV)),$(error VENV=$(VENV) has a blank in it))
# Before VENV is removed: it may be a folder of something else.
CHECK_VENV = if [ -n "$$(ls -A $(VENV) 2> /dev/null)" ] && [ ! -d $(STAMPS) ]; then \
    echo "VENV=$(VENV) was not made by make (no .stamps in it): it is left as it is; remove it, or name another VENV" >&2; exit 1; fi
# An environment has one Python; another one that is asked for would not be used.
VERSION = -c 'import sys; print(sys.version_info[:2])'
CHECK_PYTHON = if [ -x $(BIN)/python ] && [ "$$($(PYTHON) $(VERSION))" != "$$($(BIN)/python $(VERSION))" ]; then \
    echo "$(VENV) has another Python than $(PYTHON): make clean first, or name another VENV" >&2; exit 1; fi
# Its programs name the place that it was made at, and its links the checkout.
CHECK_PLACE = if [ -s $(STAMPS)/place ] && [ "$$(cat $(STAMPS)/place)" != "$(CURDIR) $(abspath $(VENV))" ]; then \
    echo "$(VENV) is not where it was made ($$(cat $(STAMPS)/place)): make clean first, or name another VENV" >&2; exit 1; fi
# A ROS 2 that is sourced in this shell is not the one from PyPI that VENV gets.
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH $(if $(AMENT_PREFIX_PATH),LD_LIBRARY_PATH)
# Byte code is kept: else each worker, and each program that a test starts, compiles the same files again.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m "not soak" -n 4 --dist loadfile
LOCKS := requirements/locked/common.txt requirements/locked/$(WHEELS).txt
PIP_INSTALL = $(BIN)/python -m pip install --progress-bar off --disable-pip-version-check --no-build-isolation
# What is built or copied; folders too, because a file may be removed. All else is linked.
BUILT := $(shell find msg srv action scripts cmake vendor 2>/dev/null) CMakeLists.txt setup.py tools/build_backend.py package.xml pyproject.toml

# What has to take every branch of the codecs by itself: examples that are drawn at random (`hypothesis`) do not count.
CODEC_TESTS := test/wire test/contract/test_command_contract.py test/dynamixel/test_packets.py \
    $(addprefix test/bml/test_bml_,read.py errors.py tolerance.py text.py subtrees.py) \
    test/protocols/dummy/test_dummy_codec.py test/protocols/maeden/test_maeden_codec.py \
    $(addprefix test/protocols/opencog/,test_opencog_parts.py test_router_codec.py test_oac_checks.py) \
    $(wildcard test/protocols/opencog/test_xml_*.py) $(wildcard test/protocols/rcsssmj/test_rcsssmj_p*.py) \
    $(wildcard test/protocols/*/test_*_commands.py) test/protocols/simspark/test_simspark_percepts.py \
    $(addprefix test/protocols/soccer_monitor/test_monitor_,frames.py graphs.py trainer.py)

.PHONY: demo test bench fuzz soak coverage codec-coverage physics venv place asked-python lint lock clean
.DELETE_ON_ERROR:

demo: venv
	@$(BIN)/embodiment_bridge demo $(if $(SHOW),--show $(SHOW)) $(if $(BODY),--body $(BODY)) $(if $(BRAIN),--brain $(BRAIN)) $(ARGS)

test: venv lint
	@$(PYTEST) $(ARGS)

coverage: venv
	@$(PYTEST) --cov --cov-report= $(ARGS)
	@$(BIN)/coverage json --quiet -o build/coverage.json
	@$(BIN)/python tools/coverage_floor.py build/coverage.json

codec-coverage: venv
	@$(PYTEST) -m "not soak and not hypothesis" -k "not million" -n 0 --quiet --cov --cov-report= $(CODEC_TESTS)
	@$(BIN)/coverage json --quiet -o build/coverage.json
	@$(BIN)/python tools/coverage_floor.py build/coverage.json --whole

NEWEST_MUJOCO := mujoco==4.0.0 mujoco-core==4.0.0

physics: venv
	@$(PIP_INSTALL) --quiet --no-deps --upgrade --target build/mujoco $(NEWEST_MUJOCO)
	@PYTHONPATH=$(CURDIR)/build/mujoco $(PYTEST) $(or $(ARGS),test/physics)

bench: venv
	@$(BIN)/python benchmarks/run.py $(ARGS)

fuzz: venv
	@sh tools/fuzz.sh $(MINUTES) $(BIN)/python $(ARGS)

soak: venv
	@$(BIN)/python -m pytest -m soak $(ARGS)
	@for turn in 1 2 3; do echo "make test beside four endless loops, $$turn of 3"; tools/busy.sh $(MAKE) test ARGS= || exit 1; done

lint: venv
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

venv: place $(if $(filter-out file,$(origin PYTHON)),asked-python) $(STAMPS)/package

place:
	@$(CHECK_PLACE)
	@[ -L $(VENV)/share/embodiment_bridge/launch ] || rm -f $(STAMPS)/package  # somebody has had pip install or remove it

asked-python:
	@$(CHECK_PYTHON)

$(STAMPS)/wheels-$(WHEELS): $(wildcard requirements/*.txt) $(LOCKS)
	@$(CHECK_VENV)
	@PYTHON="$(PYTHON)" sh tools/check_machine.sh
	@$(PYTHON) tools/lock.py --check
	@! $(BIN)/python -m pip --version > /dev/null 2>&1 || $(STEP) "asking PyPI, before $(VENV) is made anew" $(STEPS)/ask.log $(PIP_INSTALL) --dry-run --ignore-installed $(addprefix -r ,$(LOCKS))
	@mkdir -p $(VENV) && find $(VENV)/ -mindepth 1 -delete && mkdir $(STAMPS)
	@echo "$(CURDIR) $(abspath $(VENV))" > $(STAMPS)/place
	@$(STEP) "making $(VENV)" $(STEPS)/venv.log $(PYTHON) -m venv $(VENV)
	@$(STEP) "tools from PyPI" $(STEPS)/tools.log $(PIP_INSTALL) -r $(word 1,$(LOCKS))
	@$(STEP) "ROS 2 $(WHEELS) from PyPI" $(STEPS)/wheels.log $(PIP_INSTALL) -r $(word 2,$(LOCKS))
	@touch $@

$(STAMPS)/package: $(STAMPS)/wheels-$(WHEELS) $(BUILT)
	@PATH="$(abspath $(BIN)):$$PATH" $(STEP) "building embodiment_bridge" $(STEPS)/package.log $(PIP_INSTALL) --verbose --no-deps --force-reinstall --config-settings checkout=linked .
	@ln -sfnr launch config urdf $(VENV)/share/embodiment_bridge/
	@ln -sfnr embodiment_bridge $(VENV)/share/embodiment_bridge/python/
	@touch $@

lock:
	@$(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/uv.txt
	@$(PYTHON) tools/lock.py build/lock/bin/uv $(ARGS)

clean:
	@$(CHECK_VENV)
	rm -rf $(VENV) build
