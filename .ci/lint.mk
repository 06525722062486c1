# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: form of C, C++ and Python, spelling, links of documents. rtl/rtl_lint.mk has the Verilog front ends.

##@ Check
LINT_TEXTS := lint-format lint-python lint-spelling lint-prose
.PHONY: $(LINT_TEXTS) format
FORMATTED = $(shell find host sim tests -name '*.[ch]' -o -name '*.[ch]pp')
lint-format: build/venv-lint/done
	build/venv-lint/bin/clang-format --dry-run -Werror $(FORMATTED)
format: build/venv-lint/done ## Format the C and C++ code
	build/venv-lint/bin/clang-format -i $(FORMATTED)

# Jobs of the tests want it at the same time; the first one makes it.
build/venv-lint/done build/venv-hardware/done: build/venv-%/done: .ci/requirements-%.txt
	@mkdir -p $(@D)
	$(call say,VENV,$(@D))
	$Qflock $(@D).lock sh -ec '[ $@ -nt $< ] || { $(PYTHON) -m venv $(@D); \
		$(@D)/bin/pip install -q --disable-pip-version-check -r $<; touch $@; }'
lint-python: build/venv-lint/done
	build/venv-lint/bin/ruff check -q .
	build/venv-lint/bin/mypy --strict --cache-dir=build/venv-lint/mypy host/python/extorus

# Fuzz corpus, pictures and recorded reports have words of others.
lint-spelling:
	codespell --ignore-words .ci/spelling-ignore --skip '*.svg,*/corpus/*,*/recorded/*,*/__pycache__/*,*.pyc,rtl/generated' \
		*.md Makefile .ci constraints host rtl sim tests
lint-prose:
	$(PYTHON) tests/structure/document_links.py

# clang refuses more than gcc. The model is compiled for each profile, programs of MPI by the compiler of MPI.
CLANG := clang
CLANG_FLAGS = $(CFLAGS) $(INCLUDES) -Ihost/cli -fsyntax-only
CLANG_MPI := $(wildcard host/capture/*.c host/mpi/*.c sim/experiments/bench/*.c tests/system/capture/*.c tests/system/cluster/*.c)
CLANG_SRC := $(filter-out sim/model/% $(CLANG_MPI),$(shell find host sim tests -name '*.c' | sort))
LINT_CLANG := lint-clang $(PROFILES:%=lint-clang-%)
.PHONY: $(LINT_CLANG)
lint-clang: rtl/generated/mini/xt_registers.h
	$(call say,CLANG,host sim tests)
	$Q$(CLANG) $(CLANG_FLAGS) -Irtl/generated/mini $(CLANG_SRC)
	$QOMPI_CC=$(CLANG) MPICH_CC=$(CLANG) mpicc $(CLANG_FLAGS) -Wno-unused-command-line-argument $(CLANG_MPI)
$(PROFILES:%=lint-clang-%): lint-clang-%: rtl/generated/%/xt_registers.h
	$(call say,CLANG,sim/model ($*))
	$Q$(CLANG) $(CLANG_FLAGS) -Irtl/generated/$* $(MODEL_SRC)
