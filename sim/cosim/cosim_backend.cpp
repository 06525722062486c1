// SPDX-License-Identifier: Apache-2.0
//
// The co-simulation as a back end of the host library: C functions around a Network.
#include "device/backend.h"

#include <cinttypes>
#include <new>

#include "cosim_network.hpp"
#include "extorus/profiles.h"

namespace
{

Network *network(xt_engine_t *engine)
{
	return reinterpret_cast<Network *>(engine);
}

int openNetwork(const xt_network_t *description, xt_engine_t **out, xt_diag_t *diag)
{
	*out = nullptr;
	try {
		auto opened = std::make_unique<Network>(*description);
		int status = opened->openWave(*description, diag);

		if (status == XT_OK) {
			status = opened->reset(diag);
		}
		if (status == XT_OK) {
			*out = reinterpret_cast<xt_engine_t *>(opened.release());
		}
		return status;
	} catch (const std::bad_alloc &) {
		return xt_fail(diag, XT_ERR_NOMEM, "co-simulation: out of memory for %u cards", description->cards);
	}
}

void closeNetwork(xt_engine_t *engine)
{
	delete network(engine);
}

int readRegisters(xt_engine_t *engine, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	return network(engine)->read(card, address, values, count, diag);
}

int writeRegisters(
	xt_engine_t *engine, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	return network(engine)->write(card, address, values, count, diag);
}

int setTables(xt_engine_t *engine, unsigned card, const uint64_t *grt, const uint64_t *lrt, xt_diag_t *diag)
{
	return network(engine)->setTables(card, grt, lrt, diag);
}

int runTraffic(xt_engine_t *engine, const xt_client_t *client, xt_diag_t *diag)
{
	try {
		return network(engine)->run(*client, diag);
	} catch (const std::bad_alloc &) {
		return xt_fail(diag, XT_ERR_NOMEM, "co-simulation: out of memory for a run");
	}
}

uint64_t evaluated(const xt_engine_t *engine)
{
	return reinterpret_cast<const Network *>(engine)->evaluated();
}

uint64_t errorsInjected(const xt_engine_t *engine)
{
	return reinterpret_cast<const Network *>(engine)->errorsInjected();
}

int addFault(xt_engine_t *engine, const xt_fault_t *fault, xt_diag_t *diag)
{
	try {
		network(engine)->addFault(*fault);
	} catch (const std::bad_alloc &) {
		return xt_fail(diag, XT_ERR_NOMEM, "co-simulation: out of memory for a fault");
	}
	return XT_OK;
}

unsigned faultsWaiting(const xt_engine_t *engine)
{
	return reinterpret_cast<const Network *>(engine)->faultsWaiting();
}

uint64_t downSince(const xt_engine_t *engine, unsigned card, unsigned port)
{
	return reinterpret_cast<const Network *>(engine)->downSince(card, port);
}

const xt_backend_t backend = [] {
	xt_backend_t b{};

	b.abi = XT_BACKEND_ABI;
	b.size = sizeof(b);
	b.engine = "rtl";
	b.profile = EXTORUS_PROFILE_NAME;
	b.profile_hash = EXTORUS_PROFILE_HASH;
	b.waves = Wave::Available;
	b.tables_cleared = 1;
	b.threads = 1;
	b.goes_on = 1;
	b.ranks = 1;
	b.parts = 1;
	b.open = openNetwork;
	b.close = closeNetwork;
	b.read = readRegisters;
	b.write = writeRegisters;
	b.backdoor = setTables;
	b.run = runTraffic;
	b.evaluated = evaluated;
	b.errors = errorsInjected;
	b.fault = addFault;
	b.faults_waiting = faultsWaiting;
	b.down_since = downSince;
	return b;
}();

} // namespace

extern "C" const xt_backend_t *xt_backend_entry(void)
{
	return &backend;
}
