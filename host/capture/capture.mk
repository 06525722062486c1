# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the libraries that capture MPI programs. Each is for one MPI, whose compiler has to be there:
# libextorus-capture.so for that of MPICC, libextorus-capture-mpich.so for MPICH where another is mpicc.

MPICC ?= mpicc
MPICC_MPICH ?= mpicc.mpich
found = $(shell command -v $(1))
CAPTURES :=
CAPTURE_SRC := $(sort $(wildcard host/capture/*.c))

# $(1): what the name of the library ends with, $(2): the compiler. The archive's symbols stay within; MPI's own library
# comes with the program.
define capture_rules
CAPTURES += build/libextorus-capture$(1).so
build/obj/capture$(1)/%.o: host/capture/%.c
	@mkdir -p $$(@D)
	$$(call say,MPICC,$$<$(if $(1), ($(2))))
	$$Q$(2) $$(CFLAGS) -Ihost/include -MMD -MP -c $$< -o $$@
build/libextorus-capture$(1).so: $(CAPTURE_SRC:host/capture/%.c=build/obj/capture$(1)/%.o) host/capture/capture.map build/libextorus.a
	$$(call say,LINK,$$@)
	$$Q$$(CC) -shared -Wl,-soname,$$(@F) -Wl,--version-script=host/capture/capture.map $$(filter %.o %.a,$$^) $$(LDFLAGS) \
		-lz -lm -lpthread -o $$@
-include $(CAPTURE_SRC:host/capture/%.c=build/obj/capture$(1)/%.d)
endef

ifneq ($(call found,$(MPICC)),)
$(eval $(call capture_rules,,$(MPICC)))
endif
ifneq ($(call found,$(MPICC_MPICH)),)
ifneq ($(realpath $(call found,$(MPICC))),$(realpath $(call found,$(MPICC_MPICH))))
$(eval $(call capture_rules,-mpich,$(MPICC_MPICH)))
endif
endif

.PHONY: capture
capture: $(CAPTURES) ## Build the libraries that capture MPI programs (for each MPI that is there)
