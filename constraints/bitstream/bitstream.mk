# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the bitstream of BOARD, a folder of constraints/boards, in build/boards-BOARD.

##@ Boards
BOARD ?= ulx3s
# Serial number in the bitstream; each board of a network needs its own.
BOARD_SERIAL ?= 1
board_says = $(shell sed -n 's/.*"$(1)": *"\(.*\)".*/\1/p' constraints/boards/$(BOARD)/board.json 2>/dev/null)
BOARD_PROFILE ?= $(call board_says,profile)
BITSTREAM := $(PYTHON) constraints/bitstream

.PHONY: bitstream program
bitstream: synth-setup ## Place and route BOARD: ulx3s, ecpix5, butterstick or hx8k
	@$(MAKE) -s $(if $(BOARD_PROFILE),$(foreach f,xt_pkg xt_bridge_pkg,rtl/generated/$(BOARD_PROFILE)/$f.sv)) build/venv/done
	@$(if $(call board_says,usb),$(MAKE) -s usb-core)
	@$(BITSTREAM)/bitstream.py $(BOARD) --profile $(BOARD_PROFILE) $(if $(SEED),--seed $(SEED)) --serial $(BOARD_SERIAL)
program: ## Load the bitstream into BOARD until power-off; DRY_RUN=1 prints the command
	@$(BITSTREAM)/program.py $(BOARD) $(if $(DRY_RUN),--dry-run)
.PHONY: board-map
board-map: synth-setup ## Map BOARD to the cells of its device, without place and route
	@$(MAKE) -s $(if $(BOARD_PROFILE),$(foreach f,xt_pkg xt_bridge_pkg,rtl/generated/$(BOARD_PROFILE)/$f.sv)) build/venv/done
	@$(if $(call board_says,usb),$(MAKE) -s usb-core)
	@$(BITSTREAM)/bitstream.py $(BOARD) --profile $(BOARD_PROFILE) --map-only
.PHONY: board-check
board-check: ## Check ports and pins of all boards
	@$(BITSTREAM)/check.py
BOARD_NAMES := $(patsubst constraints/boards/%/board.json,%,$(sort $(wildcard constraints/boards/*/board.json)))
LINT_BOARDS := $(BOARD_NAMES:%=lint-board-%)
.PHONY: $(LINT_BOARDS)
$(LINT_BOARDS): lint-board-%: $(foreach p,$(PROFILES),rtl/generated/$p/xt_pkg.sv rtl/generated/$p/xt_bridge_pkg.sv) build/venv-lint/done
	for profile in $$($(BITSTREAM)/boards.py profiles $*); do \
		set -- $$($(BITSTREAM)/boards.py lint $* $$profile); top=$$1; shift; \
		$(VERILATOR) --lint-only -Wall $(BOARD_LINT) -DXT_SIMULATION -DXT_ASSERT --top-module $$top "$$@" && \
		$(SLANG) -DXT_SIMULATION -DXT_ASSERT --top $$top "$$@" || exit 1; done
.PHONY: board-report
board-report: ## Write the report of the last bitstream of BOARD into its README
	@$(BITSTREAM)/bitstream.py $(BOARD) --note
