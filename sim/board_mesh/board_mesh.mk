# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: boards wired pin to pin, whole tops with stand-ins for what is of a vendor and for the host's side of the
# front ends. A board is found by sim/board_mesh/tops/BOARD.hpp, with cards other than `rehearsal` by BOARD-PROFILE.hpp.

MESH_NAMES := $(patsubst sim/board_mesh/tops/%.hpp,%,$(sort $(wildcard sim/board_mesh/tops/*.hpp)))
MESHS := $(MESH_NAMES:%=build/boards/extorus-mesh-%)
MESH_SRC := $(sort $(wildcard sim/board_mesh/*.cpp))
# Of all boards; boards.py says which of them one needs.
MESH_RTL := $(RTL) $(NODE_RTL) $(wildcard rtl/frontend/usb/*.sv sim/standins/*.sv) \
	$(foreach p,$(PROFILES),rtl/generated/$p/xt_pkg.sv rtl/generated/$p/xt_bridge_pkg.sv)

.PHONY: meshes
meshes: $(MESHS)

# $(1) the name; $(2) the board, $(3) the profile, if the name has one.
define mesh_rules
build/verilated/mesh-$(1)/Vtop.mk: $(MESH_RTL) constraints/boards/$(2)/board.json \
		$(wildcard constraints/boards/$(2)/*.sv rtl/fpga/$(shell sed -n 's/.*"family": *"\(.*\)".*/\1/p' constraints/boards/$(2)/board.json)/*.sv)
	@mkdir -p $$(@D)
	$$(call say,VERILATE,mesh-$(1))
	$$Qset -- $$$$($$(BITSTREAM)/boards.py mesh $(2) $(3)); top=$$$$1; shift; \
	$(VERILATOR) --cc -O3 $(FAST_MODEL) -DXT_SIMULATION -Wno-lint -Wno-style --top-module $$$$top --prefix Vtop \
		--Mdir $$(@D) $$$$@
	@touch $$@
build/verilated/mesh-$(1)/Vtop__ALL.a: build/verilated/mesh-$(1)/Vtop.mk
	$$(call say,MODEL,mesh-$(1))
	$$Q+$$(MAKE) $(if $(V),,-s) -C $$(@D) -f Vtop.mk OPT_FAST="-O3" OPT_SLOW="-O0" OPT_GLOBAL="-O2" \
		Vtop__ALL.a verilated.o verilated_threads.o verilated_dpi.o $(if $(V),,>/dev/null)
	@touch $$@
build/obj/mesh/$(1)/%.o: sim/board_mesh/%.cpp build/verilated/mesh-$(1)/Vtop.mk
	@mkdir -p $$(@D)
	$$(call say,C++,$$< ($(1)))
	$$Q$(CXX) $(CXXFLAGS) -Isim -DXT_TOP='"board_mesh/tops/$(1).hpp"' -isystem build/verilated/mesh-$(1) $(VERILATOR_INCLUDES) \
		-MMD -MP -c $$< -o $$@
build/boards/extorus-mesh-$(1): $(MESH_SRC:sim/board_mesh/%.cpp=build/obj/mesh/$(1)/%.o) build/obj/mesh/tcp_front.o \
		build/verilated/mesh-$(1)/Vtop__ALL.a
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)
	$$Q$(CXX) $$(filter %.o,$$^) $$(filter %.a,$$^) $(addprefix build/verilated/mesh-$(1)/,verilated.o verilated_threads.o \
		verilated_dpi.o) -latomic -lpthread -o $$@
-include $(MESH_SRC:sim/board_mesh/%.cpp=build/obj/mesh/$(1)/%.d)
endef
$(foreach b,$(MESH_NAMES),$(eval $(call mesh_rules,$b,$(word 1,$(subst -, ,$b)),$(word 2,$(subst -, ,$b)))))

build/obj/mesh/tcp_front.o: sim/virtual_board/tcp_front.cpp
	@mkdir -p $(@D)
	$(call say,C++,$<)
	$Q$(CXX) $(CXXFLAGS) -MMD -MP -c $< -o $@
-include build/obj/mesh/tcp_front.d
