# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the card of PROFILE on TARGET, a device of targets.py, placed and routed with SEEDS.
# The tools are Debian's, or WebAssembly builds from PyPI in build/venv where Debian has none.

##@ Synthesis
PROFILE ?= mini
TARGET ?= $(if $(filter mini,$(PROFILE)),ecp5-25f,ecp5-85f)
SEEDS ?= $(or $(SEED),1 2 3 4 5)
# WITHOUT=link,monitors,ecc,adaptive,u-turns,credit-sums,bypass,classes CARD=NAME: the card of PROFILE without these parts, under that name.
WITHOUT ?=
CARD ?= $(PROFILE)
ifneq ($(WITHOUT),)
ifneq ($(filter $(CARD),$(PROFILES)),)
$(error WITHOUT makes another card: give it a name by CARD= that is no profile's)
endif
rtl/generated/$(CARD)/xt_pkg.sv: build/extorus-gen FORCE
	$(call say,GENERATE,$(@D))
	$Qbuild/extorus-gen --profile $(PROFILE) --without $(WITHOUT) --name $(CARD) -o $(@D)
endif

SYNTH := $(PYTHON) constraints/synth
SYNTH_SOURCES := $(RTL) $(wildcard constraints/synth/*.py constraints/synth/*.ys)

.PHONY: synth synth-modules synth-depth synth-table synth-record synth-setup
synth: synth-setup ## Place and route PROFILE on TARGET with SEEDS: ecp5-85f, ecp5-25f, ice40-hx8k, xilinx7 (area only)
	@$(MAKE) -s rtl/generated/$(CARD)/xt_pkg.sv build/venv/done
	@$(SYNTH)/synth.py $(CARD) $(TARGET) --seed $(SEEDS) --jobs $(JOBS)
synth-modules: synth-setup ## Print the area of each module of PROFILE on TARGET
	@$(MAKE) -s rtl/generated/$(CARD)/xt_pkg.sv build/venv/done
	@$(SYNTH)/modules.py $(CARD) $(TARGET)
synth-depth: ## Print the deepest logic between registers of PROFILE on TARGET, once mapped
	@$(SYNTH)/depth.py build/synth/$(CARD)-$(TARGET)
synth-table: ## Write the last results into the table of rtl/README.md
	@$(SYNTH)/trend.py table
synth-record: ## Append the figures of PROFILE on TARGET to constraints/synth/trend.csv
	@$(SYNTH)/trend.py record $(CARD) $(TARGET)
synth-setup: setup
	@.ci/setup .ci/packages-synth

build/venv/done: constraints/synth/requirements.txt
	@mkdir -p $(@D)
	$(call say,VENV,$(@D))
	$Q$(PYTHON) -m venv $(@D)
	$Q$(@D)/bin/pip install -q --disable-pip-version-check -r $<
	@touch $@

# Every test run maps this with the installed yosys, without place and route.
build/synth/map-%/report.txt: rtl/generated/%/xt_pkg.sv $(SYNTH_SOURCES)
	$(call say,MAP,$*)
	$Q$(SYNTH)/synth.py $* ecp5-85f --map-only --yosys $(YOSYS) --output $(@D) > /dev/null
