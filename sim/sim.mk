# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: Verilated cards, both engines as plug-ins, the virtual board, and the experiments.

VERILATOR_ROOT := $(shell $(VERILATOR) --getenv VERILATOR_ROOT 2>/dev/null)
VERILATOR_INCLUDES := -isystem $(VERILATOR_ROOT)/include -isystem $(VERILATOR_ROOT)/include/vltstd
# Loops over ports and queues of any size are unrolled, so that their indices are constants.
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
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vxt_card.mk OPT_FAST="$(or $(5),-O2) -fPIC" OPT_SLOW="-O0 -fPIC" \
		OPT_GLOBAL="-O2 -fPIC" Vxt_card__ALL.a verilated.o verilated_threads.o $(4) $(if $(V),,>/dev/null)
	@touch $$@
build/verilated/$(2)/libverilated.a: build/verilated/$(2)/Vxt_card__ALL.a
	@cd $$(@D) && ar rcs $$(@F) verilated.o verilated_threads.o $(4)
endef

# A script as a string of C++.
build/generated/wave_packets.inc: sim/cosim/wave_packets.py
	@mkdir -p $(@D)
	@{ printf 'R"FILTER('; cat $<; printf ')FILTER"\n'; } > $@

# Only a simulator that writes waves has views of them.
cosim_obj = $(patsubst sim/cosim/%.cpp,build/obj/cosim/$(1)/%.o,$(if $(findstring -trace,$(1)),$(COSIM_SRC),$(filter-out sim/cosim/wave_%,$(COSIM_SRC))))

# The network harness with the model, a shared object that the command opens. $(3) preprocessor options. Code of clang needs
# libatomic; LDLIBS ends with --as-needed.
define plugin_rules
build/obj/cosim/$(2)/%.o: sim/cosim/%.cpp build/verilated/$(2)/Vxt_card.mk rtl/generated/$(1)/xt_registers.h
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(2)))
	$$Q$(CXX) $(CXXFLAGS) $(INCLUDES) -Irtl/generated/$(1) -isystem build/verilated/$(2) $(VERILATOR_INCLUDES) \
		-Ibuild/generated -DXT_PROFILE=$(1) $(3) -MMD -MP -c $$< -o $$@
build/obj/cosim/$(2)/wave.o: build/generated/wave_packets.inc
build/plugins/extorus-cosim-$(2).so: $(call cosim_obj,$(2)) \
		build/verilated/$(2)/Vxt_card__ALL.a build/verilated/$(2)/libverilated.a build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) -shared -Wl,-Bsymbolic -Wl,--no-undefined $$(filter %.o,$$^) $$(filter %.a,$$^) $(LDLIBS) -latomic -o $$@
-include $(COSIM_SRC:sim/cosim/%.cpp=build/obj/cosim/$(2)/%.d)
endef

# The fast model of one profile, a shared object with the profile's numbers in its loops; $(2): the folder of its header.
# The model is optimised as a whole, because the path of a packet through a card crosses most of its files. Symbols that
# nobody else can name may be changed with their callers.
# The model finds the state of a card and of a port by multiplications. A processor of the last ten years multiplies at once,
# where the compiler would add and shift: 5 % fewer instructions. The set of instructions stays that of every x86-64.
MODEL_TUNE := $(if $(filter x86_64,$(shell uname -m)),-mtune=haswell)
# Its loops are over a few ports or classes: vectors cost more instructions than they save. Guards of the stack cost 3 % of
# its speed, and the tests run it under ASan.
MODEL_FLAGS := -O3 $(MODEL_TUNE) -fno-tree-vectorize -fno-stack-protector -flto=auto -fvisibility=hidden
# Most of the time of a model's build goes into optimising it as a whole, so a brief one is not; without BRIEF it is
# compiled again. What is optimised serves the brief too.
model_flags = $(if $(filter $(1),$(BRIEF)),-O2,$(MODEL_FLAGS))
define fast_model_rules
build/obj/model/$(1)/flags: FORCE
	@mkdir -p $$(@D); [ -e $$@ ] && { [ '$(call model_flags,$(1))' = -O2 ] || [ "$$$$(cat $$@)" = '$(call model_flags,$(1))' ]; } || \
	echo '$(call model_flags,$(1))' >$$@
build/obj/model/$(1)/%.o: sim/model/%.c $(2)/xt_registers.h build/obj/model/$(1)/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$< ($(1)))
	$$Q$(CC) $(CFLAGS) $$$$(cat build/obj/model/$(1)/flags) $(INCLUDES) -I$(2) -MMD -MP -c $$< -o $$@
build/plugins/extorus-model-$(1).so: $(MODEL_SRC:sim/model/%.c=build/obj/model/$(1)/%.o) build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CC) $(CFLAGS) $$$$(cat build/obj/model/$(1)/flags) -shared -Wl,-Bsymbolic -Wl,--no-undefined $$^ $(LDLIBS) -o $$@
-include $(MODEL_SRC:sim/model/%.c=build/obj/model/$(1)/%.d)
endef

# The input-queued switch reads the numbers of its profile at run time.
INPUT_QUEUED_OBJ := $(INPUT_QUEUED_SRC:%.c=build/obj/%.o)
$(INPUT_QUEUED_OBJ): override CFLAGS += -O3
$(INPUT_QUEUED_PLUGIN): $(INPUT_QUEUED_OBJ) build/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) -shared -Wl,-Bsymbolic -Wl,--no-undefined $^ $(LDFLAGS) $(LDLIBS) -o $@

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
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vxt_board.mk OPT_FAST="-O2" OPT_SLOW="-O0" OPT_GLOBAL="-O2" \
		Vxt_board__ALL.a verilated.o verilated_threads.o $(if $(V),,>/dev/null)
	@touch $$@
build/obj/board/$(1)/%.o: sim/virtual_board/%.cpp build/verilated/$(1)-board/Vxt_board.mk rtl/generated/$(1)/xt_bridge.h
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) -Ihost/include -Irtl/generated/$(1) -isystem build/verilated/$(1)-board $(VERILATOR_INCLUDES) \
		-MMD -MP -c $$< -o $$@
$(call board,$(1)): $(BOARD_SRC:sim/virtual_board/%.cpp=build/obj/board/$(1)/%.o) build/verilated/$(1)-board/Vxt_board__ALL.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) build/verilated/$(1)-board/verilated.o \
		build/verilated/$(1)-board/verilated_threads.o -lusbredirparser -latomic -lpthread -o $$@
-include $(BOARD_SRC:sim/virtual_board/%.cpp=build/obj/board/$(1)/%.d)
endef

##@ Run
.PHONY: setup demo bench bench-before bench-table adaptive systemc-demo pictures reproductions reproductions-table saturation \
	saturation-table latency-models
setup: ## Install the missing packages of .ci/packages by apt
	@.ci/setup
demo: setup ## Compare a torus and a twin torus of 256 and of 64 cards; results in out/demo
	@$(MAKE) command build/plugins/extorus-cosim-extoll.so build/plugins/extorus-model-extoll.so
	@$(PYTHON) sim/experiments/demo/run_demo.py
adaptive: setup ## Compare the selection functions of adaptive routing; results in out/adaptive
	@$(MAKE) command build/plugins/extorus-cosim-extoll.so
	@$(PYTHON) sim/experiments/adaptive/run_adaptive.py
systemc-demo: setup ## Run a SystemC platform of 16 cards, RTL and model; results in out/systemc-demo
	@$(MAKE) build/systemc/platform build/plugins/extorus-cosim-extoll.so build/plugins/extorus-model-extoll.so
	@$(PYTHON) sim/systemc/run_systemc_demo.py
bench: setup ## Measure the speed of simulation, SystemC, large images and long traces; results in out/bench
	@$(MAKE) command mpi build/plugins/extorus-cosim-extoll.so build/plugins/extorus-model-extoll.so build/systemc/run
	@$(PYTHON) sim/experiments/bench/run_bench.py
	@$(PYTHON) sim/experiments/bench/run_shared.py
	@$(PYTHON) sim/experiments/bench/run_time_model.py
	@$(PYTHON) sim/experiments/bench/run_systemc.py
	@$(PYTHON) sim/experiments/bench/run_scale.py
	@$(PYTHON) sim/experiments/bench/run_replay.py
	@$(MAKE) PLAIN=1 command
	@$(MAKE) build/plain/plugins/extorus-model-extoll.so
	@$(PYTHON) sim/experiments/bench/run_hardening.py
bench-before: setup ## Compare the speed of RTL simulation with that of commit BEFORE (first edition); results in out/bench/before
	@$(MAKE) command build/plugins/extorus-cosim-extoll.so
	@$(PYTHON) sim/experiments/bench/run_before.py $(BEFORE)
# The model without hardening. The library is that of `make PLAIN=1`.
build/plain/plugins/extorus-model-extoll.so: $(MODEL_SRC) $(wildcard sim/model/*/*.h) rtl/generated/extoll/xt_registers.h \
		build/plain/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(filter-out $(HARDENING),$(CFLAGS)) -fno-stack-protector $(MODEL_FLAGS) $(INCLUDES) -Irtl/generated/extoll -shared \
		-Wl,-Bsymbolic $(filter %.c %.a,$^) $(LDLIBS) -o $@
bench-table: ## Write the last results of bench into the table of sim/experiments/bench
	@$(PYTHON) sim/experiments/bench/run_bench.py --table
	@$(PYTHON) sim/experiments/bench/run_shared.py --table
	@$(PYTHON) sim/experiments/bench/run_time_model.py --table
	@$(PYTHON) sim/experiments/bench/run_replay.py --table
	@$(PYTHON) sim/experiments/bench/run_hardening.py --table
reproductions: setup $(COMMAND) ## Run all published comparisons again, for hours; results in out/reproduce
	@$(MAKE) models
	@$(COMMAND) reproduce all
reproductions-table: $(COMMAND) ## Write the results of reproductions into the tables of sim/experiments/reproductions
	@$(PYTHON) sim/experiments/reproductions/reproduction_tables.py
saturation: setup ## Measure what networks accept at full load for long, for an hour; results in out/saturation
	@$(MAKE) command build/plugins/extorus-model-extoll.so
	@$(PYTHON) sim/experiments/saturation/run_saturation.py
latency-models: setup ## Hold the models of latency against the fast model at 4,096 cards
	@$(MAKE) $(COMMAND)
	@$(PYTHON) sim/experiments/latency_models/run_latency_models.py
saturation-table: ## Write the results of saturation into the table of sim/experiments/saturation
	@$(PYTHON) sim/experiments/saturation/run_saturation.py --table
pictures: setup $(COMMAND) ## Draw a floor plan and a route into out/pictures, and the cycle of host/lib/draw
	@mkdir -p out/pictures
	@$(COMMAND) layout rtt:8x4 --svg out/pictures/floor.svg
	@$(COMMAND) route torus:5x5 --algorithm dor --adaptive -o out/pictures/route.img
	@$(COMMAND) trace out/pictures/route.img 23 6 --svg out/pictures/route.svg
	@$(COMMAND) route twin:4x4x4 --algorithm ts-dor --single-tc -o out/pictures/cycle.img
	@! $(COMMAND) check out/pictures/cycle.img --cdg host/lib/draw/pictures/cycle.svg
