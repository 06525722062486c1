/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of all processes go to the client of rank 0. */
#include "checkpoint.h"

#include "checkpoint_save.h"
#include "model/event/rank_exchange.h"

enum { PIECE = 1 << 28 }; /* bytes of a message */

/* Before the bytes of a part. */
typedef struct {
	uint64_t size, shared;
} part_size_t;

static int make_part(
	xt_engine_t *network, const xt_client_t *client, int quiet, xt_bytes_t *out, size_t *shared, xt_diag_t *diag)
{
	const rank_run_t *ranks = network->rank_run;
	const uint32_t first = ranks ? ranks->first_card[ranks->own] : 0;
	const uint32_t end = ranks ? ranks->first_card[ranks->own + 1] : network->cards;

	return client->save(client->context, first * NICS, end * NICS, out) &&
			       checkpoint_save(network, client, quiet, out, shared)
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
}

static int take_part(rank_run_t *run, unsigned rank, xt_bytes_t *out, size_t *shared, xt_diag_t *diag)
{
	xt_bytes_t piece = {0};
	part_size_t part = {0, 0};
	int status = rank_take(run, rank, RANK_TAG_ANSWER, run->timeout, &piece, diag);

	if (status == XT_OK && piece.count == sizeof(part)) {
		memcpy(&part, piece.items, sizeof(part));
	} else if (status == XT_OK) {
		status = xt_fail(diag, XT_ERR_PROTOCOL, "rank %u: its part of the checkpoint is cut off", rank);
	}
	out->count = 0;
	while (status == XT_OK && out->count < part.size) {
		status = rank_take(run, rank, RANK_TAG_ANSWER, run->timeout, &piece, diag);
		if (status == XT_OK && (piece.count == 0 || !xt_bytes_add(out, piece.items, piece.count))) {
			status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for a checkpoint");
		}
	}
	*shared = part.shared < out->count ? part.shared : out->count;
	free(piece.items);
	return status;
}

int checkpoint_make(xt_engine_t *network, const xt_client_t *client, int quiet, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	const unsigned parts = run ? run->count : 1;
	xt_bytes_t bytes = {0};
	size_t shared = 0;
	int status = XT_OK;

	if (run && !rank_command(run, &(rank_command_t){.kind = RANK_SAVE})) {
		*diag = run->diag;
		return run->status;
	}
	status = make_part(network, client, quiet, &bytes, &shared, diag);
	for (unsigned r = 0; r < parts && status == XT_OK; r++) {
		status = r ? take_part(run, r, &bytes, &shared, diag) : XT_OK;
		if (status == XT_OK) {
			status = client->keep(client->context, r, parts, &bytes, shared, diag);
		}
	}
	free(bytes.items);
	return status;
}

int checkpoint_send(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	const rank_run_t *run = network->rank_run;
	xt_bytes_t bytes = {0};
	size_t shared = 0;
	int status = make_part(network, client, 0, &bytes, &shared, diag);
	const part_size_t part = {bytes.count, shared};

	/* Without a bound: rank 0 writes other ranks' parts meanwhile. */
	if (status == XT_OK) {
		status = xt_ranks_send(run->ranks, 0, RANK_TAG_ANSWER, &part, sizeof(part), 0.0, diag);
	}
	for (size_t at = 0; at < part.size && status == XT_OK; at += PIECE) {
		const size_t rest = part.size - at;

		status = xt_ranks_send(run->ranks, 0, RANK_TAG_ANSWER, (const char *)bytes.items + at,
			rest < PIECE ? rest : PIECE, 0.0, diag);
	}
	free(bytes.items);
	return status;
}
