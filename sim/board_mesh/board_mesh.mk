# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: boards wired pin to pin, whole tops with stand-ins for what is of a vendor and for the host's side of the
# front ends. A board is found by sim/board_mesh/tops/BOARD.hpp.

PLANE_NAMES := $(patsubst sim/board_mesh/tops/%.hpp,%,$(sort $(wildcard sim/board_mesh/tops/*.hpp)))
PLANES := $(PLANE_NAMES:%=build/boards/extorus-plane-%)
PLANE_SRC := $(sort $(wildcard sim/board_mesh/*.cpp))
# Of all boards; boards.py says which of them one needs.
PLANE_RTL := $(RTL) $(NODE_RTL) $(wildcard rtl/frontend/usb/*.sv sim/standins/*.sv) \
	$(foreach p,$(PROFILES),rtl/generated/$p/xt_pkg.sv rtl/generated/$p/xt_bridge_pkg.sv)

.PHONY: planes
planes: $(PLANES)

define plane_rules
build/verilated/plane-$(1)/Vtop.mk: $(PLANE_RTL) constraints/boards/$(1)/board.json \
		$(wildcard constraints/boards/$(1)/*.sv rtl/fpga/$(shell sed -n 's/.*"family": *"\(.*\)".*/\1/p' constraints/boards/$(1)/board.json)/*.sv)
	@mkdir -p $$(@D)
	$$(call say,VERILATE,plane-$(1))
	$$Qset -- $$$$($$(BITSTREAM)/boards.py rehearsal $(1)); top=$$$$1; shift; \
	$(VERILATOR) --cc -O3 $(FAST_MODEL) -DXT_SIMULATION -Wno-lint -Wno-style --top-module $$$$top --prefix Vtop \
		--Mdir $$(@D) $$$$@
	@touch $$@
build/verilated/plane-$(1)/Vtop__ALL.a: build/verilated/plane-$(1)/Vtop.mk
	$$(call say,MODEL,plane-$(1))
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vtop.mk OPT_FAST="-O3" OPT_SLOW="-O0" OPT_GLOBAL="-O2" \
		Vtop__ALL.a verilated.o verilated_threads.o verilated_dpi.o $(if $(V),,>/dev/null)
	@touch $$@
build/obj/plane/$(1)/%.o: sim/board_mesh/%.cpp build/verilated/plane-$(1)/Vtop.mk
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) -Isim -DXT_TOP='"board_mesh/tops/$(1).hpp"' -isystem build/verilated/plane-$(1) $(VERILATOR_INCLUDES) \
		-MMD -MP -c $$< -o $$@
build/boards/extorus-plane-$(1): $(PLANE_SRC:sim/board_mesh/%.cpp=build/obj/plane/$(1)/%.o) build/obj/plane/tcp_front.o \
		build/verilated/plane-$(1)/Vtop__ALL.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) $(addprefix build/verilated/plane-$(1)/,verilated.o verilated_threads.o \
		verilated_dpi.o) -latomic -lpthread -o $$@
-include $(PLANE_SRC:sim/board_mesh/%.cpp=build/obj/plane/$(1)/%.d)
endef
$(foreach b,$(PLANE_NAMES),$(eval $(call plane_rules,$b)))

build/obj/plane/tcp_front.o: sim/virtual_board/tcp_front.cpp
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -MMD -MP -c $< -o $@
-include build/obj/plane/tcp_front.d
