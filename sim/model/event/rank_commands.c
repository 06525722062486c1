/* SPDX-License-Identifier: Apache-2.0
 *
 * What rank 0 asks of the others between epochs, and the state at a cycle. */
#include "event.h"
#include "rank_exchange.h"
#include "rank_tellings.h"

int rank_command(rank_run_t *run, const rank_command_t *command)
{
	for (unsigned r = 1; r < run->count && run->status == XT_OK; r++) {
		run->status = xt_ranks_send(
			run->ranks, r, RANK_TAG_COMMAND, command, sizeof(*command), run->timeout, &run->diag);
	}
	return run->status == XT_OK;
}

/* Takes a message of any size into `bytes`. */
int rank_take(rank_run_t *run, unsigned from, unsigned tag, double timeout, xt_bytes_t *bytes, xt_diag_t *diag)
{
	size_t size = 0;
	int status = xt_ranks_wait(run->ranks, &from, tag, &size, timeout, diag);

	if (status == XT_OK && !xt_bytes_reserve(bytes, size + 8)) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for a message");
	}
	bytes->count = size;
	if (status == XT_OK) {
		status = xt_ranks_take(run->ranks, from, tag, bytes->items, size, timeout, diag);
		/* What MPI may still write stays. */
		*bytes = status == XT_ERR_TIMEOUT ? (xt_bytes_t){0} : *bytes;
	}
	return status;
}

int rank_command_take(rank_run_t *run, rank_command_t *command, xt_diag_t *diag)
{
	xt_bytes_t bytes = {0};
	/* Rank 0 may be long about its own affairs once the run is over. */
	int status = rank_take(run, 0, RANK_TAG_COMMAND, run->serves ? 0.0 : run->timeout, &bytes, diag);

	if (status == XT_OK && bytes.count >= sizeof(*command)) {
		memcpy(command, bytes.items, sizeof(*command));
	}
	free(bytes.items);
	return status;
}

/* ---------------------------------------------------------------- before the run */

static uint64_t take_word(rank_run_t *run, unsigned from, int *status, xt_diag_t *diag)
{
	xt_bytes_t in = {0};
	uint64_t word = 0;

	if (*status == XT_OK) {
		*status = rank_take(run, from, RANK_TAG_ANSWER, run->timeout, &in, diag);
	}
	if (*status == XT_OK && in.count != sizeof(word)) {
		*status = xt_fail(diag, XT_ERR_PROTOCOL, "rank %u: its message is cut off", from);
	} else if (*status == XT_OK) {
		memcpy(&word, in.items, sizeof(word));
	}
	free(in.items);
	return word;
}

static void send_word(rank_run_t *run, unsigned to, uint64_t word, int *status, xt_diag_t *diag)
{
	if (*status == XT_OK) {
		*status = xt_ranks_send(run->ranks, to, RANK_TAG_ANSWER, &word, sizeof(word), run->timeout, diag);
	}
}

uint64_t rank_least(xt_engine_t *network, uint64_t own, int *status, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	uint64_t least = own;

	if (run && run->own) {
		send_word(run, 0, own, status, diag);
		return take_word(run, 0, status, diag);
	}
	for (unsigned r = 1; run && r < run->count; r++) {
		const uint64_t word = take_word(run, r, status, diag);

		least = word < least ? word : least;
	}
	for (unsigned r = 1; run && r < run->count; r++) {
		send_word(run, r, least, status, diag);
	}
	return least;
}

/* ---------------------------------------------------------------- the state at a cycle */

typedef struct {
	uint64_t evaluated, errors;
	xt_rank_times_t times;
} state_t;

static state_t state_of(const shards_t *shards)
{
	state_t state = {.times = shards->network->rank_run->times};

	for (unsigned p = shards->first; p < shards->end; p++) {
		state.evaluated += shards->shard[p].engine->evaluated;
		state.errors += shards->shard[p].engine->errors;
	}
	return state;
}

/* What faults have done at the own cards, of a run cell by cell. */
static int pack_faults(const xt_engine_t *network, xt_bytes_t *out)
{
	const rank_run_t *run = network->rank_run;
	const uint32_t first = run->first_card[run->own] * LINKS, end = run->first_card[run->own + 1] * LINKS;
	int made = 1;

	for (unsigned i = 0; i < network->fault_count && made; i++) {
		made = xt_bytes_add(out, &network->faults[i].done, sizeof(network->faults[i].done));
	}
	for (unsigned i = first; i < end && made; i++) {
		made = xt_bytes_add(out, &network->troubles[i].down_since, sizeof(uint64_t));
	}
	return made;
}

static int take_faults(xt_engine_t *network, unsigned from, xt_bytes_reader_t *reader)
{
	const rank_run_t *run = network->rank_run;
	const uint32_t first = run->first_card[from] * LINKS, end = run->first_card[from + 1] * LINKS;

	for (unsigned i = 0; i < network->fault_count; i++) {
		const int *done = xt_bytes_next(reader, sizeof(*done));

		if (!done) {
			return 0;
		}
		network->faults[i].done |= *done;
	}
	for (unsigned i = first; i < end; i++) {
		const uint64_t *since = xt_bytes_next(reader, sizeof(*since));

		if (!since) {
			return 0;
		}
		network->troubles[i].down_since = *since;
	}
	return 1;
}

int rank_settle_answer(xt_engine_t *network, uint64_t *port_cells, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	shards_t *shards = network->sharded;
	const state_t state = state_of(shards);
	const uint32_t first = run->first_card[run->own], end = run->first_card[run->own + 1];
	xt_bytes_t out = {0};
	int made =
		xt_bytes_add(&out, &state, sizeof(state)) && xt_bytes_add(&out, &port_cells[(size_t)first * PORTS],
								     (size_t)(end - first) * PORTS * sizeof(uint64_t));
	int status = XT_OK;

	made = made && (network->event_run || pack_faults(network, &out));
	for (unsigned p = shards->first; p < shards->end && made && network->event_run; p++) {
		shard_t *shard = &shards->shard[p];

		shard->sheet = sheet_of(shard, shards->epoch);
		shard->sheet->tellings.count = shard->sheet->packets.count = 0;
		event_tell_shard(shard->engine, &shard->client);
		made = rank_tellings_pack(shard->sheet, 0, &out);
	}
	status = made ? xt_ranks_send(run->ranks, 0, RANK_TAG_ANSWER, out.items, out.count, run->timeout, diag)
		      : xt_fail(diag, XT_ERR_NOMEM, "out of memory for a message");
	free(out.items);
	return status;
}

static int take_state(xt_engine_t *network, unsigned from, xt_bytes_t *in, uint64_t *port_cells)
{
	rank_run_t *run = network->rank_run;
	shards_t *shards = network->sharded;
	const uint32_t first = run->first_card[from], end = run->first_card[from + 1];
	const size_t size = (size_t)(end - first) * PORTS * sizeof(*port_cells);
	xt_bytes_reader_t reader = {in->items, (const char *)in->items + in->count};
	const state_t *state = xt_bytes_next(&reader, sizeof(*state));
	const void *cells = xt_bytes_next(&reader, size);
	int made = state && cells;

	if (made) {
		memcpy(&port_cells[(size_t)first * PORTS], cells, size);
		run->all[from] = state->times;
		run->evaluated[from] = state->evaluated;
		run->errors[from] = state->errors;
	}
	made = made && (network->event_run || take_faults(network, from, &reader));
	for (unsigned s = run->first_shard[from]; s < run->first_shard[from + 1] && made && network->event_run; s++) {
		sheet_t *sheet = sheet_of(&shards->shard[s], shards->epoch);

		made = rank_tellings_unpack(sheet, 0, &reader);
		if (made) {
			shards_tell_sheet(shards, &shards->shard[s], sheet);
		}
	}
	return made;
}

int rank_settle_ask(xt_engine_t *network, const rank_command_t *command, uint64_t *port_cells)
{
	rank_run_t *run = network->rank_run;
	xt_bytes_t in = {0};
	/* Those that do alike know. */
	int made = run->alike || rank_command(run, command);

	run->all[0] = run->times;
	network->evaluated = state_of(network->sharded).evaluated;
	network->errors = 0; /* its own come when shards close */
	for (unsigned r = 1; r < run->count && made; r++) {
		run->status = rank_take(run, r, RANK_TAG_ANSWER, run->timeout, &in, &run->diag);
		if (run->status == XT_OK && !take_state(network, r, &in, port_cells)) {
			run->status = xt_fail(&run->diag, XT_ERR_PROTOCOL, "rank %u: its message is cut off", r);
		}
		made = run->status == XT_OK;
		network->evaluated += run->evaluated[r];
		network->errors += run->errors[r];
	}
	free(in.items);
	return made;
}
