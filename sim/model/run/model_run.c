/* SPDX-License-Identifier: Apache-2.0
 *
 * A run: how its links and cards are to be stepped, and the cycles until the client has enough. */
#include <stdlib.h>
#include <string.h>

#include "model_run.h"

#include "model/checkpoint/checkpoint.h"
#include "model/event/event.h"
#include "model/event/rank_exchange.h"
#include "model/event/shards.h"
#include "model/network/fast_links.h"
#include "model/network/network_internal.h"

enum {
	QUIET_LIMIT = 1000,
	STANDING_CYCLES = 200,
};

/* Errors of their own for every directed link, and links that were killed in the run before are whole. */
static int prepare_links(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	network->errors = 0;
	free(network->troubles);
	network->troubles = NULL;
	for (unsigned i = 0; i < network->cards * LINKS; i++) {
		/* Of cards that are not here nothing is written. */
		if (network->outgoing[i].dead) {
			network->outgoing[i].dead = 0;
		}
	}
	if (client->error_rate > 0.0) {
		if (!faults_make_troubles(network)) {
			return network_check(network, diag);
		}
		for (unsigned i = 0; i < network->cards * LINKS; i++) {
			xt_random_seed(&network->troubles[i].random, client->error_seed, i);
		}
	}
	return XT_OK;
}

/* Until nothing of an earlier run is left in the cards. */
static int settle(xt_engine_t *network, xt_diag_t *diag)
{
	int settled = 0;

	for (unsigned wait = 0; wait < QUIET_LIMIT && !network->stands && !settled; wait++) {
		settled = network_is_quiet(network);
		if (!settled) {
			network_step(network, NULL);
		}
	}
	/* Keepalives keep a card busy that holds nothing. */
	if (!settled && network->keepalives && is_empty(network, network->within)) {
		settled = 1;
		for (unsigned c = 0; c < network->cards && settled; c++) {
			uint32_t value;
			int status;

			if (!network_has(network, c)) {
				continue;
			}
			status = network_read(network, c, EXTORUS_REG_STATUS, &value, 1, diag);

			if (status != XT_OK) {
				return status;
			}
			settled = (value & EXTORUS_STATUS_IDLE_MASK) != 0;
		}
	}
	return settled ? XT_OK
		       : xt_fail(diag, XT_ERR_UNSUPPORTED,
				 "the network still holds packets of the run before; close the device and open it "
				 "again");
}

void network_end_run(xt_engine_t *network)
{
	shards_close(network);
	event_close(network);
}

static uint64_t *port_cells_of(const xt_engine_t *network)
{
	return network->event_run ? network->event_run->port_cells : network->port_cells;
}

/* Rank 0: the state of the others at this cycle. */
static void ask_ranks(xt_engine_t *network, rank_command_kind_t kind, int stands)
{
	rank_run_t *run = network->rank_run;

	if (!run || run->status != XT_OK) {
		return;
	}
	if (run->own) {
		run->status = rank_settle_answer(network, port_cells_of(network), &run->diag);
	} else {
		(void)rank_settle_ask(
			network, &(rank_command_t){.kind = kind, .stands = stands}, port_cells_of(network));
	}
}

/* The run goes on, or ends, cell by cell in the same state. */
static void end_events(xt_engine_t *network)
{
	const xt_client_t *client = network->event_run->client;

	event_settle(network, network);
	network_end_run(network);
	if (client->remake) {
		packets_complete(&network->common.packets, client->remake, client->context);
	}
}

static void leave_events(xt_engine_t *network, int stands)
{
	event_tell(network);
	ask_ranks(network, RANK_STOP, stands);
	end_events(network);
}

static void settle_run(xt_engine_t *network)
{
	if (network->event_run) {
		event_port_cells(network, network->event_run->port_cells);
		event_tell(network);
	}
	ask_ranks(network, RANK_SETTLE, 0);
}

static xt_engine_state_t state_of(xt_engine_t *network)
{
	xt_engine_state_t state = {.cycle = network->cycle, .moves = network->moves, .port_cells = network->port_cells};

	if (network->event_run) {
		state.quiet = network->rank_run ? network->sharded->quiet : event_is_quiet(network);
		state.port_cells = network->event_run->port_cells;
		state.settle = settle_run;
		state.engine = network;
	} else {
		state.quiet = network->sharded ? network->sharded->quiet : network_is_quiet(network);
	}
	if (network->rank_run) {
		state.settle = settle_run;
		state.engine = network;
	}
	return state;
}

/* How links and cards are to be stepped in this run, or in the rest of one. */
static int prepare_steps(xt_engine_t *network, const xt_client_t *client, checkpoint_load_t *load, xt_diag_t *diag)
{
	const int quiet = network_is_quiet(network);
	int status = XT_OK;
	/* Each rank knows its own cards; all step alike. */
	const int fast = (int)rank_least(network, (uint64_t)fast_links_serve(network, client), &status, diag);
	const int events = (int)rank_least(network, quiet && event_serves(network, client), &status, diag);
	/* A checkpoint is for any ranks, so all know of the tables of all. */
	const int adaptive = !rank_least(network, !event_is_adaptive(network), &status, diag);

	if (status != XT_OK) {
		return status;
	}
	if (!fast) {
		fast_links_close(network);
	} else if (quiet || network->fast) {
		fast_links_open(network);
		if (events && (!load || checkpoint_has_events(load))) {
			status = event_open(network, client, adaptive, diag);
		}
	}
	if (status == XT_OK && load) {
		status = checkpoint_load_cards(load, diag);
	}
	if (status == XT_OK) {
		status = shards_open(network, client, diag);
	}
	if (status == XT_OK && load) {
		status = checkpoint_load_events(load, diag);
	}
	if (status != XT_OK) {
		network_end_run(network);
	}
	return status;
}

static void step_run(xt_engine_t *network, const xt_client_t *client)
{
	if (network->sharded) {
		shards_step(network);
	} else if (network->event_run) {
		event_step(network, client);
	} else {
		network_step(network, client);
	}
	if (network->event_run && network->event_run->leave && !network->rank_run) {
		leave_events(network, 0);
	}
}

/* Nothing in the network will move again. */
static int is_standing(const xt_engine_t *network, const xt_client_t *client, int quiet)
{
	return !client->goes_on && !quiet && !network->keepalives &&
	       network->cycle - network->last_move > STANDING_CYCLES;
}

/* Once the run is over each rank steps its own cards, which must not wait for signs of life of the others'. */
static void rest_links(xt_engine_t *network)
{
	for (unsigned c = 0; network->keepalives && c < network->cards; c++) {
		if (network_has(network, c)) {
			network->card[c].settings.link_keepalive = 0;
			network->keepalive[c] = 0;
		}
	}
	network->keepalives = 0;
}

/* A rank that is not the first one, once the run is over. */
static int serve(xt_engine_t *network, xt_diag_t *diag)
{
	/* As in one process, some cycles pass before this rank's first card is read. */
	for (unsigned i = 0; network->stands && i < STANDING_CYCLES; i++) {
		network_step(network, NULL);
	}
	rest_links(network);
	network->rank_run->serves = 1;
	return rank_serve(network, diag);
}

/* A rank that is not the first one does what that says. */
static int follow(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	rank_command_t command = {.kind = RANK_END};
	int status;

	network->cycle = client->resume_cycle;
	while ((status = rank_command_take(run, &command, diag)) == XT_OK && command.kind != RANK_STOP) {
		if (command.kind == RANK_SETTLE) {
			if (network->event_run) {
				event_port_cells(network, network->event_run->port_cells);
			}
			status = rank_settle_answer(network, port_cells_of(network), diag);
		} else if (command.kind == RANK_SAVE) {
			status = checkpoint_send(network, client, diag);
		} else if (command.kind == RANK_GO) {
			client->decided(client->context, command.decision);
			faults_start(network);
			shards_follow(network, command.until);
			network->cycle++;
			status = run->status;
			*diag = status == XT_OK ? *diag : run->diag;
		} else {
			return XT_OK; /* rank 0 has given the run up */
		}
		if (status != XT_OK) {
			return status;
		}
	}
	if (status == XT_OK) {
		status = rank_settle_answer(network, port_cells_of(network), diag);
	}
	if (status == XT_OK) {
		if (network->event_run) {
			end_events(network);
		} else {
			network_end_run(network);
		}
		network->stands = command.stands && network->in_transit == 0;
		status = serve(network, diag);
	}
	return status;
}

/* Rank 0, at the end of a run. */
static int end_ranks(rank_run_t *run, const xt_client_t *client, xt_diag_t *diag)
{
	if (run->status != XT_OK) {
		*diag = run->diag;
		return run->status;
	}
	run->serves = 1;
	if (client->rank_times) {
		memcpy(client->rank_times, run->all, run->count * sizeof(*run->all));
	}
	return XT_OK;
}

/* The ranks have brought up other cards, in other times. Nothing depends on the cycle as long as nothing moves. */
static int begin_together(xt_engine_t *network, xt_diag_t *diag)
{
	int status = XT_OK;
	const uint64_t latest = ~rank_least(network, ~network->common.now, &status, diag);

	if (status == XT_OK && network_is_quiet(network)) {
		network->common.now = latest;
		fast_links_clear(network);
	}
	while (status == XT_OK && network->common.now < latest) {
		network_step(network, NULL);
	}
	return status;
}

/* Before the first cycle, or the first one of the rest. */
static int begin(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	checkpoint_load_t *load = NULL;
	int status = XT_OK;

	if (client->goes_on) {
		network->stands = 0;
	} else {
		status = settle(network, diag);
	}
	if (status == XT_OK) {
		status = prepare_links(network, client, diag);
	}
	if (status == XT_OK) {
		status = rank_run_open(network, client, diag);
	}
	if (status == XT_OK) {
		status = begin_together(network, diag);
	}
	memset(network->port_cells, 0, (size_t)network->cards * PORTS * sizeof(*network->port_cells));
	network->moves = 0;
	network->evaluated = 0;
	network->moves_noted = network->last_move = 0;
	network->stray = 0;
	if (status == XT_OK) {
		status = checkpoint_open(network, client, &load, diag);
	}
	if (status == XT_OK) {
		status = prepare_steps(network, client, load, diag);
	}
	checkpoint_close(load);
	if (status == XT_OK && network->rank_run && !network->sharded) {
		status = xt_fail(diag, XT_ERR_UNSUPPORTED,
			"this run is not distributed over ranks yet: with packets without a route, or faults of links "
			"that have no link layer; start it without mpirun");
	}
	return status;
}

/* The client looks at the state before a cycle. Whether the run is over. */
static int look(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag, int *status)
{
	const xt_engine_state_t state = state_of(network);
	int stop;

	network_note_moves(network, network->cycle);
	stop = client->cycle(client->context, &state);
	if (stop && network->event_run) {
		leave_events(network, is_standing(network, client, state.quiet));
	} else if (stop) {
		ask_ranks(network, RANK_STOP, is_standing(network, client, state.quiet));
		network_end_run(network);
	}
	if (stop) {
		network->stands = is_standing(network, client, state.quiet) && network->in_transit == 0;
	} else if (client->due && client->due(client->context, network->cycle)) {
		*status = checkpoint_make(network, client, state.quiet, diag);
	}
	return stop;
}

int network_run(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	int status;

	if (client->pes != network->cards * NICS) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED, "%u PEs do not fit %u cards with %d NIC ports each",
			client->pes, network->cards, NICS);
	}
	status = begin(network, client, diag);
	if (status != XT_OK) {
		return status;
	}
	if (network->rank_run && network->rank_run->own && !client->alike) {
		return follow(network, client, diag);
	}
	for (network->cycle = client->resume_cycle;; network->cycle++) {
		/* What a checkpoint has was looked at before. */
		const int known = client->resume && network->cycle == client->resume_cycle;

		if (!known && look(network, client, diag, &status)) {
			break;
		}
		if (status != XT_OK) {
			network_end_run(network);
			return status;
		}
		if (network->fault_count) {
			faults_start(network);
		}
		step_run(network, client);
		if (network->rank_run && network->rank_run->status != XT_OK) {
			break;
		}
		if (network->stray) {
			network_end_run(network);
			return xt_fail(diag, XT_ERR_UNSUPPORTED,
				"the run meets what it was not said to; start it with one thread");
		}
	}
	if (network->rank_run && network->rank_run->own && network->rank_run->status == XT_OK) {
		return serve(network, diag);
	}
	if (network->rank_run) {
		rest_links(network);
	}
	status = network->rank_run ? end_ranks(network->rank_run, client, diag) : XT_OK;
	return status == XT_OK ? network_check(network, diag) : status;
}
