/* SPDX-License-Identifier: Apache-2.0
 *
 * The model as a back end of the host library. */
#include "device/backend.h"

#include "cell_state.h"
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
		cell_state_free(network);
		network_close(network);
	}
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
	.open = network_open,
	.close = close_engine,
	.read = network_read,
	.write = network_write,
	.backdoor = network_set_tables,
	.run = network_run,
	.evaluated = evaluated,
	.errors = errors,
	.fault = network_add_fault,
	.faults_waiting = network_faults_waiting,
	.down_since = down_since,
};

const xt_backend_t *xt_backend_entry(void);

const xt_backend_t *xt_backend_entry(void)
{
	return &backend;
}
