# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the native USB device core and its ways to pins, in Verilog. LUNA writes them; it comes from PyPI
# into a virtual environment of its own. Then the benches of core and ways, with the bridge (tests/rtl/usb_device).

USB_MODULES := $(patsubst %,build/usb/%.v,full/xt_usb_core full/xt_usb_pins high/xt_usb_core high/xt_usb_ulpi)
.PHONY: usb-core
usb-core: ## Write the native USB device core as Verilog into build/usb
	@.ci/setup .ci/packages-usb
	@$(MAKE) $(USB_MODULES)
.PHONY: usb-device
usb-device: usb-core ## Build the benches of the native USB front ends
	@$(MAKE) $(USB_DEVICE_BENCHES:%=build/tests/usb-device-%) build/tests/usb-ecpix5
build/venv-usb/done: rtl/frontend/usb/requirements.txt
	@mkdir -p $(@D)
	$(call say,VENV,$(@D))
	$Q$(PYTHON) -m venv $(@D)
	$Q$(@D)/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@
# SPEED/xt_usb_MODULE.v
build/usb/%.v: rtl/frontend/usb/core.py host/include/extorus/protocol.h build/venv-usb/done
	@mkdir -p $(@D)
	$(call say,CORE,$@)
	$Qbuild/venv-usb/bin/python $< $(*D) $(*F:xt_usb_%=%) > $(@:.v=.il)
	$Q$(YOSYS) -q -p "read_rtlil $(@:.v=.il); hierarchy -top $(*F); proc; flatten; opt_clean; write_verilog -noattr $@"

USB_DEVICE_BENCHES := high full ulpi pins
USB_DEVICE_RTL := rtl/generated/mini/xt_pkg.sv rtl/generated/mini/xt_bridge_pkg.sv rtl/mem/xt_ram_1r1w.sv $(BRIDGE_RTL) \
	rtl/frontend/xt_async_fifo.sv rtl/board/xt_board_reset.sv rtl/frontend/usb/xt_usb.sv tests/rtl/usb_device/bench_target.sv
# The sources of a bench are those of all but for its bus.
USB_DEVICE_SRC := $(filter-out tests/rtl/usb_device/at_%.cpp,$(sort $(wildcard tests/rtl/usb_device/*.cpp))) sim/virtual_board/usb_descriptors.cpp
# $(1) bench, $(2) 1 for high speed or 0, $(3) where the host is: utmi, ulpi or pins, $(4) Verilog of that way. Warnings
# are off, because LUNA wrote half of the Verilog.
define usb_device_rules
build/verilated/usb-device-$(1)/V$(3)_board.mk: $(USB_DEVICE_RTL) $(4) tests/rtl/usb_device/$(3)_board.sv
	@mkdir -p $$(@D)
	$$(call say,VERILATE,usb-device-$(1))
	$$Q$(VERILATOR) --cc -O3 $(ASSERTING_MODEL) -Wno-lint -Wno-style -Wno-UNOPTFLAT --top-module $(3)_board \
		--prefix V$(3)_board --Mdir $$(@D) $$^
	@touch $$@
build/verilated/usb-device-$(1)/V$(3)_board__ALL.a: build/verilated/usb-device-$(1)/V$(3)_board.mk
	$$(call say,MODEL,usb-device-$(1))
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f V$(3)_board.mk OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2 \
		V$(3)_board__ALL.a verilated.o verilated_threads.o $(if $(V),,>/dev/null)
	@touch $$@
$(patsubst %.cpp,build/obj/usb_device/$(1)/%.o,$(USB_DEVICE_SRC) tests/rtl/usb_device/at_$(3).cpp): build/obj/usb_device/$(1)/%.o: %.cpp \
		build/verilated/usb-device-$(1)/V$(3)_board.mk rtl/generated/mini/xt_bridge.h
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) -Ihost/include -Isim/virtual_board -Irtl/generated/mini -isystem build/verilated/usb-device-$(1) \
		$(VERILATOR_INCLUDES) -DHIGH_SPEED=$(2) -MMD -MP -c $$< -o $$@
build/tests/usb-device-$(1): $(patsubst %.cpp,build/obj/usb_device/$(1)/%.o,$(USB_DEVICE_SRC) tests/rtl/usb_device/at_$(3).cpp) \
		build/verilated/usb-device-$(1)/V$(3)_board__ALL.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) build/verilated/usb-device-$(1)/verilated.o \
		build/verilated/usb-device-$(1)/verilated_threads.o -latomic -lpthread -o $$@
-include $(patsubst %.cpp,build/obj/usb_device/$(1)/%.d,$(USB_DEVICE_SRC) tests/rtl/usb_device/at_$(3).cpp)
endef
$(eval $(call usb_device_rules,high,1,utmi,build/usb/high/xt_usb_core.v))
$(eval $(call usb_device_rules,full,0,utmi,build/usb/full/xt_usb_core.v))
$(eval $(call usb_device_rules,ulpi,1,ulpi,rtl/frontend/usb/xt_usb_high.sv build/usb/high/xt_usb_core.v build/usb/high/xt_usb_ulpi.v))
$(eval $(call usb_device_rules,pins,0,pins,rtl/frontend/usb/xt_usb_full.sv build/usb/full/xt_usb_core.v build/usb/full/xt_usb_pins.v))
