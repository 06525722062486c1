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

BOARD_NAMES := $(patsubst constraints/boards/%/board.json,%,$(sort $(wildcard constraints/boards/*/board.json)))
# One line for a wrong BOARD, BOARD_PROFILE or BOARD_SERIAL, before anything is built.
board_checked = $(strip $(if $(wildcard constraints/boards/$(BOARD)/board.json),,\
	$(error no board "$(BOARD)"; BOARD is one of: $(BOARD_NAMES)))\
	$(if $(wildcard host/params/profile_$(BOARD_PROFILE).c),,\
	$(error no profile "$(BOARD_PROFILE)"; BOARD_PROFILE is one of: $(PROFILES)))\
	$(if $(shell expr "$(BOARD_SERIAL)" : '[0-9][0-9]*$$' | grep -v '^0'),,\
	$(error BOARD_SERIAL=$(BOARD_SERIAL) is no whole number; give each board its own, from 1 on)))

.PHONY: bitstream program
bitstream board-map board-project: $(if $(filter bitstream board-map board-project,$(MAKECMDGOALS)),$(board_checked))
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
.PHONY: board-project
board-project: ## Write a Vivado project of BOARD, for a Xilinx device; Vivado is not run
	@$(MAKE) -s $(if $(BOARD_PROFILE),$(foreach f,xt_pkg xt_bridge_pkg,rtl/generated/$(BOARD_PROFILE)/$f.sv))
	@$(BITSTREAM)/project.py $(BOARD) --profile $(BOARD_PROFILE) --serial $(BOARD_SERIAL)
.PHONY: board-check
board-check: ## Check ports and pins of all boards
	@$(BITSTREAM)/check.py
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
