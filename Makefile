# SPDX-License-Identifier: Apache-2.0
#
# parameters -> generator -> rtl/generated/PROFILE -> Verilated network (a plug-in of the command).
# The build finds a profile by its file name host/params/profile_NAME.c, a command by host/cli/cmd_NAME.c,
# and a unit test by tests/unit/test_NAME.c. An addition needs no edit here.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules --no-print-directory
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

JOBS ?= $(shell nproc)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif

# SAN=1 builds the command, the unit tests and the replay of the fuzz targets with the address and
# undefined-behaviour sanitizers, in a folder of their own; SAN=thread uses the thread sanitizer. FUZZ=1 is for
# `make fuzzers`, without clang's warnings. PLAIN=1 leaves the hardening out: `make bench` measures its cost.
CC := gcc
ifeq ($(SAN),thread)
B := build/tsan
SAN_FLAGS := -fsanitize=thread -fno-omit-frame-pointer -g
else ifdef SAN
B := build/san
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g
else ifdef FUZZ
B := build/fuzz
CC := clang
SAN_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g -w
else ifdef PLAIN
B := build/plain
SAN_FLAGS := -fno-stack-protector
else
B := build
SAN_FLAGS :=
endif

# V=1 prints every command in full.
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-9s %s\n' '$(1)' '$(2)')

CXX := g++
# Debian's interpreter, for which apt installs pytest; another python3 may come first in PATH.
PYTHON := /usr/bin/python3
VERILATOR := verilator
YOSYS := yosys
IVERILOG := iverilog

ALL_PROFILES := $(patsubst host/params/profile_%.c,%,$(sort $(wildcard host/params/profile_*.c)))
# Those that have no RTL: the build generates their numbers and the fast model, nothing else.
MODEL_PROFILES := $(patsubst host/params/profile_%.c,%,$(sort $(shell grep -lF '.model_only = 1,' host/params/profile_*.c)))
PROFILES := $(filter-out $(MODEL_PROFILES),$(ALL_PROFILES))
# Each folder of rtl/ lists its files in FOLDER.f. card_sources.f lists those of a card, node_sources.f those of a node around cards.
listed = $(foreach list,$(1),$(addprefix rtl/$(dir $(list)),$(shell cat rtl/$(list))))
RTL := $(addprefix rtl/,$(shell sed '/^\/\//d' rtl/card_sources.f))
BRIDGE_RTL := $(call listed,bridge/bridge.f)
NODE_RTL := $(call listed,$(shell sed 's/-F //' rtl/node_sources.f))
BOARD_SRC := $(sort $(wildcard sim/virtual_board/*.cpp))
COSIM_SRC := $(sort $(wildcard sim/cosim/*.cpp))
MODEL_SRC := $(sort $(wildcard sim/model/*/*.c))
INPUT_QUEUED_SRC := $(sort $(wildcard sim/input_queued/*.c))
SYSTEMC_SRC := $(sort $(wildcard sim/systemc/*.cpp))
SWITCH_SRC := $(sort $(wildcard tests/rtl/switch/*.cpp))
LINK_SRC := $(sort $(wildcard tests/rtl/link/*.cpp))
LINK_RTL := rtl/mem/xt_ram_1r1w.sv $(addprefix rtl/link/,xt_link_check.sv xt_retry_tx.sv xt_retry_rx.sv xt_link_receive.sv \
	xt_link_state.sv xt_link.sv)

WARNINGS := -Wall -Wextra -Wpedantic -Werror
INCLUDES := -Ihost/include -Ihost/lib -Ihost/params -Ihost -Isim -isystem /usr/include/libusb-1.0 -isystem /usr/include/libftdi1
# What an overflow is to meet: checked copies, a canary, no fixed addresses, and pointers that are read only once linked. The
# sanitizers have checks of their own.
ifeq ($(SAN_FLAGS),)
HARDENING := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
override LDFLAGS := -Wl,-z,relro,-z,now $(LDFLAGS)
endif
# Without -DNDEBUG: assertions are on in every build, and so in the tests.
# What a caller of make adds comes last, and takes the place of nothing that the code needs.
override CFLAGS := -std=c11 $(WARNINGS) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O2 -g -fPIC -fno-semantic-interposition \
	-D_GNU_SOURCE $(HARDENING) $(SAN_FLAGS) $(CFLAGS)
override CXXFLAGS := -std=c++17 $(WARNINGS) -O3 -g -fPIC -D_GNU_SOURCE $(HARDENING) $(CXXFLAGS)
override LDLIBS += -ljansson -lexpat -lz -lm -ldl -lpthread -Wl,--as-needed -lftdi1 -lusb-1.0

LIB_SRC := $(sort $(wildcard host/lib/*.c host/lib/*/*.c host/lib/*/*/*.c host/params/*.c))
GEN_SRC := $(filter-out host/gen/main.c,$(sort $(wildcard host/gen/*.c)))
CLI_SRC := $(sort $(wildcard host/cli/*.c host/cli/*/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/test_%.c=$B/tests/%)
FUZZ_TARGETS := $(filter-out replay,$(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c))))

LIB := $B/libextorus.a
COMMAND := $B/extorus
GENERATOR := $B/extorus-gen
# MAJOR.MINOR.PATCH, from the one place that has the version; a shared library is named by the first number.
VERSION := $(shell awk '/define XT_VERSION_(MAJOR|MINOR|PATCH) / {printf "%s%s", dot, $$3; dot = "."}' host/include/extorus/version.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

obj = $(1:%.c=$B/obj/%.o)
LIB_OBJ := $(call obj,$(LIB_SRC)) $B/obj/profile_list.o
GEN_OBJ := $(call obj,$(GEN_SRC))
CLI_OBJ := $(call obj,$(CLI_SRC)) $B/obj/experiments.o $B/obj/commit.o

plugin = build/plugins/extorus-cosim-$(1).so
model_plugin = build/plugins/extorus-model-$(1).so
MODEL_PLUGINS := $(foreach p,$(ALL_PROFILES),$(call model_plugin,$p))
INPUT_QUEUED_PLUGIN := build/plugins/extorus-input-queued.so
PLUGINS := $(foreach p,$(PROFILES),$(call plugin,$p)) $(MODEL_PLUGINS) $(INPUT_QUEUED_PLUGIN)
TRACE_PLUGINS := $(foreach p,$(PROFILES),$(call plugin,$p-trace))
board = build/boards/extorus-board-$(1)
BOARDS := $(foreach p,$(PROFILES),$(call board,$p))

##@ Build
.PHONY: all tools command plugins models traces boards
all: tools command $(if $(SAN),unit replays,plugins capture) ## Build the command and the co-simulation of every profile (default)
tools:
	@.ci/setup --check || true
command: $(COMMAND)

include host/host.mk
include tests/tests.mk

ifneq ($B,build)
# Nothing else has sanitizers; above all the simulators, which every command finds in one place, do not.
OTHERS := $(filter-out all tools command unit replays fuzzers-clang $B/%,$(MAKECMDGOALS))
.PHONY: $(OTHERS)
$(OTHERS):
	@$(MAKE) SAN= FUZZ= PLAIN= $@
else
plugins: $(PLUGINS)
models: $(MODEL_PLUGINS) $(INPUT_QUEUED_PLUGIN) ## Build the fast model of every profile
traces: $(TRACE_PLUGINS) ## Build the co-simulations that write waves
boards: $(BOARDS) meshes ## Build the virtual boards, and boards wired pin to pin

include sim/sim.mk
include sim/systemc/systemc.mk
include tests/benches.mk

# One generator run writes all files of a profile. Only files that differ move into place, so that a
# change of the generator does not verilate everything again.
GENERATED := xt_pkg.sv xt_registers.h registers.md registers.rdl registers.xml xt_bridge_pkg.sv xt_bridge.h bridge.md
.PHONY: generate
generate: $(foreach p,$(PROFILES),$(GENERATED:%=rtl/generated/$p/%)) ## Write rtl/generated/PROFILE from the parameter tables
generate: rtl/extorus.f
# For tools that read file lists: packages of PROFILE first, then a card and a node; paths count from rtl/ (option -F).
rtl/extorus.f: FORCE
	@{ printf 'generated/$(PROFILE)/%s\n' xt_pkg.sv xt_bridge_pkg.sv; printf '%s\n' $(patsubst rtl/%,%,$(RTL) $(NODE_RTL)); } > $@.new; \
	if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
# One file of a profile, with all names behind the profile's, so that cards of several profiles stand in one design.
.PHONY: card
card: ## Write a card and a node of PROFILE as one file, names prefixed, into build/rtl
	@$(MAKE) build/rtl/$(PROFILE)_card.sv
build/rtl/%_card.sv: $(addprefix rtl/generated/%/,xt_pkg.sv xt_bridge_pkg.sv) $(RTL) $(NODE_RTL)
	@mkdir -p $(@D)
	$(call say,WRITE,$@)
	$Qsed 's/\<xt_/$*_xt_/g' $^ > $@

define profile_rules
build/generated/$(1).stamp: build/extorus-gen
	@mkdir -p build/generated rtl/generated/$(1)
	$$(call say,GENERATE,rtl/generated/$(1))
	$$Qbuild/extorus-gen --profile $(1) -o build/generated/$(1)
	@touch $$@
$(GENERATED:%=rtl/generated/$(1)/%): rtl/generated/$(1)/%: build/generated/$(1).stamp
	@cmp -s build/generated/$(1)/$$* $$@ || cp build/generated/$(1)/$$* $$@

$(call model_rules,$(1),$(1),$(FAST_MODEL) -DXT_CLOCK_GATES,,$(if $(filter $(1),$(BRIEF)),$(BENCH_SPEED)))
$(call model_rules,$(1),$(1)-trace,$(FAST_MODEL) --trace-fst --trace-structs,verilated_fst_c.o,$(if $(BRIEF),$(BENCH_SPEED)))
$(call model_rules,$(1),$(1)-hardware,$(FAST_MODEL) -DXT_SYNTHESIS,,$(BENCH_SPEED))
$(call model_rules,$(1),$(1)-switch,$(CHECKED_MODEL),verilated_fst_c.o,$(BENCH_SPEED))
$(call plugin_rules,$(1),$(1),-DVM_TRACE=0)
$(call plugin_rules,$(1),$(1)-trace,-DVM_TRACE=1 -DVM_TRACE_FST=1)
$(call plugin_rules,$(1),$(1)-hardware,-DVM_TRACE=0)
$(call fast_model_rules,$(1),rtl/generated/$(1))
$(call board_rules,$(1))
$(call switch_test_rules,$(1))
endef

$(foreach p,$(PROFILES),$(eval $(call profile_rules,$p)))

define model_profile_rules
build/generated/$(1)/xt_registers.h: build/extorus-gen
	$$(call say,GENERATE,$$(@D))
	$$Qbuild/extorus-gen --profile $(1) -o $$(@D).new
	@mkdir -p $$(@D); cmp -s $$(@D).new/$$(@F) $$@ || mv $$(@D).new/$$(@F) $$@; rm -rf $$(@D).new

$(call fast_model_rules,$(1),build/generated/$(1))
endef

$(foreach p,$(MODEL_PROFILES),$(eval $(call model_profile_rules,$p)))

include rtl/frontend/usb/usb.mk
include sim/board_mesh/board_mesh.mk
include rtl/rtl_lint.mk
include .ci/lint.mk

# Synthesis
include constraints/synth/synth.mk
include constraints/bitstream/bitstream.mk
include sim/cocotb/cocotb.mk

include host/capture/capture.mk
include host/mpi/mpi.mk
include host/install/install.mk
include host/python/python.mk

##@ Other
.PHONY: clean help
clean: ## Remove all build outputs
	rm -rf build out rtl/generated rtl/extorus.f
help: ## Print this list
	@awk 'BEGIN {FS = ":.*## "} FNR == 1 {section = "Build"} /^##@/ {section = substr($$0, 5)} \
		/^[a-z-]+:.*## / {text[section] = text[section] sprintf("  make %-15s %s\n", $$1, $$2)} \
		END {n = split("Build Run Check Synthesis Boards Install Other", names, " "); \
			for (i = 1; i <= n; i++) printf "\n%s\n%s", names[i], text[names[i]]}' $(MAKEFILE_LIST)
endif
