# SPDX-License-Identifier: Apache-2.0
#
# Part of the Makefile: the plug-in by which processes that mpirun has started send messages, where there is an MPI. The
# command needs no MPI library.

MPI_PLUGIN := build/plugins/extorus-mpi.so
MPI_SRC := $(sort $(wildcard host/mpi/*.c))
ifneq ($(call found,$(MPICC)),)
plugins: $(MPI_PLUGIN)
build/obj/mpi/%.o: host/mpi/%.c
	@mkdir -p $(@D)
	$(call say,MPICC,$<)
	$Q$(MPICC) $(CFLAGS) -Ihost/lib -MMD -MP -c $< -o $@
$(MPI_PLUGIN): $(MPI_SRC:host/mpi/%.c=build/obj/mpi/%.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(MPICC) -shared $^ $(LDFLAGS) -o $@
-include $(MPI_SRC:host/mpi/%.c=build/obj/mpi/%.d)
endif

.PHONY: mpi
mpi: $(if $(call found,$(MPICC)),$(MPI_PLUGIN)) ## Build the plug-in for runs under mpirun (where there is an mpicc)
