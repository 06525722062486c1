# SPDX-License-Identifier: Apache-2.0
#
# parameters -> generator -> rtl/generated/PROFILE -> Verilated network (a plug-in of the command).
# A profile is found by its file name host/params/profile_NAME.c, a command by host/cli/cmd_NAME.c,
# a unit test by tests/unit/NAME.c: adding one needs no edit here.

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
# undefined-behaviour sanitizers, SAN=thread with the thread sanitizer, apart from the others. FUZZ=1 is for
# `make fuzzers`; the warnings of its compiler are not for us.
CC := gcc
ifeq ($(SAN),thread)
B := build/tsan
SAN_FLAGS := -fsanitize=thread -fno-omit-frame-pointer -g
else ifdef SAN
B := build/san
SAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g
else ifdef FUZZ
B := build/fuzz
CC := clang-14
SAN_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g -w
else
B := build
SAN_FLAGS :=
endif

# V=1 shows every command in full.
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-9s %s\n' '$(1)' '$(2)')

CXX := g++
# Debian's interpreter, for which apt installs pytest; another python3 may come first in PATH.
PYTHON := /usr/bin/python3
VERILATOR := verilator
YOSYS := yosys
IVERILOG := iverilog

PROFILES := $(patsubst host/params/profile_%.c,%,$(sort $(wildcard host/params/profile_*.c)))
RTL := $(sort $(wildcard rtl/*.sv))
# Of the bridge; front ends are apart.
BRIDGE_RTL := $(filter-out %/xt_async_fifo.sv %/xt_uart.sv %/xt_ft245.sv,$(sort $(wildcard rtl/bridge/*.sv)))
# Of a board: bridge, front ends and what is beside the cards.
NODE_RTL := $(sort $(wildcard rtl/bridge/*.sv rtl/board/*.sv))
BOARD_SRC := $(sort $(wildcard sim/board/*.cpp))
COSIM_SRC := $(sort $(wildcard sim/cosim/*.cpp))
MODEL_SRC := $(sort $(wildcard sim/model/*.c))
SYSTEMC_SRC := $(sort $(wildcard sim/systemc/*.cpp))
SWITCH_SRC := $(sort $(wildcard tests/switch/*.cpp))
LINK_SRC := $(sort $(wildcard tests/link/*.cpp))
LINK_RTL := $(addprefix rtl/,xt_ram_1r1w.sv xt_link_crc.sv xt_retry_tx.sv xt_retry_rx.sv xt_link.sv)

WARNINGS := -Wall -Wextra -Wpedantic -Werror
INCLUDES := -Ihost/include -Ihost/params -Ihost -Isim -isystem /usr/include/libusb-1.0 -isystem /usr/include/libftdi1
CFLAGS += -std=c11 $(WARNINGS) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -O2 -g -fPIC -fno-semantic-interposition \
	-D_GNU_SOURCE $(SAN_FLAGS)
CXXFLAGS += -std=c++17 $(WARNINGS) -O3 -g -fPIC -D_GNU_SOURCE
LDLIBS += -ljansson -lz -lm -ldl -lpthread -Wl,--as-needed -lftdi1 -lusb-1.0

LIB_SRC := $(sort $(wildcard host/lib/*.c host/lib/workload/*.c host/params/*.c host/gen/*.c))
CLI_SRC := $(sort $(wildcard host/cli/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$B/tests/%)
FUZZ_SRC := $(filter-out tests/fuzz/replay.c,$(sort $(wildcard tests/fuzz/*.c)))

LIB := $B/libextorus.a
COMMAND := $B/extorus
SOVERSION := 0

obj = $(1:%.c=$B/obj/%.o)
LIB_OBJ := $(call obj,$(LIB_SRC)) $B/obj/profile_list.o
CLI_OBJ := $(call obj,$(CLI_SRC)) $B/obj/experiments.o

plugin = build/plugins/extorus-cosim-$(1).so
model_plugin = build/plugins/extorus-model-$(1).so
MODEL_PLUGINS := $(foreach p,$(PROFILES),$(call model_plugin,$p))
PLUGINS := $(foreach p,$(PROFILES),$(call plugin,$p)) $(MODEL_PLUGINS)
TRACE_PLUGINS := $(foreach p,$(PROFILES),$(call plugin,$p-trace))
board = build/boards/extorus-board-$(1)
BOARDS := $(foreach p,$(PROFILES),$(call board,$p))

##@ Build
.PHONY: all tools command plugins models traces boards
all: tools command $(if $(SAN),unit replays,plugins) ## Build the command build/extorus and the co-simulation of every profile (the default)
tools:
	@.ci/setup --check || true
command: $(COMMAND)
plugins: $(PLUGINS)
models: $(MODEL_PLUGINS) ## Build the fast model of every profile
traces: $(TRACE_PLUGINS) ## Build the co-simulations that can write waves
boards: $(BOARDS) planes ## Build the virtual board of every profile, and boards wired pin to pin

# The list of profiles, from the file names; rewritten only when a profile comes or goes.
$B/generated/profile_list.c: FORCE
	@mkdir -p $(@D)
	@{ echo '/* From the names of host/params/profile_*.c. */'; \
	   echo '#include <stddef.h>'; echo '#include "profiles.h"'; \
	   for p in $(PROFILES); do echo "extern const xt_profile_t xt_profile_$$p;"; done; \
	   echo 'const xt_profile_t *const xt_profiles[] = {'; \
	   for p in $(PROFILES); do echo "	&xt_profile_$$p,"; done; \
	   echo '	NULL,'; echo '};'; } > $@.$$$$.new; \
	if cmp -s $@.$$$$.new $@; then rm $@.$$$$.new; else mv $@.$$$$.new $@; fi
.PHONY: FORCE
FORCE:

$B/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@
$B/obj/profile_list.o: $B/generated/profile_list.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@

# The comparisons that `extorus reproduce` knows, as bytes.
$B/generated/experiments.c: sim/reproductions/experiments.json
	@mkdir -p $(@D)
	@{ echo '#include <stddef.h>'; echo 'extern const unsigned char xt_experiments_text[];'; \
	   echo 'extern const size_t xt_experiments_size;'; echo 'const unsigned char xt_experiments_text[] = {'; \
	   od -An -v -tu1 $< | sed 's/  *\([0-9][0-9]*\)/\1,/g'; echo '};'; \
	   echo 'const size_t xt_experiments_size = sizeof(xt_experiments_text);'; } > $@
$B/obj/experiments.o: $B/generated/experiments.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(CFLAGS) $(INCLUDES) -MMD -MP -c $< -o $@

$(LIB): $(LIB_OBJ)
	$(call say,AR,$@)
	@rm -f $@
	$Qar rcs $@ $^
$(COMMAND): $(CLI_OBJ) $(LIB)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $(CLI_OBJ) $(LIB) $(LDFLAGS) $(LDLIBS) -o $@

$B/tests/%: $B/obj/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $< $(LIB) $(LDFLAGS) -lcmocka $(LDLIBS) -o $@
.PHONY: unit
unit: $(UNIT_BIN)

# Runs in the guest of tests/usb.
$B/tests/usb-stream: $B/obj/tests/usb/stream.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@

# A fuzz target with libFuzzer, or with a main that runs it on files.
$B/fuzzers/%: $B/obj/tests/fuzz/%.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) -fsanitize=fuzzer $^ $(LDFLAGS) $(LDLIBS) -o $@
$B/replay/%: $B/obj/tests/fuzz/%.o $B/obj/tests/fuzz/replay.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@
.PHONY: replays fuzzers fuzzers-clang
replays: $(FUZZ_SRC:tests/fuzz/%.c=$B/replay/%)
fuzzers: ## Build the fuzz targets with libFuzzer for tests/fuzz/run (.ci/packages-fuzz)
	@.ci/setup .ci/packages-fuzz
	@$(MAKE) FUZZ=1 fuzzers-clang
fuzzers-clang: $(FUZZ_SRC:tests/fuzz/%.c=$B/fuzzers/%)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(UNIT_SRC:%.c=$B/obj/%.d) $(wildcard $B/obj/tests/fuzz/*.d $B/obj/tests/usb/*.d)

# One generator run writes all files of a profile. They are moved into place only when they differ, so
# that a change of the command does not verilate everything again.
GENERATED := xt_pkg.sv xt_registers.h registers.md xt_bridge_pkg.sv xt_bridge.h bridge.md
.PHONY: generate
generate: $(foreach p,$(PROFILES),$(GENERATED:%=rtl/generated/$p/%)) ## Write rtl/generated/PROFILE from the parameter tables

define profile_rules
build/generated/$(1).stamp: build/extorus
	@mkdir -p build/generated rtl/generated/$(1)
	$$(call say,GENERATE,rtl/generated/$(1))
	$$Qbuild/extorus gen --profile $(1) -o build/generated/$(1)
	@touch $$@
$(GENERATED:%=rtl/generated/$(1)/%): rtl/generated/$(1)/%: build/generated/$(1).stamp
	@cmp -s build/generated/$(1)/$$* $$@ || cp build/generated/$(1)/$$* $$@

$(call model_rules,$(1),$(1),$(FAST_MODEL))
$(call model_rules,$(1),$(1)-trace,$(FAST_MODEL) --trace-fst --trace-structs,verilated_fst_c.o)
$(call model_rules,$(1),$(1)-switch,$(CHECKED_MODEL),verilated_fst_c.o,$(BENCH_SPEED))
$(call plugin_rules,$(1),$(1),-DVM_TRACE=0)
$(call plugin_rules,$(1),$(1)-trace,-DVM_TRACE=1 -DVM_TRACE_FST=1)
$(call fast_model_rules,$(1))
$(call board_rules,$(1))
$(call switch_test_rules,$(1))
endef

VERILATOR_ROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)
VERILATOR_INCLUDES := -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
# Loops over ports and queues are unrolled whatever their size: their indices are then constants.
UNROLL := --unroll-count 2048 --unroll-stmts 10000000
FAST_MODEL := --x-assign fast --x-initial fast --noassert $(UNROLL)
ASSERTING_MODEL := $(filter-out --noassert,$(FAST_MODEL)) --assert -DXT_ASSERT
CHECKED_MODEL := --x-assign unique --x-initial unique --assert -DXT_ASSERT --trace-fst -CFLAGS -DVL_USER_STOP

# The benches of cards take longer to compile than to run.
BENCH_SPEED := -O1

# The Verilated class of a card. $(1) profile, $(2) name of the model, $(3) Verilator options, $(4) further
# parts of its run time, $(5) how it is compiled. Warnings are for `make lint`.
define model_rules
build/verilated/$(2)/Vxt_card.mk: rtl/generated/$(1)/xt_pkg.sv $(RTL)
	@mkdir -p $$(@D)
	$$(call say,VERILATE,$(2))
	$$Q$(VERILATOR) --cc -O3 $(3) -Wno-lint -Wno-style --top-module xt_card --prefix Vxt_card --Mdir $$(@D) $$^
	@touch $$@
build/verilated/$(2)/Vxt_card__ALL.a: build/verilated/$(2)/Vxt_card.mk
	$$(call say,MODEL,$(2))
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vxt_card.mk OPT_FAST="$(or $(5),-O3) -fPIC" OPT_SLOW="-O0 -fPIC" \
		OPT_GLOBAL="-O2 -fPIC" Vxt_card__ALL.a verilated.o verilated_threads.o $(4) $(if $(V),,>/dev/null)
	@cd $$(@D) && ar rcs libverilated.a verilated.o verilated_threads.o $(4)
	@touch $$@
endef

# The network harness with the model, a shared object that the command opens. $(3) preprocessor options
define plugin_rules
build/obj/cosim/$(2)/%.o: sim/cosim/%.cpp build/verilated/$(2)/Vxt_card.mk rtl/generated/$(1)/xt_registers.h
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(2)))
	$$Q$(CXX) $(CXXFLAGS) $(INCLUDES) -Irtl/generated/$(1) -isystem build/verilated/$(2) $(VERILATOR_INCLUDES) \
		-DXT_PROFILE=$(1) $(3) -MMD -MP -c $$< -o $$@
build/plugins/extorus-cosim-$(2).so: $(COSIM_SRC:sim/cosim/%.cpp=build/obj/cosim/$(2)/%.o) \
		build/verilated/$(2)/Vxt_card__ALL.a build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) -shared -Wl,-Bsymbolic -Wl,--no-undefined $$(filter %.o,$$^) $$(filter %.a,$$^) \
		build/verilated/$(2)/libverilated.a $(LDLIBS) -o $$@
-include $(COSIM_SRC:sim/cosim/%.cpp=build/obj/cosim/$(2)/%.d)
endef

# The fast model of one profile, a shared object likewise: its loops have the profile's numbers. It is optimised as a
# whole, since a packet's way through a card goes through most of its files.
MODEL_FLAGS := -O3 -flto=auto
define fast_model_rules
build/obj/model/$(1)/%.o: sim/model/%.c rtl/generated/$(1)/xt_registers.h
	@mkdir -p $$(@D)
	$$(call say,CC,$$< ($(1)))
	$$Q$(CC) $(CFLAGS) $(MODEL_FLAGS) $(INCLUDES) -Irtl/generated/$(1) -MMD -MP -c $$< -o $$@
build/plugins/extorus-model-$(1).so: $(MODEL_SRC:sim/model/%.c=build/obj/model/$(1)/%.o) build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CC) $(CFLAGS) $(MODEL_FLAGS) -shared -Wl,-Bsymbolic -Wl,--no-undefined $$^ $(LDLIBS) -o $$@
-include $(MODEL_SRC:sim/model/%.c=build/obj/model/$(1)/%.d)
endef

# The virtual board: a twin node behind the bridge, in a process of its own.
define board_rules
build/verilated/$(1)-board/Vxt_board.mk: rtl/generated/$(1)/xt_pkg.sv rtl/generated/$(1)/xt_bridge_pkg.sv $(RTL) $(NODE_RTL)
	@mkdir -p $$(@D)
	$$(call say,VERILATE,$(1)-board)
	$$Q$(VERILATOR) --cc -O3 $(ASSERTING_MODEL) -GCards=2 -Wno-lint -Wno-style --top-module xt_board --prefix Vxt_board \
		--Mdir $$(@D) $$^
	@touch $$@
build/verilated/$(1)-board/Vxt_board__ALL.a: build/verilated/$(1)-board/Vxt_board.mk
	$$(call say,MODEL,$(1)-board)
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vxt_board.mk OPT_FAST="-O3" OPT_SLOW="-O0" OPT_GLOBAL="-O2" \
		Vxt_board__ALL.a verilated.o verilated_threads.o $(if $(V),,>/dev/null)
	@touch $$@
build/obj/board/$(1)/%.o: sim/board/%.cpp build/verilated/$(1)-board/Vxt_board.mk rtl/generated/$(1)/xt_bridge.h
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) -Ihost/params -Irtl/generated/$(1) -isystem build/verilated/$(1)-board $(VERILATOR_INCLUDES) \
		-MMD -MP -c $$< -o $$@
$(call board,$(1)): $(BOARD_SRC:sim/board/%.cpp=build/obj/board/$(1)/%.o) build/verilated/$(1)-board/Vxt_board__ALL.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) build/verilated/$(1)-board/verilated.o \
		build/verilated/$(1)-board/verilated_threads.o -lusbredirparser -latomic -lpthread -o $$@
-include $(BOARD_SRC:sim/board/%.cpp=build/obj/board/$(1)/%.d)
endef

# The bench of one card. Only card.cpp sees the model: tests/switch/mutants.py links the other objects
# with models of faulty cards.
define switch_test_rules
build/obj/switch/$(1)/card.o: build/verilated/$(1)-switch/Vxt_card.mk
build/obj/switch/$(1)/%.o: tests/switch/%.cpp
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) $(BENCH_SPEED) $(INCLUDES) -isystem build/verilated/$(1)-switch $(VERILATOR_INCLUDES) \
		-DXT_PROFILE=$(1) -DVM_TRACE=1 -MMD -MP -c $$< -o $$@
build/tests/switch-$(1): $(SWITCH_SRC:tests/switch/%.cpp=build/obj/switch/$(1)/%.o) \
		build/verilated/$(1)-switch/Vxt_card__ALL.a build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) build/verilated/$(1)-switch/libverilated.a \
		-latomic $(LDLIBS) -o $$@
-include $(SWITCH_SRC:tests/switch/%.cpp=build/obj/switch/$(1)/%.d)
endef

$(foreach p,$(PROFILES),$(eval $(call profile_rules,$p)))

# The bench of one link, which has a shape of its own: the default parameters of xt_link.
build/verilated/link/Vxt_link.mk: $(LINK_RTL)
	@mkdir -p $(@D)
	$(call say,VERILATE,xt_link)
	$Q$(VERILATOR) --cc -O3 $(filter-out --trace-fst,$(CHECKED_MODEL)) -Wno-lint -Wno-style --top-module xt_link \
		--prefix Vxt_link --Mdir $(@D) $^
	@touch $@
build/verilated/link/Vxt_link__ALL.a: build/verilated/link/Vxt_link.mk
	$(call say,MODEL,xt_link)
	$Q+$(MAKE) $(if $(V),,-s) -C $(@D) -f Vxt_link.mk OPT_FAST=-O3 OPT_SLOW=-O1 OPT_GLOBAL=-O2 \
		Vxt_link__ALL.a verilated.o verilated_threads.o $(if $(V),,>/dev/null)
	@touch $@
build/obj/link/%.o: tests/link/%.cpp build/verilated/link/Vxt_link.mk
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -isystem build/verilated/link $(VERILATOR_INCLUDES) -MMD -MP -c $< -o $@
build/tests/link: $(LINK_SRC:tests/link/%.cpp=build/obj/link/%.o) build/obj/switch/$(firstword $(PROFILES))/failure.o \
		build/verilated/link/Vxt_link__ALL.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CXX) $(filter %.o,$^) $(filter %.a,$^) build/verilated/link/verilated.o \
		build/verilated/link/verilated_threads.o -latomic $(LDLIBS) -o $@
-include $(LINK_SRC:tests/link/%.cpp=build/obj/link/%.d)

include rtl/bridge/usb/usb.mk
include sim/plane/plane.mk

# The fast model against the RTL.
EQUIVALENCE_SRC := $(sort $(wildcard tests/equivalence/*.c))
build/tests/equivalence: $(EQUIVALENCE_SRC:%.c=build/obj/%.o) build/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@
-include $(EQUIVALENCE_SRC:%.c=build/obj/%.d)

# Cards and networks as SystemC modules, whatever the profile: that is a matter of the plug-ins they open. Each folder
# below, and each test, is a program.
SYSTEMC := build/libextorus-systemc.a
SYSTEMC_SHARED := build/libextorus-systemc.so.$(SOVERSION)
SYSTEMC_PROGRAMS := $(patsubst sim/systemc/%/main.cpp,build/systemc/%,$(sort $(wildcard sim/systemc/*/main.cpp))) \
	$(patsubst tests/systemc/%.cpp,build/tests/systemc-%,$(sort $(wildcard tests/systemc/*.cpp)))
SYSTEMC_SOURCES := $(SYSTEMC_SRC) $(wildcard sim/systemc/*/*.cpp) $(wildcard tests/systemc/*.cpp)
$(SYSTEMC_SOURCES:%.cpp=build/obj/%.o): build/obj/%.o: %.cpp
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -Isim/systemc/include $(INCLUDES) -MMD -MP -c $< -o $@
$(SYSTEMC): $(SYSTEMC_SRC:%.cpp=build/obj/%.o)
	$(call say,AR,$@)
	@rm -f $@
	$Qar rcs $@ $^
link_systemc = $(CXX) $(filter %.o,$^) $(SYSTEMC) build/libextorus.a -lsystemc $(LDLIBS) -o $@
define systemc_program
build/systemc/$(1): $(patsubst %.cpp,build/obj/%.o,$(sort $(wildcard sim/systemc/$(1)/*.cpp))) $(SYSTEMC) build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$$(link_systemc)
endef
$(foreach p,$(patsubst sim/systemc/%/main.cpp,%,$(wildcard sim/systemc/*/main.cpp)),$(eval $(call systemc_program,$p)))
build/tests/systemc-%: build/obj/tests/systemc/%.o $(SYSTEMC) build/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(link_systemc)
-include $(SYSTEMC_SOURCES:%.cpp=build/obj/%.d)
.PHONY: systemc
systemc: $(SYSTEMC) $(SYSTEMC_PROGRAMS) ## Build the SystemC library, its programs and their tests

##@ Run
.PHONY: setup demo bench adaptive systemc-demo pictures
setup: ## Install by apt what is lacking (.ci/packages)
	@.ci/setup
demo: setup ## Route, check, load and co-simulate both 64-card networks; pictures and numbers in out/demo
	@$(MAKE) command build/plugins/extorus-cosim-extoll.so
	@$(PYTHON) sim/demo/run_demo.py
adaptive: setup ## Selection functions of adaptive routing on twin tori, uniform and Zipf traffic; in out/adaptive
	@$(MAKE) command build/plugins/extorus-cosim-extoll.so
	@$(PYTHON) sim/adaptive/run_adaptive.py
systemc-demo: setup ## A virtual platform of 16 cards in SystemC, with RTL and model; in out/systemc-demo
	@$(MAKE) build/systemc/platform build/plugins/extorus-cosim-extoll.so build/plugins/extorus-model-extoll.so
	@$(PYTHON) sim/systemc/run_demo.py
bench: setup ## Card-cycles per second of 64 cards, cost of SystemC, time of 65,536-PE images, trend of the synthesis; in out/bench
	@$(MAKE) command build/plugins/extorus-cosim-extoll.so build/plugins/extorus-model-extoll.so build/systemc/run
	@$(PYTHON) sim/bench/run_bench.py
	@$(PYTHON) sim/bench/run_systemc.py
	@$(PYTHON) sim/bench/run_scale.py
pictures: setup $(COMMAND) ## Draw the pictures of host/lib/README.md anew
	@mkdir -p out/pictures
	@$(COMMAND) layout rtt:8x4 --svg host/lib/pictures/floor.svg
	@$(COMMAND) route torus:5x5 --algorithm dor --adaptive -o out/pictures/route.img
	@$(COMMAND) trace out/pictures/route.img 23 6 --svg host/lib/pictures/route.svg
	@$(COMMAND) route twin:4x4x4 --algorithm ts-dor --single-tc -o out/pictures/cycle.img
	@! $(COMMAND) check out/pictures/cycle.img --cdg host/lib/pictures/cycle.svg

# The guest of tests/usb: QEMU, and Debian's kernel, unpacked and not installed.
KERNEL := linux-image-amd64
.PHONY: guest
guest: ## QEMU and the stock kernel in which tests/usb drive a virtual board
	@.ci/setup .ci/packages-guest
	@$(MAKE) build/guest/stamp
build/guest/stamp:
	@rm -rf $(@D)
	@mkdir -p $(@D)
	$(call say,FETCH,$(KERNEL))
	$Qpackage=$$(apt-cache depends $(KERNEL) | sed -n 's/ *Depends: *\(linux-image-[0-9]\)/\1/p' | head -n 1); \
	[ -n "$$package" ] || { echo "apt knows no $(KERNEL): run apt-get update"; exit 1; }; \
	cd $(@D) && apt-get -qq download "$$package" 2>apt.log || { cat apt.log; exit 1; }; \
	dpkg -x "$$package"*.deb . && rm -f *.deb
	@touch $@

##@ Check
SWITCH_TESTS := $(PROFILES:%=build/tests/switch-%)
.PHONY: test test-long tests-build
test: setup ## Lint, unit tests, oracles, switch and network tests; ends with `N passed, N failed`
	@$(MAKE) all build/plugins/extorus-cosim-mini-trace.so tests-build
	@$(PYTHON) tests/run
test-long: setup ## The tests marked long, synthesis of every profile, place and route of mini, fuzzing
	@$(MAKE) all build/plugins/extorus-cosim-mini-trace.so tests-build fuzzers guest utmi planes
	@$(PYTHON) tests/run --long
tests-build: unit systemc rtl/generated/node/xt_bridge_pkg.sv $(SYSTEMC_SHARED) $(SWITCH_TESTS) build/tests/link build/tests/equivalence build/tests/usb-stream $(call board,mini)
	@$(MAKE) SAN=1 all
	@$(MAKE) SAN=thread build/tsan/extorus build/tsan/tests/session

PKG = rtl/generated/$*/xt_pkg.sv
BRIDGE_PKG = rtl/generated/$*/xt_bridge_pkg.sv
# Under another module Verilator takes an argument of a function of xt_credit_counter for a signal of xt_card.
BOARD_LINT := -Wno-VARHIDDEN
FRONT_ENDS := xt_async_fifo xt_uart xt_ft245
LINTS := $(foreach l,verilator yosys iverilog,$(PROFILES:%=lint-$l-%))
.PHONY: lint $(LINTS) lint-format format
lint: setup ## Full warnings of three Verilog front ends; formatting of the C code
	@$(MAKE) $(LINTS) $(LINT_BOARDS) lint-format
$(PROFILES:%=lint-verilator-%): lint-verilator-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv
	$(VERILATOR) --lint-only -Wall --top-module xt_card $(PKG) $(RTL)
	$(VERILATOR) --lint-only -Wall -DXT_ASSERT --top-module xt_card $(PKG) $(RTL)
	$(VERILATOR) --lint-only -Wall $(BOARD_LINT) --top-module xt_board $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL)
	$(VERILATOR) --lint-only -Wall -DXT_ASSERT --top-module xt_bridge $(PKG) $(BRIDGE_PKG) rtl/xt_ram_1r1w.sv \
		$(BRIDGE_RTL)
	for top in $(FRONT_ENDS); do $(VERILATOR) --lint-only -Wall -DXT_ASSERT --top-module $$top rtl/bridge/$$top.sv || exit 1; done
$(PROFILES:%=lint-yosys-%): lint-yosys-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv
	$(YOSYS) -q -p 'read_verilog -sv $(PKG) $(RTL); hierarchy -check -top xt_card; proc; check -assert'
	$(YOSYS) -q -p 'read_verilog -sv $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL)' \
		-p 'hierarchy -check -top xt_node' \
		-p 'proc; check -assert'
	for top in $(FRONT_ENDS); do $(YOSYS) -q -p "read_verilog -sv rtl/bridge/$$top.sv; hierarchy -check -top $$top; proc; \
		check -assert" || exit 1; done
$(PROFILES:%=lint-iverilog-%): lint-iverilog-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv
	@for top in $(FRONT_ENDS); do $(IVERILOG) -g2012 -t null -s $$top rtl/bridge/$$top.sv || exit 1; done
	@output=$$($(IVERILOG) -g2012 -t null -s xt_card $(PKG) $(RTL) 2>&1 && \
		$(IVERILOG) -g2012 -t null -s xt_node $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL) 2>&1) || { echo "$$output"; exit 1; }; \
	! grep -v '$(IVERILOG_HARMLESS)' <<< "$$output" | grep .

# Icarus 11 makes such a process sensitive to more than it reads, which changes nothing it computes.
IVERILOG_HARMLESS := sorry: constant selects in always_\* processes are not currently supported

FORMATTED = $(shell find host sim tests -name '*.[ch]' -o -name '*.[ch]pp')
lint-format:
	clang-format --dry-run -Werror $(FORMATTED)
format: ## Format the C and C++ code
	clang-format -i $(FORMATTED)

# Synthesis
include constraints/synth/synth.mk
include constraints/bitstream/bitstream.mk

##@ Install
# Into a prefix that can be moved. Public headers name what the shared library shows.
PREFIX ?= /usr/local
DESTDIR ?=
SHARED := $B/libextorus.so.$(SOVERSION)
PUBLIC_HEADERS := $(sort $(wildcard host/include/extorus/*.h)) host/params/profile.h host/params/profiles.h \
	host/params/registers.h

$B/libextorus.map: $(LIB) $(PUBLIC_HEADERS)
	@{ echo '{ global:'; \
	   comm -12 <(grep -ohE '\b(xt|extorus)_[a-z0-9_]+' $(PUBLIC_HEADERS) | sort -u) \
	            <(nm --defined-only -g $(LIB) | awk '$$2 ~ /[TRDB]/ { print $$3 }' | sort -u) | sed 's/.*/&;/'; \
	   echo 'local: *; };'; } > $@
$(SHARED): $(LIB_OBJ) $B/libextorus.map
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script,$B/libextorus.map -Wl,--no-undefined \
		$(LIB_OBJ) $(LDFLAGS) $(LDLIBS) -o $@
build/documents/.stamp: $(COMMAND) host/install/documents.py $(PUBLIC_HEADERS) host/params/protocol.h
	$(call say,DOCUMENT,build/documents)
	$Q$(PYTHON) host/install/documents.py $(COMMAND) host/include/extorus host/params/protocol.h build/documents
	@touch $@

# The C library is in it: a program needs no other, and finds the simulators beside it.
$(SYSTEMC_SHARED): $(SYSTEMC_SRC:%.cpp=build/obj/%.o) $(LIB_OBJ) build/libextorus.map
	$(call say,LINK,$@)
	@sed 's/global:/global: _Z*;/' build/libextorus.map > build/libextorus-systemc.map
	$Q$(CXX) -shared -Wl,-soname,$(@F) -Wl,--version-script,build/libextorus-systemc.map \
		$(filter %.o,$^) $(LDFLAGS) -lsystemc $(LDLIBS) -o $@

.PHONY: install install-built install-systemc
fill = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@SOVERSION@|$(SOVERSION)|' \
	-e "s|@VERSION@|$$($(COMMAND) --version | cut -d' ' -f2)|" $(1)
install: all ## Install command, library, simulators, man pages, completion and udev rules into PREFIX (/usr/local)
	@$(MAKE) install-built
install-built: $(COMMAND) $(SHARED) build/documents/.stamp
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$Qset -- $(DESTDIR)$(PREFIX); \
	install -d $$1/bin $$1/lib/extorus $$1/lib/pkgconfig $$1/lib/cmake/extorus $$1/lib/udev/rules.d $$1/include/extorus $$1/share/man/man1 \
		$$1/share/man/man3 $$1/share/bash-completion/completions; \
	install -m 755 $(COMMAND) $$1/bin/extorus; \
	install -m 644 $(SHARED) $(LIB) $$1/lib; \
	ln -sf $(notdir $(SHARED)) $$1/lib/libextorus.so; \
	for plugin in build/plugins/*.so; do [ ! -e $$plugin ] || install -m 644 $$plugin $$1/lib/extorus; done; \
	install -m 644 $(PUBLIC_HEADERS) $$1/include/extorus; \
	$(call fill,host/install/extorus.pc.in) > $$1/lib/pkgconfig/extorus.pc; \
	$(call fill,host/install/extorusConfig.cmake.in) > $$1/lib/cmake/extorus/extorusConfig.cmake; \
	$(call fill,host/install/extorusConfigVersion.cmake.in) > $$1/lib/cmake/extorus/extorusConfigVersion.cmake; \
	install -m 644 build/documents/*.rules $$1/lib/udev/rules.d; \
	install -m 644 build/documents/*.1 $$1/share/man/man1; \
	install -m 644 build/documents/*.3 $$1/share/man/man3; \
	install -m 644 build/documents/extorus.bash $$1/share/bash-completion/completions/extorus
install-systemc: install-built $(SYSTEMC_SHARED) ## The same, of what is built, and the SystemC library (needs libsystemc-dev)
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))
	$Qset -- $(DESTDIR)$(PREFIX); \
	install -d $$1/include/extorus/systemc; \
	install -m 644 $(SYSTEMC_SHARED) $$1/lib; \
	ln -sf $(notdir $(SYSTEMC_SHARED)) $$1/lib/libextorus-systemc.so; \
	install -m 644 sim/systemc/include/extorus/systemc.hpp $$1/include/extorus; \
	install -m 644 sim/systemc/include/extorus/systemc/*.hpp $$1/include/extorus/systemc; \
	$(call fill,host/install/extorus-systemc.pc.in) > $$1/lib/pkgconfig/extorus-systemc.pc

##@ Other
.PHONY: clean help
clean: ## Remove everything that was made
	rm -rf build out rtl/generated
help: ## This list
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
