# Two words to begin with: `make demo` and `make test`. Both see to everything they need.
PREFIX ?= /usr/local
# Debug information more than doubles the time that a build takes; leave it in with BUILD_FLAGS= for a debugger.
BUILD_FLAGS ?= -debug-info-format none
SWIFT_BUILD := swift build $(BUILD_FLAGS) --product callqa
# A program that was built already, for whatever takes a release build: nothing is built then (make dist BINARY=FILE).
BINARY ?=
export BINARY
RELEASE := $(or $(BINARY),.build/release/callqa)

.PHONY: size probe deb test-deb test-dist collect-test test-fleet help demo build release test lint format golden bench faults validate install dist fuzz mutants test-deep clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: ## import samples/ and write a nightly report to out/
	@scripts/prepare
	@scripts/demo

build: ## a debug build
	@scripts/prepare
	$(SWIFT_BUILD)

release: ## a release build (BINARY=FILE: none, that file is used)
ifeq ($(BINARY),)
	@scripts/prepare
	$(SWIFT_BUILD) -c release $$(scripts/static-flag)
	swift build $(BUILD_FLAGS) --product callqa-probe -c release $$(scripts/static-flag)
endif

test: ## the whole test suite
	@scripts/prepare test
	@echo "==> Building and running the tests (a few minutes on a first run)"
	@PATH="$(CURDIR)/.build-tools/bin:$$PATH" swift test $(BUILD_FLAGS) --disable-xctest $(TESTFLAGS)

lint: ## formatting and style, as strict as CI
	@swift format lint --strict --recursive Package.swift Sources Tests
	@! grep -rnE 'import .*\bFoundation\b' Sources || { echo "lint: FoundationEssentials does (see CONTRIBUTING.md)"; exit 1; }
	@command -v python3 >/dev/null && scripts/dependencies && scripts/doc-lines && scripts/ship-docs --check || { ! command -v python3 >/dev/null; }
	@echo "==> Style is clean"

format: ## mend formatting in place
	@swift format --in-place --recursive Package.swift Sources Tests

golden: ## record the golden files again (then read the diff)
	RECORD_GOLDEN=1 swift test $(BUILD_FLAGS) --disable-xctest $(TESTFLAGS)

validate: release ## the score against what was heard and shown (CALLS=folders of recorded calls, default those in ../shared)
	@mkdir -p out
	@for calls in $(or $(CALLS),../shared/calls ../shared/calls2); do [ ! -d $$calls ] || \
	  { $(RELEASE) validate $$calls --plot out/validate-$$(basename $$calls).svg && \
	    echo "==> Drawn: out/validate-$$(basename $$calls).svg"; } || exit 1; done

bench: release ## ratios to a fixed release, other tools and the floor, into bench/RESULTS.md (BENCH_SIZE=MB, BENCH_ONLY=group, BENCH_YARDSTICK=commit or binary)
	@command -v tshark >/dev/null || { [ "$$(id -u)" = 0 ] && DEBIAN_FRONTEND=noninteractive apt-get install -y -q tshark >/dev/null; } || true
	@python3 bench/bench.py

test-fleet: release ## one process, shards, DuckDB and Spark with a killed worker: the same report (CALLS=folder of calls)
	@python3 -c 'import duckdb, moto, pyspark, s3fs' 2>/dev/null || pip install --quiet --break-system-packages duckdb pyspark 'moto[server]' s3fs || true
	@command -v java >/dev/null || { [ "$$(id -u)" = 0 ] && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends openjdk-17-jre-headless >/dev/null; } || true
	@FLEET_CPU=1 python3 deploy/test_fleet.py $(RELEASE) $(CALLS)

collect-test: release ## the collector in Chromium and Firefox (outages, ends, ids), and its server
	@python3 collect/test_server.py
	@python3 collect/test.py $(RELEASE)

probe: ## place four calls through a relay, import, report, gate; broken pages in Chromium and Firefox (PLAN=file)
	@scripts/prepare test
	@scripts/probe $(PLAN)

faults: release ## kill, fill, fail and starve every writing command at random moments (FAULT_ROUNDS=200)
	@scripts/faults --rounds $(or $(FAULT_ROUNDS),200)
	@scripts/fault-commands --rounds $(or $(FAULT_ROUNDS),200) --state .build/faults.json && rm -f .build/faults.json

fuzz: ## every reader under libFuzzer (FUZZ_SECONDS=60 a reader, FUZZ_READERS="pcap sse")
	@scripts/prepare
	@fuzz/run $(or $(FUZZ_SECONDS),60) $(FUZZ_READERS)

mutants: release ## ten thousand damaged files, with check, other orders and other threads (MUTANTS=10000)
	@python3 fuzz/mutate.py $(or $(MUTANTS),10000)

# Under a sanitizer the tests take several times as long. Left out is what would only repeat what others run: pages in a
# browser (another process, not instrumented), and figures over all recordings (the readers and the score have tests of
# their own for each line of code that runs there).
DEEP := CALLQA_UNOPTIMISED=1 swift test --disable-xctest --skip 'BrowserTests|ValidationTests|ScoringOnRecordings|RecordedCall' $(TESTFLAGS)

test-deep: ## the tests again under AddressSanitizer and ThreadSanitizer, mutants, and a minute of fuzzing a reader
	@scripts/prepare test
	@echo "==> AddressSanitizer" && LSAN_OPTIONS="suppressions=$(CURDIR)/Tests/lsan.suppressions" $(DEEP) --scratch-path .build-asan --sanitize=address
	@echo "==> ThreadSanitizer" && $(DEEP) --scratch-path .build-tsan --sanitize=thread
	@$(MAKE) mutants MUTANTS=1000
	@fuzz/run $(or $(FUZZ_SECONDS),60)

size: ## lines of code and of tests, kB of documentation, folders in cycles
	@scripts/size

install: ## install into PREFIX (default /usr/local), with man pages and completions; builds if it can, also with the Swift of who called sudo
	@scripts/built
	. scripts/release-env && for program in "$$binary" $$probe; do tool=callqa; [ "$$program" = "$$binary" ] || tool=callqa-probe; \
	  install -D -s -m 0755 "$$program" "$(DESTDIR)$(PREFIX)/bin/$$tool" || exit 1; done; \
	scripts/share "$(DESTDIR)$(PREFIX)/share/callqa" && \
	scripts/manuals "$$binary" "$(DESTDIR)$(PREFIX)/share" "$$(date -u -d "@$$epoch" +%F)" "$$version" $$probe

deb: release ## a Debian package in dist/, with man pages, completions and a systemd timer
	@scripts/deb

test-deb: deb ## the package by lintian and in a bare Debian root: first screen, night, timer, purge
	@scripts/test-deb dist/callqa_*_$$(dpkg --print-architecture).deb

dist: release ## a release in dist/: tarball that needs no Swift nor C library, wheel, npm package, bill of materials
	@scripts/prepare dist
	@scripts/dist

test-dist: dist ## the tarball in bare roots (ROOTS="bullseye trixie"), the wheel in a venv, the same files again, licences
	@scripts/test-dist

clean: ## forget builds and reports
	rm -rf .build .build-fuzz .build-bench .build-tools out dist
