# The two commands a fresh machine needs are `make run` and `make test`.
#
#   make run      installs what is missing, builds a release, runs the main job
#   make test     builds and runs all tests
#   make install PREFIX=/usr/local  storebench, its workloads, completions and manual page
#   make docs     documentation of the library products, with a tutorial, in .build/docs
#   make example  builds and uses Examples/OwnKind, a package with a kind of its own
#   make check    format lint, build, tests, smoke run: what a change must pass
#   make smoke    the main job on a small store, every output checked
#   make gate     the counters of Workloads/ci, held against Results/baselines
#   make report-check  HTML reports opened in headless Chromium: accessibility, requests, overflow
#   make figures  the figures of README and docs, computed again from the data below Results
#   make test-models  every model and store of ../shared opened, and a small store made of each
#   make bench    objects generated, fetched and migrated a second, beside yardsticks
#   make bench-inspect  inspect on a gigabyte, beside SQLite's integrity check
#   make test-migrations  every store of ../shared/stores to each later version of its model, verified
#   make fuzz     ten thousand broken stores and model files, and as many random models with a store of each
#   make bench-counters  whether counters repeat to the last digit, and what counting costs
#   make bench-generate  rows a second of the bulk writer beside a plain loader
#   make bench-table     100 million rows of one table, beside published figures
#   make bench-migrate  objects copied side by side a second, beside a plain loop over GRDB
#   make bench-truth  how often the live comparison is right; ARGUMENTS="--hours 2" goes on longer,
#                     KEPT=1 prints the tables of what is kept
#   make bench-kills  a thousand launches killed, half by a loss of power, and a thousand full disks: none may lose a save
#   make full-disk-test  every kind on a small tmpfs that becomes full in each phase of a run (as root)
#   make bench-forecast  forecasts of registered migrations held against what they take; KEPT=1 judges
#                     what is kept again, in seconds
#   make bench-ladders  forecasts of the cases that the method was chosen on
#   make bench-analyze  findings in logs with planted faults, and time and memory for a log of 2 GB
#   make bench-replay  forecasts of replays at 16 times their ladder, and replays beside the work itself
#   make bench-claims  every claim file ten times: no verdict may contradict another
#   make bench-findings  how often findings name a winner among equals; KEPT=1 judges the kept trials again
#   make bench-history  false alarms and power of the change points in histories; needs python3 with apache-otava
#   make bench-fleets  shares of users over 3 s and 20 s in three populations, predicted and counted
#   make cluster-test  Slurm, GNU parallel and a matrix run a plan, with a killed node, a failed task and a full disk (as root)
#   make bench-elsewhere  forecasts for other machines held against them
#   make bench… HOLD=1  in memory that a virtual machine cannot give back to its host meanwhile
#   make format   formats the sources as .swift-format says

SHELL := /bin/bash
STOREBENCH := .build/release/storebench
PREFIX ?= /usr/local
BENCH := $(if $(HOLD),.build/release/bench hold-memory ).build/release/bench

.PHONY: full-disk-test run test docs example test-models install check smoke test-migrations gate figures report-check bench bench-inspect bench-counters bench-generate bench-table bench-migrate bench-truth bench-kills bench-forecast bench-ladders bench-elsewhere bench-analyze bench-findings bench-replay bench-claims bench-history bench-fleets cluster-test fuzz format lint dependencies release

run: release
	$(STOREBENCH) run Workloads/main

release: dependencies
	swift build -c release --product storebench

test: dependencies
	swift test

install: release
	scripts/install $(STOREBENCH) $(PREFIX)

docs: dependencies
	scripts/docs

example: dependencies
	scripts/check-example

check: lint
	swift build --build-tests
	$(MAKE) test
	$(MAKE) smoke

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Examples
	scripts/lint-imports
	scripts/plain-words

format:
	swift format --in-place --recursive Package.swift Sources Tests Examples

smoke: release
	scripts/smoke $(STOREBENCH)

test-migrations: release
	scripts/test-migrations $(STOREBENCH) ../shared/stores

gate: release
	scripts/gate $(STOREBENCH)

report-check: release
	scripts/report-check $(STOREBENCH) $(ARGUMENTS)

figures: dependencies
	@swift build --product bench >&2
	@.build/debug/bench figures

test-models: release
	scripts/test-models $(STOREBENCH) $${STOREBENCH_SHARED:-../shared}

bench: dependencies
	swift build -c release --product bench
	$(BENCH) fetch

bench-inspect: release
	scripts/bench-inspect $(STOREBENCH)

fuzz: dependencies
	STOREBENCH_FUZZ=$${STOREBENCH_FUZZ:-10000} swift test --filter fuzz

bench-counters: release
	swift build -c release --product bench
	$(BENCH) counters --output Results/counters/repeated.csv
	$(BENCH) counting

bench-generate: dependencies
	swift build -c release --product bench
	$(BENCH) generate

bench-table: dependencies
	swift build -c release --product bench
	$(BENCH) table

bench-migrate: dependencies
	swift build -c release --product bench
	$(BENCH) migrate

ifdef KEPT
bench-truth: dependencies
	@swift build --product bench >&2
	@.build/debug/bench truth --table

bench-forecast: dependencies
	@swift build --product bench >&2
	@.build/debug/bench registered --kept
else
bench-truth: release
	swift build -c release --product bench
	$(BENCH) truth $(ARGUMENTS)

bench-forecast: release
	swift build -c release --product bench
	$(BENCH) registered $(ARGUMENTS)
endif

# The whole table is kept; 'bench figures --write' takes from it what docs/kills.md shows.
kills = set -o pipefail; $(STOREBENCH) crash-test Workloads/kills --kills 1000 $(2) | tee Results/kills/$(1).log

bench-kills: release
	mkdir -p Results/kills
	$(call kills,kills,)
	$(call kills,full-disk,--full-disk)
	swift build --product bench
	.build/debug/bench figures --write

full-disk-test: release
	scripts/full-disk-test $(STOREBENCH)

bench-ladders: release
	swift build -c release --product bench
	$(BENCH) forecast $(ARGUMENTS)

bench-elsewhere: release
	swift build -c release --product bench
	$(BENCH) elsewhere $(ARGUMENTS)

bench-history: dependencies
	swift build -c release --product bench
	nice -n 10 .build/release/bench history --otava --output Results/changes $(ARGUMENTS)

bench-fleets: release
	swift build -c release --product bench
	scripts/fleet-table $(STOREBENCH) $(if $(HOLD),.build/release/bench)

cluster-test: release
	scripts/cluster-test $(STOREBENCH)

bench-replay: release
	swift build -c release --product bench
	$(BENCH) replay $(ARGUMENTS)

bench-claims: release
	swift build -c release --product bench
	$(BENCH) claims $(ARGUMENTS)

bench-findings: $(if $(KEPT),dependencies,release)
	swift build -c release --product bench
	$(BENCH) findings $(if $(KEPT),--kept) $(ARGUMENTS)

bench-analyze: dependencies
	swift build -c release --product bench
	$(BENCH) analyze $(ARGUMENTS)

dependencies:
	@scripts/install-dependencies
