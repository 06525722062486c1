# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: benches, and the targets that run every test.

.PHONY: fuzzers
fuzzers: ## Build the fuzz targets with libFuzzer (.ci/packages-fuzz)
	@.ci/setup .ci/packages-fuzz
	@$(MAKE) build/plugins/extorus-model-mini.so
	@$(MAKE) FUZZ=1 fuzzers-clang

# The bench of one card. Only card_under_test.cpp sees the model: tests/mutants/switch_faults.py links the other objects
# with models of faulty cards.
define switch_test_rules
build/obj/switch/$(1)/card_under_test.o: build/verilated/$(1)-switch/Vxt_card.mk
build/obj/switch/$(1)/%.o: tests/rtl/switch/%.cpp
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) $(BENCH_SPEED) $(INCLUDES) -isystem build/verilated/$(1)-switch $(VERILATOR_INCLUDES) \
		-DXT_PROFILE=$(1) -DVM_TRACE=1 -MMD -MP -c $$< -o $$@
build/tests/switch-$(1): $(SWITCH_SRC:tests/rtl/switch/%.cpp=build/obj/switch/$(1)/%.o) \
		build/verilated/$(1)-switch/Vxt_card__ALL.a build/verilated/$(1)-switch/libverilated.a build/libextorus.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) \
		-latomic $(LDLIBS) -o $$@
-include $(SWITCH_SRC:tests/rtl/switch/%.cpp=build/obj/switch/$(1)/%.d)
endef

# The bench of one link, with the default parameters of xt_link and without a profile.
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
build/obj/link/%.o: tests/rtl/link/%.cpp build/verilated/link/Vxt_link.mk
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -isystem build/verilated/link $(VERILATOR_INCLUDES) -MMD -MP -c $< -o $@
build/tests/link: $(LINK_SRC:tests/rtl/link/%.cpp=build/obj/link/%.o) build/obj/switch/$(firstword $(PROFILES))/failure.o \
		build/verilated/link/Vxt_link__ALL.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CXX) $(filter %.o,$^) $(filter %.a,$^) build/verilated/link/verilated.o \
		build/verilated/link/verilated_threads.o -latomic $(LDLIBS) -o $@
-include $(LINK_SRC:tests/rtl/link/%.cpp=build/obj/link/%.d)

# The fast model against the RTL.
EQUIVALENCE_SRC := $(sort $(wildcard tests/model/*.c))
build/tests/equivalence: $(EQUIVALENCE_SRC:%.c=build/obj/%.o) build/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) $^ $(LDFLAGS) $(LDLIBS) -o $@
-include $(EQUIVALENCE_SRC:%.c=build/obj/%.d)

# The guest of tests/system/usb_host: QEMU, and Debian's kernel, unpacked and not installed.
KERNEL := linux-image-amd64
.PHONY: guest
guest: ## Fetch QEMU and a stock kernel for tests/system/usb_host
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

# The ECPIX-5 with its USB core behind QEMU: the host and the PHY of tests/rtl/usb_device, and the USB device of sim/virtual_board.
USB_BOARD := build/verilated/usb-ecpix5
$(USB_BOARD)/Vulpi_board.mk: tests/system/usb_host/usb_ecpix5.sv constraints/boards/ecpix5/board.json $(RTL) $(NODE_RTL) \
		$(wildcard constraints/boards/ecpix5/*.sv rtl/fpga/ecp5/*.sv rtl/frontend/usb/*.sv) build/usb/high/xt_usb_core.v \
		build/usb/high/xt_usb_ulpi.v rtl/generated/mini/xt_pkg.sv rtl/generated/mini/xt_bridge_pkg.sv
	@mkdir -p $(@D)
	$(call say,VERILATE,usb-ecpix5)
	$Qset -- $$($(BITSTREAM)/boards.py sources ecpix5); shift; \
	$(VERILATOR) --cc -O3 $(ASSERTING_MODEL) -DXT_SIMULATION -Wno-lint -Wno-style -Wno-UNOPTFLAT --top-module usb_ecpix5 \
		--prefix Vulpi_board --Mdir $(@D) $$@ $<
	@touch $@
$(USB_BOARD)/Vulpi_board__ALL.a: $(USB_BOARD)/Vulpi_board.mk
	$(call say,MODEL,usb-ecpix5)
	$Q+$(MAKE) $(if $(V),,-s) -C $(@D) -f Vulpi_board.mk OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2 \
		Vulpi_board__ALL.a verilated.o verilated_threads.o $(if $(V),,>/dev/null)
	@touch $@
USB_BOARD_OBJ := $(patsubst %,build/obj/usb_ecpix5/%.o,tests/rtl/usb_device/at_ulpi tests/system/usb_host/core_board)
$(USB_BOARD_OBJ): build/obj/usb_ecpix5/%.o: %.cpp $(USB_BOARD)/Vulpi_board.mk
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -Itests/rtl/usb_device -Isim/virtual_board -isystem $(USB_BOARD) $(VERILATOR_INCLUDES) -MMD -MP -c $< -o $@
build/tests/usb-ecpix5: $(USB_BOARD_OBJ) $(patsubst %,build/obj/usb_device/ulpi/tests/rtl/usb_device/%.o,host utmi_bus) \
		$(patsubst %,build/obj/board/mini/%.o,usb_front usb_transfers usb_descriptors) $(USB_BOARD)/Vulpi_board__ALL.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CXX) $(filter %.o,$^) $(filter %.a,$^) $(addprefix $(USB_BOARD)/,verilated.o verilated_threads.o) -lusbredirparser \
		-latomic -lpthread -o $@
-include $(USB_BOARD_OBJ:.o=.d)

# The model with the thread sanitizer, for tests/system/traffic. The library is that of `make SAN=thread`.
build/tsan/plugins/extorus-model-extoll.so: $(MODEL_SRC) $(wildcard sim/model/*/*.h) rtl/generated/extoll/xt_registers.h \
		build/tsan/libextorus.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(CFLAGS) -fsanitize=thread $(INCLUDES) -Irtl/generated/extoll -shared -Wl,-Bsymbolic $(filter %.c %.a,$^) $(LDLIBS) -o $@

##@ Check
SWITCH_TESTS := $(PROFILES:%=build/tests/switch-%)
EVERYDAY_PROFILES := $(shell cat tests/everyday_profiles)
EVERYDAY_BENCHES := $(shell cat tests/everyday_benches)
# What the daily tests need of `all`: the simulators of few profiles.
VARIANTS := $(call plugin,mini-trace) $(call plugin,extoll-hardware)
EVERYDAY := tools command models capture mpi $(foreach p,$(EVERYDAY_PROFILES),$(call plugin,$p)) $(VARIANTS)
# What the tests run for seconds only is compiled in less time than the fastest code takes.
test: export BRIEF := $(filter-out extoll mini,$(ALL_PROFILES))
.PHONY: check test test-long benches tests-build
check: setup ## The fast part of every suite; ends with `N passed, N failed`
	@$(MAKE) $(EVERYDAY) benches
	@$(PYTHON) tests/run --check
test: setup ## Lint, unit tests, oracles, switch and network tests; ends with `N passed, N failed`
	@$(MAKE) $(EVERYDAY) tests-build
	@$(PYTHON) tests/run
test-long: setup ## The tests marked long, synthesis of every profile, place and route of mini, fuzzing
	@.ci/setup .ci/packages-browser
	@.ci/setup .ci/packages-deb
	@.ci/setup .ci/packages-waves
	@.ci/setup .ci/packages-programs
	@$(MAKE) all $(VARIANTS) tests-build $(SWITCH_TESTS) fuzzers guest usb-device meshes
	@$(PYTHON) tests/run --long
benches: unit systemc $(foreach p,$(PROFILES),$(addprefix rtl/generated/$p/,xt_pkg.sv xt_bridge_pkg.sv)) $(SYSTEMC_SHARED) $(EVERYDAY_BENCHES:%=build/tests/switch-%) build/tests/link build/tests/equivalence build/tests/usb-stream build/tests/soak $(call board,mini)
tests-build: benches
	@$(MAKE) SAN=1 all
	@$(MAKE) SAN=thread build/tsan/extorus build/tsan/tests/session
	@$(MAKE) build/tsan/plugins/extorus-model-extoll.so
