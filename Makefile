# `make help` explains the targets. The project's own benchmarks and proofs: make -C Evidence help

SHELL := /bin/bash
STOREBENCH := .build/release/storebench
PREFIX ?= /usr/local

# Tests and what is installed have the engine 'grdb' and the reader of Swift, whose parser takes minutes
# to build; other releases have the engine with GRDB=1. What was built with a part keeps it: with other
# traits, all of it would be compiled again.
ALL := --traits BuiltInKinds,GRDB,SwiftSource
BUILT := $(shell $(STOREBENCH) --version 2>/dev/null)
# Swift's build tool hands traits to the compiler in the order of a set, another in each process: in
# another order, all would be compiled again.
BUILD := SWIFT_DETERMINISTIC_HASHING=1 swift build
GRDB ?= $(if $(findstring with GRDB,$(BUILT)),1)
SWIFT ?= $(if $(findstring reader of Swift,$(BUILT)),1)
TRAITS = $(if $(filter 1,$(SWIFT)),$(ALL),$(if $(filter 1,$(GRDB)),--traits BuiltInKinds$(,)GRDB))
, := ,
gate check-workloads: GRDB := 1
install: SWIFT := 1

.PHONY: help run test check check-workloads check-stores check-release check-jobs install dist docs example gate fuzz report-check clean \
  release lint format smoke test-migrations test-models dependencies

# The lines that begin with two hash marks are what `make help` prints.
help:
	@sed -n 's/^## //p' Makefile

## make run               Build a release and run Workloads/main; GRDB=1 builds the engine grdb too
run: release
	$(STOREBENCH) run Workloads/main

## make test              Build and run all tests; the last lines list those that did not run
test: dependencies
	$(BUILD) --build-tests $(ALL)
	set -o pipefail; scripts/files-in-memory swift test --skip-build $(ALL) 2>&1 | scripts/report-skipped $(REQUIRE)

## make check             Lint, build, test, smoke run: what a change must pass
check: lint
	$(MAKE) test
	$(MAKE) smoke

## make check-workloads   Run every workload file once, with one trial; SINCE=REVISION: of kinds that changed
check-workloads: release
	scripts/check-workloads $(STOREBENCH) Workloads $(SINCE)

## make check-stores      Open, copy and run on every store below the folders STORES
check-stores: release
	scripts/check-stores $(STOREBENCH) $(STORES)

## make install           Install the program, its workloads, completions and manual page; PREFIX=/usr/local
install: release
	scripts/install $(STOREBENCH) $(PREFIX)

## make dist              Build a release in .build/dist: a static program as tar.gz and .deb, 10 minutes
dist:
	scripts/dist .build/dist

## make check-release     Install, use and remove what is in .build/dist in clean systems, and run the CI jobs (as root)
check-release:
	scripts/check-release .build/dist

## make check-jobs        Run every step of the CI action, component and jobs with this build
check-jobs: release
	rm -rf .build/jobs && scripts/check-jobs ".build/jobs/$$(scripts/pack $(STOREBENCH) .build/jobs).tar.gz"

## make docs              Documentation of the libraries, with a tutorial, in .build/docs
docs: dependencies
	scripts/docs

## make example           Build and use Examples/OwnKind, a package with a workload kind of its own
example: dependencies
	scripts/check-example

## make gate              Compare the counters of Workloads/ci with Results/baselines
gate: release
	scripts/gate $(STOREBENCH)

## make fuzz              10,000 broken stores and model files, as many random models, and long proofs in full
fuzz: export EVIDENCE := 1
fuzz: dependencies
	$(BUILD) --build-tests $(ALL)
	STOREBENCH_FUZZ=$${STOREBENCH_FUZZ:-10000} swift test --skip-build $(ALL) --filter fuzz

## make report-check      Open HTML reports in headless Chromium: accessibility, requests, overflow
report-check: release
	scripts/report-check $(STOREBENCH) $(ARGUMENTS)

## make clean             Delete build products, generated stores and kept ladders
clean:
	rm -rf .build .build-* .storebench

# Steps of the targets above and of .ci/run.

release: dependencies
	$(BUILD) -c release $(TRAITS) --product storebench

lint:
	swift format lint --strict --recursive Package.swift Sources Plugins Tests Examples Evidence
	scripts/lint-imports
	scripts/plain-words

format:
	swift format --in-place --recursive Package.swift Sources Plugins Tests Examples Evidence

smoke: release
	scripts/smoke $(STOREBENCH)

# Every store of ../shared/stores to each later version of its model.
test-migrations: release
	scripts/test-migrations $(STOREBENCH) ../shared/stores

# Every model and store of ../shared, and a small store made of each.
test-models: release
	scripts/test-models $(STOREBENCH) $${STOREBENCH_SHARED:-../shared}

dependencies:
	@scripts/install-dependencies
