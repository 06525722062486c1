# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: warnings of four Verilog front ends. A card alone has all its options; those inside a board have none.

PKG = rtl/generated/$*/xt_pkg.sv
BRIDGE_PKG = rtl/generated/$*/xt_bridge_pkg.sv
# Under another module Verilator takes an argument of a function of xt_credit_counter for a signal of xt_card.
# Resets end by their clock, so most parts sample them. Parts whose clock may rest take them at once (SYNCASYNCNET).
BOARD_LINT := -Wno-VARHIDDEN -Wno-SYNCASYNCNET
FRONT_ENDS := xt_async_fifo xt_uart xt_ft245
LINTS := $(foreach l,verilator yosys iverilog slang,$(PROFILES:%=lint-$l-%)) lint-slang-files
##@ Check
.PHONY: lint $(LINTS)
lint: setup ## Check Verilog by four front ends, form of C and Python, spelling
	@$(MAKE) $(LINTS) $(LINT_BOARDS) $(LINT_TEXTS) $(LINT_CLANG)
$(PROFILES:%=lint-verilator-%): lint-verilator-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv
	$(VERILATOR) --lint-only -Wall --top-module xt_card $(PKG) $(RTL)
	$(VERILATOR) --lint-only -Wall -DXT_ASSERT -GStoreForward=1 --top-module xt_card $(PKG) $(RTL)
	$(VERILATOR) --lint-only -Wall $(BOARD_LINT) --top-module xt_board $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL)
	$(VERILATOR) --lint-only -Wall -DXT_ASSERT --top-module xt_bridge $(PKG) $(BRIDGE_PKG) rtl/mem/xt_ram_1r1w.sv \
		$(BRIDGE_RTL)
	for top in $(FRONT_ENDS); do $(VERILATOR) --lint-only -Wall -DXT_ASSERT --top-module $$top rtl/frontend/$$top.sv || exit 1; done
YOSYS_CHECK = check -assert; select -assert-none t:*latch*
$(PROFILES:%=lint-yosys-%): lint-yosys-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv
	$(YOSYS) -q -p 'read_verilog -sv $(PKG) $(RTL); hierarchy -check -top xt_card -chparam StoreForward 1; proc; $(YOSYS_CHECK)'
	$(YOSYS) -q -p 'read_verilog -sv $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL)' \
		-p 'hierarchy -check -top xt_node' \
		-p 'proc; $(YOSYS_CHECK)'
	for top in $(FRONT_ENDS); do $(YOSYS) -q -p "read_verilog -sv rtl/frontend/$$top.sv; hierarchy -check -top $$top; proc; \
		$(YOSYS_CHECK)" || exit 1; done
$(PROFILES:%=lint-iverilog-%): lint-iverilog-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv
	@for top in $(FRONT_ENDS); do $(IVERILOG) -g2012 -t null -s $$top rtl/frontend/$$top.sv || exit 1; done
	@output=$$($(IVERILOG) -g2012 -t null -s xt_card -Pxt_card.StoreForward=1 $(PKG) $(RTL) 2>&1 && \
		$(IVERILOG) -g2012 -t null -s xt_node $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL) 2>&1 && for cards in 1 2; do \
		$(IVERILOG) -g2012 -DXT_SIMULATION -t null -s xt_board_top -Pxt_board_top.Links=6 -Pxt_board_top.Cards=$$cards \
		$(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL) 2>&1 || exit 1; done) || { echo "$$output"; exit 1; }; \
	! grep -v '$(IVERILOG_HARMLESS)' <<< "$$output" | grep .

# Every top of every profile, with assertions and without.
SLANG = build/venv-lint/bin/python rtl/slang_lint.py
$(PROFILES:%=lint-slang-%): lint-slang-%: rtl/generated/%/xt_pkg.sv rtl/generated/%/xt_bridge_pkg.sv build/venv-lint/done
	@for define in XT_PLAIN XT_ASSERT; do $(SLANG) -D$$define -GStoreForward=1 --top xt_card $(PKG) $(RTL) && \
		$(SLANG) -D$$define --top xt_node $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL) && \
		$(SLANG) -D$$define --top xt_board $(PKG) $(BRIDGE_PKG) $(RTL) $(NODE_RTL) || exit 1; done
	@for top in $(FRONT_ENDS); do $(SLANG) -DXT_ASSERT --top $$top rtl/frontend/$$top.sv || exit 1; done

# Sources that no top above has: vendors' primitives, simulation, benches and proofs, each by itself with the packages. A mutant is a
# part of a module.
SLANG_FILES = $(filter-out tests/mutants/% %_pkg.sv,$(shell find rtl/fpga rtl/frontend/usb constraints sim tests -name '*.sv' | sort))
SLANG_ALONE := --ignore-unknown-modules --timescale 1ns/1ps -DXT_SIMULATION -DXT_ASSERT -DLANES=2 -DFRAME=100 -DCODED=1
lint-slang-files: rtl/generated/mini/xt_pkg.sv rtl/generated/mini/xt_bridge_pkg.sv build/venv-lint/done
	@wrong=0; for file in $(SLANG_FILES); do \
		packages=rtl/phy/xt_8b10b_code.sv; for name in xt_pkg xt_bridge_pkg; do \
			grep -q "^package $$name;" $$file || packages="$$packages rtl/generated/mini/$$name.sv"; done; \
		$(SLANG) $(SLANG_ALONE) $$packages $$file || wrong=1; done; exit $$wrong

# Icarus 11 makes such a process sensitive to more signals than the process reads. The results are the same.
IVERILOG_HARMLESS := sorry: constant selects in always_\* processes are not currently supported
