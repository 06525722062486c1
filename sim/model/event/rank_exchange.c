/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_exchange.h"

#include <inttypes.h>
#include <zlib.h>

#include "base/clock.h"
#include "event.h"
#include "rank_crossings.h"
#include "rank_tellings.h"

enum { TAG_EPOCH = 10 };

/* At the begin of a message. */
typedef struct {
	uint64_t from, until;
	uint32_t epoch, cycles, sum, letters;
	int32_t leave, failed;
} head_t;

/* With the packet's words that are kept behind a head. */
typedef struct {
	letter_t letter;
	uint64_t name;
	uint32_t cells, kept;
} parcel_t;

static const char not_plain[] =
	"something has come that is no plain stream, which is not distributed over ranks yet; start "
	"the run without mpirun";

static int fail(rank_run_t *run, int status, const char *what, unsigned rank)
{
	if (run->status == XT_OK) {
		run->status = xt_fail(&run->diag, status, "rank %u: %s", rank, what);
	}
	return 0;
}

/* ---------------------------------------------------------------- sending */

static int pack_letters(const shards_t *shards, unsigned to, xt_bytes_t *out, uint32_t *count)
{
	const rank_run_t *run = shards->network->rank_run;
	int made = 1;

	for (unsigned p = shards->first; p < shards->end; p++) {
		const packet_t *packets = shards->network->common.packets.packets;

		for (unsigned s = run->first_shard[to]; s < run->first_shard[to + 1]; s++) {
			list_t *letters = &sheet_of(&shards->shard[p], shards->epoch)->letters[s];

			for (uint32_t i = 0; i < letters->count && made; i++) {
				parcel_t parcel = {.letter = ((const letter_t *)letters->items)[i]};
				const packet_t *packet = &packets[parcel.letter.event.packet];

				parcel.name = packet->name;
				if (parcel.letter.event.kind == EVENT_HEAD) {
					parcel.cells = packet->cells;
					parcel.kept = packet->kept;
				}
				made = xt_bytes_add(out, &parcel, sizeof(parcel)) &&
				       xt_bytes_add(out, parcel.kept ? packet->words : NULL,
					       (size_t)parcel.kept * CELL_WORDS * sizeof(uint32_t));
			}
			*count += letters->count;
			letters->count = 0;
		}
	}
	return made;
}

static int send_epoch(shards_t *shards, unsigned to, uint64_t until)
{
	const xt_engine_t *network = shards->network;
	rank_run_t *run = network->rank_run;
	xt_bytes_t *out = &run->out[to];
	head_t head = {shards->from, until, shards->epoch, shards->cycles, run->sum, 0, 0, 0};
	int made;

	out->count = 0;
	made = xt_bytes_add(out, &head, sizeof(head)) && pack_letters(shards, to, out, &head.letters) &&
	       (network->event_run || rank_crossings_pack(shards, to, out));
	for (unsigned p = shards->first; p < shards->end && made; p++) {
		const shard_t *shard = &shards->shard[p];

		head.leave |= network->event_run && shard->engine->event_run->leave;
		head.failed |= shard->failed | shard->engine->common.packets.failed |
			       (network->event_run && shard->engine->event_run->failed);
		made = (to != 0 && !run->alike) ||
		       rank_tellings_pack(sheet_of(&shards->shard[p], shards->epoch), shards->cycles, out);
	}
	if (!made) {
		return fail(run, XT_ERR_NOMEM, "out of memory for a message", run->own);
	}
	memcpy(out->items, &head, sizeof(head));
	run->times.bytes += out->count;
	run->status = xt_ranks_post(run->ranks, to, TAG_EPOCH, out->items, out->count, &run->posted[to], &run->diag);
	return run->status == XT_OK;
}

/* ---------------------------------------------------------------- receiving */

/* What arrives at an own card. */
static int open_parcel(shards_t *shards, unsigned from, xt_bytes_reader_t *reader)
{
	rank_run_t *run = shards->network->rank_run;
	const parcel_t *parcel = xt_bytes_next(reader, sizeof(*parcel));
	const event_t *e = parcel ? &parcel->letter.event : NULL;
	const uint32_t *words =
		parcel ? xt_bytes_next(reader, (size_t)parcel->kept * CELL_WORDS * sizeof(*words)) : NULL;
	uint32_t packet = 0;
	xt_engine_t *engine;

	if (!words) {
		return fail(run, XT_ERR_PROTOCOL, "its message is cut off", from);
	}
	if (e->card >= shards->network->cards || !rank_run_has(run, e->card) || e->port >= PORTS ||
		(e->kind != EVENT_HEAD && e->kind != EVENT_RETURN) || parcel->cells > PACKET_CELLS ||
		(parcel->kept != parcel->cells && (parcel->kept != 1 || !shards->client->remake))) {
		return fail(run, XT_ERR_PROTOCOL, "it sends what is for another rank's card", from);
	}
	engine = shards->shard[shards->shard_of[e->card]].engine;
	if (parcel->letter.when < engine->common.now || parcel->letter.when >= engine->common.now + EVENT_SLOTS) {
		return fail(run, XT_ERR_PROTOCOL, "a cell or credit comes too late", from);
	}
	if (parcel->cells) {
		packets_reserve(&shards->network->common.packets, shards->end - shards->first, 1, 0);
		packets_follow(&engine->common.packets);
		packet = packets_fetch(&engine->common.packets, parcel->name, words, parcel->cells, parcel->kept);
	}
	event_put(engine->event_run, parcel->letter.when, (event_kind_t)e->kind, e->card, e->port, e->vc, e->cells,
		packet);
	return 1;
}

static int check_head(rank_run_t *run, const shards_t *shards, const head_t *head, unsigned from)
{
	if (!head || head->sum != run->sum) {
		return fail(run, XT_ERR_MISMATCH, "it has another partition, network, checkpoint, profile or program",
			from);
	}
	if (head->epoch != shards->epoch || head->from != shards->from || head->cycles != shards->cycles) {
		run->status = xt_fail(&run->diag, XT_ERR_PROTOCOL,
			"rank %u: its message is of cycles %" PRIu64 " to %" PRIu64
			", and comes late or early in %" PRIu64 " to %" PRIu64,
			from, head->from, head->from + head->cycles - 1, shards->from,
			shards->from + shards->cycles - 1);
		return 0;
	}
	if (head->failed) {
		return fail(run, XT_ERR_NOMEM, "out of memory", from);
	}
	if (head->leave) {
		return fail(run, XT_ERR_UNSUPPORTED, not_plain, from);
	}
	return 1;
}

static int take_epoch(shards_t *shards, unsigned from)
{
	rank_run_t *run = shards->network->rank_run;
	xt_bytes_t *in = &run->in[shards->epoch % SHEETS * run->count + from];
	xt_bytes_reader_t reader;
	const head_t *head;
	int made = 1;

	run->status = rank_take(run, from, TAG_EPOCH, run->timeout, in, &run->diag);
	if (run->status != XT_OK) {
		return 0;
	}
	reader = (xt_bytes_reader_t){in->items, (const char *)in->items + in->count};
	head = xt_bytes_next(&reader, sizeof(*head));
	if (!check_head(run, shards, head, from)) {
		return 0;
	}
	for (uint32_t i = 0; i < head->letters && made; i++) {
		made = open_parcel(shards, from, &reader);
	}
	made = made && (shards->network->event_run || rank_crossings_unpack(shards, from, &reader));
	for (unsigned s = run->first_shard[from];
		(run->own == 0 || run->alike) && s < run->first_shard[from + 1] && made; s++) {
		made = rank_tellings_unpack(sheet_of(&shards->shard[s], shards->epoch), shards->cycles, &reader) ||
		       fail(run, XT_ERR_PROTOCOL, "its message is cut off", from);
	}
	if (from == 0) {
		run->until = head->until;
	}
	return made;
}

int rank_exchange(shards_t *shards, uint64_t until)
{
	rank_run_t *run = shards->network->rank_run;
	const double begin = xt_now_s();
	double sent;
	int made = 1;

	run->until = until;
	for (unsigned r = 0; r < run->count && made; r++) {
		made = !run->neighbour[r] || send_epoch(shards, r, until);
	}
	sent = xt_now_s();
	for (unsigned r = 0; r < run->count && made; r++) {
		made = !run->neighbour[r] || take_epoch(shards, r);
	}
	if (made) {
		run->status = xt_ranks_finish(run->ranks, run->posted, run->count, run->timeout, &run->diag);
		made = run->status == XT_OK;
	}
	for (unsigned p = shards->first; p < shards->end && made; p++) {
		const event_run_t *events = shards->shard[p].engine->event_run;

		made = !(events && events->leave) || fail(run, XT_ERR_UNSUPPORTED, not_plain, run->own);
	}
	if (made && !shards->network->event_run && !rank_crossings_forget(shards)) {
		made = fail(run, XT_ERR_NOMEM, "out of memory for packets", run->own);
	}
	run->times.packing += sent - begin;
	run->times.waiting += xt_now_s() - sent;
	run->times.epochs++;
	return made;
}

/* ---------------------------------------------------------------- begin and end */

static uint32_t sum_of(const xt_engine_t *network, const rank_run_t *run, const xt_client_t *client)
{
	const uint32_t sizes[] = {network->cards, network->latency, sizeof(event_t), sizeof(telling_t),
		sizeof(crossing_t), XT_BACKEND_ABI, EXTORUS_PROFILE_HASH, client->resume_sum,
		(uint32_t)client->resume_cycle};
	unsigned long sum = crc32(0, (const unsigned char *)sizes, sizeof(sizes));

	sum = crc32(
		sum, (const unsigned char *)network->peers, network->cards * LINKS * (unsigned)sizeof(*network->peers));
	return (uint32_t)crc32(
		sum, (const unsigned char *)run->first_card, (run->count + 1) * (unsigned)sizeof(*run->first_card));
}

/* Every rank is rank 0's neighbour, and those are that a link leads to. */
static void find_neighbours(const xt_engine_t *network, rank_run_t *run)
{
	for (unsigned r = 0; r < run->count; r++) {
		run->neighbour[r] = r != run->own && (run->own == 0 || r == 0 || run->alike);
	}
	for (uint32_t c = run->first_card[run->own]; c < run->first_card[run->own + 1]; c++) {
		for (unsigned p = 0; p < LINKS; p++) {
			const xt_peer_t peer = network->peers[c * LINKS + p];

			if (peer.card != XT_NO_CARD && !rank_run_has(run, peer.card)) {
				run->neighbour[rank_run_owner(run, peer.card)] = 1;
				run->times.cut_links++;
			}
		}
	}
}

int rank_run_open(xt_engine_t *network, const xt_client_t *client, xt_diag_t *diag)
{
	rank_run_t *run;

	rank_run_close(network);
	if (!client->ranks) {
		return XT_OK;
	}
	run = network->rank_run = calloc(1, sizeof(*run));
	if (run) {
		run->ranks = client->ranks;
		run->own = xt_ranks_own(client->ranks);
		run->count = xt_ranks_count(client->ranks);
		run->timeout = client->rank_timeout;
		run->alike = client->alike;
		run->first_card = calloc(run->count + 1, sizeof(*run->first_card));
		run->first_shard = calloc(run->count + 1, sizeof(*run->first_shard));
		run->neighbour = calloc(run->count, sizeof(*run->neighbour));
		run->out = calloc(run->count, sizeof(*run->out));
		run->posted = calloc(run->count, sizeof(*run->posted));
		run->all = calloc(run->count, sizeof(*run->all));
		run->evaluated = calloc(run->count, sizeof(*run->evaluated));
		run->errors = calloc(run->count, sizeof(*run->errors));
		run->in = calloc((size_t)SHEETS * run->count, sizeof(*run->in));
	}
	if (!run || !run->first_card || !run->first_shard || !run->neighbour || !run->out || !run->posted || !run->in ||
		!run->all || !run->evaluated || !run->errors) {
		rank_run_close(network);
		return xt_fail(diag, XT_ERR_NOMEM, "model: out of memory for ranks");
	}
	memcpy(run->first_card, client->rank_cards, (run->count + 1) * sizeof(*run->first_card));
	run->sum = sum_of(network, run, client);
	find_neighbours(network, run);
	run->times.cards = run->first_card[run->own + 1] - run->first_card[run->own];
	return XT_OK;
}

void rank_run_close(xt_engine_t *network)
{
	rank_run_t *run = network->rank_run;

	if (!run) {
		return;
	}
	if (run->serves && run->own == 0) {
		(void)rank_command(run, &(rank_command_t){.kind = RANK_END});
	}
	for (unsigned r = 0; run->out && run->posted && r < run->count; r++) {
		/* What MPI may still read stays. */
		if (!run->posted[r]) {
			free(run->out[r].items);
		}
	}
	for (unsigned i = 0; run->in && i < SHEETS * run->count; i++) {
		free(run->in[i].items);
	}
	rank_registers_close(run);
	rank_crossings_close(run);
	free(run->first_card);
	free(run->first_shard);
	free(run->neighbour);
	free(run->out);
	free(run->posted);
	free(run->all);
	free(run->evaluated);
	free(run->errors);
	free(run->in);
	free(run);
	network->rank_run = NULL;
}
