# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the native USB device core, of LUNA, and its ways to pins, in Verilog; LUNA comes from PyPI, into a
# virtual environment of its own. And the bench of the core with the bridge behind it (tests/utmi).

USB_MODULES := $(patsubst %,build/usb/%.v,full/xt_usb_core full/xt_usb_pins high/xt_usb_core high/xt_usb_ulpi)
.PHONY: usb-core
usb-core: ## The native USB device core of rtl/bridge/usb in Verilog; into build/usb
	@.ci/setup .ci/packages-usb
	@$(MAKE) $(USB_MODULES)
.PHONY: utmi
utmi: usb-core ## The bench of the native USB device core
	@$(MAKE) rtl/generated/mini/xt_bridge_pkg.sv build/tests/utmi-high build/tests/utmi-full
build/venv-usb/done: rtl/bridge/usb/requirements.txt
	@mkdir -p $(@D)
	$(call say,VENV,$(@D))
	$Q$(PYTHON) -m venv $(@D)
	$Q$(@D)/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@
# SPEED/xt_usb_MODULE.v
build/usb/%.v: rtl/bridge/usb/core.py host/params/protocol.h build/venv-usb/done
	@mkdir -p $(@D)
	$(call say,CORE,$@)
	$Qbuild/venv-usb/bin/python $< $(*D) $(*F:xt_usb_%=%) > $(@:.v=.il)
	$Q$(YOSYS) -q -p "read_rtlil $(@:.v=.il); hierarchy -top $(*F); proc; flatten; opt_clean; write_verilog -noattr $@"

UTMI_RTL := rtl/generated/mini/xt_pkg.sv rtl/generated/mini/xt_bridge_pkg.sv rtl/xt_ram_1r1w.sv $(BRIDGE_RTL) \
	rtl/bridge/xt_async_fifo.sv rtl/bridge/usb/xt_usb.sv tests/utmi/utmi_board.sv
UTMI_SRC := $(sort $(wildcard tests/utmi/*.cpp)) sim/board/usb_descriptors.cpp
# $(1) high or full, $(2) 1 or 0. Half of what Verilator sees is not of this house.
define utmi_rules
build/verilated/utmi-$(1)/Vutmi_board.mk: $(UTMI_RTL) build/usb/xt_usb_core_$(1).v
	@mkdir -p $$(@D)
	$$(call say,VERILATE,utmi-$(1))
	$$Q$(VERILATOR) --cc -O3 $(ASSERTING_MODEL) -GHigh=$(2) -Wno-lint -Wno-style -Wno-UNOPTFLAT --top-module utmi_board \
		--prefix Vutmi_board --Mdir $$(@D) $$^
	@touch $$@
build/verilated/utmi-$(1)/Vutmi_board__ALL.a: build/verilated/utmi-$(1)/Vutmi_board.mk
	$$(call say,MODEL,utmi-$(1))
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vutmi_board.mk OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2 \
		Vutmi_board__ALL.a verilated.o verilated_threads.o $(if $(V),,>/dev/null)
	@touch $$@
$(UTMI_SRC:%.cpp=build/obj/utmi/$(1)/%.o): build/obj/utmi/$(1)/%.o: %.cpp build/verilated/utmi-$(1)/Vutmi_board.mk
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) -Ihost/params -Isim/board -Irtl/generated/mini -isystem build/verilated/utmi-$(1) \
		$(VERILATOR_INCLUDES) -DUTMI_HIGH=$(2) -MMD -MP -c $$< -o $$@
build/tests/utmi-$(1): $(UTMI_SRC:%.cpp=build/obj/utmi/$(1)/%.o) build/verilated/utmi-$(1)/Vutmi_board__ALL.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) build/verilated/utmi-$(1)/verilated.o \
		build/verilated/utmi-$(1)/verilated_threads.o -latomic -lpthread -o $$@
-include $(UTMI_SRC:%.cpp=build/obj/utmi/$(1)/%.d)
endef
$(eval $(call utmi_rules,high,1))
$(eval $(call utmi_rules,full,0))
