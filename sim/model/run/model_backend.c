/* SPDX-License-Identifier: Apache-2.0
 *
 * The model as a back end of the host library. */
#include "device/backend.h"

#include "cell_state.h"
#include "model/event/rank_exchange.h"
#include "model_run.h"

static uint64_t evaluated(const xt_engine_t *network)
{
	return network->evaluated;
}

static uint64_t errors(const xt_engine_t *network)
{
	return network->errors;
}

static uint64_t down_since(const xt_engine_t *network, unsigned card, unsigned port)
{
	return network->troubles ? network->troubles[card * LINKS + port].down_since : UINT64_MAX;
}

static void close_engine(xt_engine_t *network)
{
	if (network) {
		network_end_run(network);
		rank_run_close(network);
		cell_state_free(network);
		network_close(network);
	}
}

static int is_shared(const xt_engine_t *network)
{
	return network->rank_run && network->rank_run->serves && network->rank_run->own == 0;
}

static int read_registers(
	xt_engine_t *network, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	return (is_shared(network) ? rank_read : network_read)(network, card, address, values, count, diag);
}

static int write_registers(
	xt_engine_t *network, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	return (is_shared(network) ? rank_write : network_write)(network, card, address, values, count, diag);
}

static const xt_backend_t backend = {
	.abi = XT_BACKEND_ABI,
	.size = sizeof(xt_backend_t),
	.engine = "model",
	.profile = EXTORUS_PROFILE_NAME,
	.profile_hash = EXTORUS_PROFILE_HASH,
	.waves = 0,
	.tables_cleared = 1,
	.threads = 1,
	.goes_on = 1,
	.ranks = 1,
	.parts = 1,
	.checkpoints = 1,
	.checks = 10,
	.open = network_open,
	.close = close_engine,
	.read = read_registers,
	.write = write_registers,
	.backdoor = network_set_tables,
	.run = network_run,
	.evaluated = evaluated,
	.errors = errors,
	.fault = network_add_fault,
	.faults_waiting = network_faults_waiting,
	.down_since = down_since,
};

XT_API const xt_backend_t *xt_backend_entry(void);

const xt_backend_t *xt_backend_entry(void)
{
	return &backend;
}
