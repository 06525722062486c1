# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the worked tests of extorus_cocotb on a card.

SIM ?= icarus
.PHONY: cocotb
cocotb: rtl/generated/$(PROFILE)/xt_pkg.sv build/venv-hardware/done ## Run the cocotb tests on a card of PROFILE; SIM is icarus or verilator
	$QPYTHONPATH=sim/cocotb build/venv-hardware/bin/python -m extorus_cocotb --profile $(PROFILE) --simulator $(SIM) \
		sim/cocotb/examples/bench_*.py
