/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a scoreboard in a checkpoint. */
#include "scoreboard_internal.h"

/* What a PE is receiving. */
typedef struct {
	xt_receiver_t receiver; /* but for the packet */
	uint32_t known;         /* there is one */
	uint32_t source, sequence;
} saved_receiver_t;

typedef struct {
	uint64_t poisoned, dropped;
	uint32_t most_hops;
} saved_scoreboard_t;

static int save_receiver(const xt_scoreboard_t *scoreboard, unsigned pe, xt_bytes_t *out)
{
	const xt_receiver_t *receiver = &scoreboard->receivers[pe];
	const xt_packet_t *packet = receiver->tracked ? &receiver->tracked->public.packet : NULL;
	saved_receiver_t saved = {.receiver = *receiver, .known = packet != NULL};

	saved.receiver.tracked = NULL;
	if (packet) {
		saved.source = packet->source;
		saved.sequence = packet->sequence;
	}
	return xt_bytes_add(out, &saved, sizeof(saved)) &&
	       (!receiver->different ||
		       xt_bytes_add(out, &scoreboard->differences[pe], sizeof(*scoreboard->differences)));
}

static int load_receiver(xt_scoreboard_t *scoreboard, unsigned pe, xt_bytes_reader_t *in)
{
	xt_receiver_t *receiver = &scoreboard->receivers[pe];
	saved_receiver_t saved;

	if (!xt_bytes_take(in, &saved, sizeof(saved)) || saved.source >= scoreboard->pes) {
		return 0;
	}
	*receiver = saved.receiver;
	if (saved.known) {
		receiver->tracked = xt_tracker_packet(scoreboard->tracker, saved.source, saved.sequence);
	}
	return (!saved.known || receiver->tracked) &&
	       (!receiver->different ||
		       xt_bytes_take(in, &scoreboard->differences[pe], sizeof(*scoreboard->differences)));
}

int xt_scoreboard_save(xt_scoreboard_t *scoreboard, xt_bytes_t *out)
{
	saved_scoreboard_t saved;
	int made;

	xt_scoreboard_settle(scoreboard);
	saved = (saved_scoreboard_t){scoreboard->poisoned, scoreboard->dropped, scoreboard->most_hops};
	made = xt_bytes_add(out, &saved, sizeof(saved)) && xt_tracker_save(scoreboard->tracker, out);
	for (unsigned pe = 0; pe < scoreboard->pes && made; pe++) {
		made = save_receiver(scoreboard, pe, out);
	}
	return made;
}

static void look_ahead(const void *scoreboard, xt_tracked_t *tracked)
{
	xt_scoreboard_look_ahead(scoreboard, tracked);
}

int xt_scoreboard_load(xt_scoreboard_t *scoreboard, xt_bytes_reader_t *in)
{
	saved_scoreboard_t saved;
	int made = xt_bytes_take(in, &saved, sizeof(saved)) &&
		   xt_tracker_load(scoreboard->tracker, in, look_ahead, scoreboard);

	for (unsigned pe = 0; pe < scoreboard->pes && made; pe++) {
		made = load_receiver(scoreboard, pe, in);
	}
	if (made) {
		scoreboard->poisoned = saved.poisoned;
		scoreboard->dropped = saved.dropped;
		scoreboard->most_hops = saved.most_hops;
	}
	return made;
}
