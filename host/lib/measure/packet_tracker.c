/* SPDX-License-Identifier: Apache-2.0 */
#include "packet_tracker.h"

#include <assert.h>
#include <stdlib.h>

#include "record_slabs.h"

enum {
	BUCKETS = 16, /* a flow hashes to one of these of its source */
	FIRST_SLOTS = 16,
};

/* Packets in order of sequence. */
typedef struct {
	xt_tracked_t *first, *last;
} bucket_t;

/* A source's packets by sequence number; those from `oldest` to `next - 1` have a slot each, NULL once delivered. */
typedef struct {
	xt_tracked_t **slots; /* sequence & (size - 1) */
	uint32_t size;
	uint32_t oldest, next;
	xt_tracked_t *current; /* the one its NIC is sending */
} sender_t;

struct xt_tracker {
	const xt_image_t *image;
	xt_payload_t payload;
	unsigned pes, per_card, link_ports, packet_cells;
	sender_t *senders;
	bucket_t *buckets; /* [pe * BUCKETS] */
	uint32_t *buffers; /* [pe * packet_cells * words] */
	xt_record_slabs_t records;
	uint64_t count;
};

static xt_tracked_t **slot(const sender_t *sender, uint32_t sequence)
{
	return &sender->slots[sequence & (sender->size - 1)];
}

xt_tracker_t *xt_tracker_create(const xt_image_t *image)
{
	const xt_profile_t *profile = xt_image_profile(image);
	const unsigned pes = xt_image_pes(image);
	xt_tracker_t *tracker = calloc(1, sizeof(*tracker));
	int failed;

	if (!tracker) {
		return NULL;
	}
	tracker->image = image;
	tracker->pes = pes;
	tracker->per_card = pes / xt_image_cards(image);
	tracker->link_ports = profile->link_ports;
	tracker->packet_cells = profile->packet_cells;
	xt_payload_set_up(&tracker->payload, image);
	xt_record_slabs_open(&tracker->records,
		sizeof(xt_tracked_t) + tracker->payload.words * sizeof(((xt_tracked_t *)NULL)->head[0]));
	tracker->senders = calloc(pes, sizeof(*tracker->senders));
	tracker->buckets = calloc((size_t)pes * BUCKETS, sizeof(*tracker->buckets));
	tracker->buffers =
		calloc((size_t)pes * profile->packet_cells * tracker->payload.words, sizeof(*tracker->buffers));
	failed = !tracker->senders || !tracker->buckets || !tracker->buffers;
	for (unsigned pe = 0; !failed && pe < pes; pe++) {
		sender_t *sender = &tracker->senders[pe];

		sender->size = FIRST_SLOTS;
		sender->slots = calloc(sender->size, sizeof(*sender->slots));
		failed = !sender->slots;
	}
	if (failed) {
		xt_tracker_free(tracker);
		return NULL;
	}
	return tracker;
}

void xt_tracker_free(xt_tracker_t *tracker)
{
	if (!tracker) {
		return;
	}
	for (unsigned pe = 0; tracker->senders && pe < tracker->pes; pe++) {
		const sender_t *sender = &tracker->senders[pe];

		for (uint32_t s = sender->oldest; sender->slots && s != sender->next; s++) {
			free(*slot(sender, s) ? (*slot(sender, s))->gap : NULL);
		}
		free(sender->slots);
	}
	xt_record_slabs_close(&tracker->records);
	free(tracker->senders);
	free(tracker->buckets);
	free(tracker->buffers);
	free(tracker);
}

const xt_payload_t *xt_tracker_payload(const xt_tracker_t *tracker)
{
	return &tracker->payload;
}

uint64_t xt_tracker_count(const xt_tracker_t *tracker)
{
	return tracker->count;
}

static bucket_t *bucket_of(const xt_tracker_t *tracker, const xt_packet_t *packet)
{
	return &tracker->buckets[(size_t)packet->source * BUCKETS +
				 (packet->destination * XT_MAX_TCS + packet->tc) % BUCKETS];
}

static int same_flow(const xt_packet_t *a, const xt_packet_t *b)
{
	return a->destination == b->destination && a->tc == b->tc;
}

/* ---------------------------------------------------------------- sending */

/* Room for one more sequence number. */
static int widen(sender_t *sender)
{
	const uint32_t size = sender->size * 2;
	xt_tracked_t **slots;

	if (sender->next - sender->oldest < sender->size) {
		return XT_OK;
	}
	slots = calloc(size, sizeof(*slots));
	if (!slots) {
		return XT_ERR_NOMEM;
	}
	for (uint32_t s = sender->oldest; s != sender->next; s++) {
		slots[s & (size - 1)] = *slot(sender, s);
	}
	free(sender->slots);
	sender->slots = slots;
	sender->size = size;
	return XT_OK;
}

static uint32_t *buffer_of(const xt_tracker_t *tracker, const xt_packet_t *packet)
{
	return tracker->buffers + (size_t)packet->source * tracker->packet_cells * tracker->payload.words;
}

const uint32_t *xt_tracker_make(const xt_tracker_t *tracker, const xt_packet_t *packet)
{
	uint32_t *cells = buffer_of(tracker, packet);

	xt_payload_make(&tracker->payload, packet, cells);
	return cells;
}

const uint32_t *xt_tracker_make_head(const xt_tracker_t *tracker, const xt_packet_t *packet)
{
	uint32_t *cells = buffer_of(tracker, packet);

	xt_payload_make_head(&tracker->payload, packet, cells);
	return cells;
}

xt_tracked_t *xt_tracker_register(xt_tracker_t *tracker, const xt_packet_t *packet)
{
	sender_t *sender = &tracker->senders[packet->source];
	bucket_t *bucket = bucket_of(tracker, packet);
	xt_tracked_t *tracked = widen(sender) == XT_OK ? xt_record_slabs_take(&tracker->records) : NULL;

	if (!tracked) {
		return NULL;
	}
	*tracked = (xt_tracked_t){
		.public = {.packet = *packet,
			.card = packet->source / tracker->per_card,
			.port = tracker->link_ports + packet->source % tracker->per_card,
			.vc = XT_NO_VC},
		.address = xt_image_pe_address(tracker->image, packet->destination),
		.flow_previous = bucket->last,
	};
	*slot(sender, sender->next++) = tracked;
	if (bucket->last) {
		bucket->last->flow_next = tracked;
	} else {
		bucket->first = tracked;
	}
	bucket->last = tracked;
	sender->current = tracked;
	xt_payload_make_one(&tracker->payload, packet, 0, tracked->head);
	return tracked;
}

/* Room for one more gap: where there are 0, 1, 2, 4 .. of them it is used up. */
static int add_gap(xt_tracked_t *tracked, unsigned index, uint32_t after)
{
	const unsigned gaps = tracked->gaps;

	if ((gaps & (gaps - 1)) == 0) {
		xt_accepted_t *more = realloc(tracked->gap, (gaps ? 2 * gaps : 1) * sizeof(*more));

		if (!more) {
			return XT_ERR_NOMEM;
		}
		tracked->gap = more;
	}
	tracked->gap[tracked->gaps++] = (xt_accepted_t){after, (uint8_t)index};
	return XT_OK;
}

int xt_tracker_sent(xt_tracker_t *tracker, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_tracked_t *tracked = tracker->senders[pe].current;
	xt_accepted_t last = {0};
	uint32_t after;

	assert(tracked && index + count <= tracked->public.packet.cells);
	if (index == 0) {
		tracked->public.head_sent = tracked->public.since = cycle;
		tracker->count++;
	}
	tracked->public.sent = (uint16_t)(index + count);
	if (tracked->gaps) {
		last = tracked->gap[tracked->gaps - 1];
	}
	after = (uint32_t)(cycle - tracked->public.head_sent);
	return after - last.after == index - last.index ? XT_OK : add_gap(tracked, index, after);
}

/* ---------------------------------------------------------------- recognising */

static int may_be(const xt_tracked_t *tracked, int arriving)
{
	return tracked && tracked->public.sent && !(arriving && tracked->arriving);
}

xt_tracked_t *const *xt_tracker_place(const xt_tracker_t *tracker, const uint32_t *cell)
{
	const uint64_t name = xt_payload_name(&tracker->payload, cell);
	const uint32_t sequence = (uint32_t)name;
	const sender_t *sender;

	if (!xt_payload_name_all(&tracker->payload) || name >> 32 >= tracker->pes) {
		return NULL;
	}
	sender = &tracker->senders[name >> 32];
	return sequence - sender->oldest < sender->next - sender->oldest ? slot(sender, sequence) : NULL;
}

/* Of the packets of `source` whose sequence numbers agree with the name, and that have left their NIC: the next one of
 * the flow that the head tells, else one of that flow that others have overtaken (which the network has most likely
 * lost long ago), else any. */
static xt_tracked_t *search(const xt_tracker_t *tracker, unsigned source, const xt_head_t *head, int arriving)
{
	const sender_t *sender = &tracker->senders[source];
	const uint64_t step = UINT64_C(1) << tracker->payload.sequence_bits;
	xt_tracked_t *found = NULL;
	int found_flow = 0;

	for (uint64_t s = sender->oldest + ((head->name - sender->oldest) & (step - 1)); s < sender->next; s += step) {
		xt_tracked_t *tracked = *slot(sender, (uint32_t)s);
		int flow;

		if (!may_be(tracked, arriving)) {
			continue;
		}
		flow = tracked->address == head->destination && tracked->public.packet.tc == head->tc;
		if (flow && !tracked->overtaken) {
			return tracked;
		}
		if (!found || (flow && !found_flow)) {
			found = tracked;
			found_flow = flow;
		}
	}
	return found;
}

/* The packet of `source` whose head differs from `cell` in at most a few bits. */
static xt_tracked_t *resembling(const xt_tracker_t *tracker, unsigned source, const uint32_t *cell)
{
	enum { FEW = 4 };
	const sender_t *sender = &tracker->senders[source];

	for (uint32_t s = sender->oldest; s != sender->next; s++) {
		xt_tracked_t *tracked = *slot(sender, s);
		unsigned bits = 0;

		if (!may_be(tracked, 1)) {
			continue;
		}
		for (unsigned w = 0; w < tracker->payload.words; w++) {
			bits += (unsigned)__builtin_popcount(tracked->head[w] ^ cell[w]);
		}
		if (bits <= FEW) {
			return tracked;
		}
	}
	return NULL;
}

xt_tracked_t *xt_tracker_find(const xt_tracker_t *tracker, const xt_head_t *head, const uint32_t *cell, int arriving)
{
	const xt_payload_t *payload = &tracker->payload;
	const int wide = payload->header.tag_bits > payload->name_bits;
	int source = xt_image_address_pe(tracker->image, head->source);

	if (wide && xt_payload_name_intact(payload, cell)) {
		/* Names the source even where the header's field was damaged. */
		source = head->name >> 32 < tracker->pes ? (int)(head->name >> 32) : -1;
	} else if (wide) {
		return arriving && source >= 0 ? resembling(tracker, (unsigned)source, cell) : NULL;
	}
	return source >= 0 ? search(tracker, (unsigned)source, head, arriving) : NULL;
}

/* ---------------------------------------------------------------- delivery */

void xt_tracker_overtake(const xt_tracker_t *tracker, const xt_tracked_t *tracked)
{
	const xt_packet_t *packet = &tracked->public.packet;

	for (xt_tracked_t *f = bucket_of(tracker, packet)->first; f != tracked; f = f->flow_next) {
		if (same_flow(&f->public.packet, packet)) {
			f->overtaken = 1;
		}
	}
}

void xt_tracker_release(xt_tracker_t *tracker, xt_tracked_t *tracked)
{
	const xt_packet_t *packet = &tracked->public.packet;
	sender_t *sender = &tracker->senders[packet->source];
	bucket_t *bucket = bucket_of(tracker, packet);

	if (tracked->flow_previous) {
		tracked->flow_previous->flow_next = tracked->flow_next;
	} else {
		bucket->first = tracked->flow_next;
	}
	if (tracked->flow_next) {
		tracked->flow_next->flow_previous = tracked->flow_previous;
	} else {
		bucket->last = tracked->flow_previous;
	}
	*slot(sender, packet->sequence) = NULL;
	while (sender->oldest != sender->next && !*slot(sender, sender->oldest)) {
		sender->oldest++;
	}
	if (sender->current == tracked) {
		sender->current = NULL;
	}
	free(tracked->gap);
	xt_record_slabs_give_back(&tracker->records, tracked);
	tracker->count--;
}

void xt_tracker_each(
	const xt_tracker_t *tracker, void (*visit)(void *context, const xt_packet_state_t *tracked), void *context)
{
	for (unsigned pe = 0; pe < tracker->pes; pe++) {
		const sender_t *sender = &tracker->senders[pe];

		for (uint32_t s = sender->oldest; s != sender->next; s++) {
			const xt_tracked_t *tracked = *slot(sender, s);

			if (tracked && tracked->public.sent) {
				visit(context, &tracked->public);
			}
		}
	}
}

/* ---------------------------------------------------------------- checkpoints */

/* Of a source. */
typedef struct {
	uint32_t oldest, next, count;
	uint32_t current; /* its sequence number + 1; 0: none */
} saved_sender_t;

static int save_packet(const xt_tracker_t *tracker, const xt_tracked_t *tracked, xt_bytes_t *out)
{
	return xt_bytes_add(out, tracked, sizeof(*tracked)) &&
	       xt_bytes_add(out, tracked->head, tracker->payload.words * sizeof(*tracked->head)) &&
	       xt_bytes_add(out, tracked->gap, tracked->gaps * sizeof(*tracked->gap));
}

int xt_tracker_save(const xt_tracker_t *tracker, xt_bytes_t *out)
{
	int made = xt_bytes_add(out, &tracker->count, sizeof(tracker->count));

	for (unsigned pe = 0; pe < tracker->pes && made; pe++) {
		const sender_t *sender = &tracker->senders[pe];
		saved_sender_t saved = {sender->oldest, sender->next, 0,
			sender->current ? sender->current->public.packet.sequence + 1 : 0};

		for (uint32_t s = sender->oldest; s != sender->next; s++) {
			saved.count += *slot(sender, s) != NULL;
		}
		made = xt_bytes_add(out, &saved, sizeof(saved));
		for (uint32_t s = sender->oldest; s != sender->next && made; s++) {
			made = !*slot(sender, s) || save_packet(tracker, *slot(sender, s), out);
		}
	}
	return made;
}

static int load_gaps(xt_tracked_t *tracked, unsigned gaps, xt_bytes_reader_t *in)
{
	xt_accepted_t gap = {0};
	int made = 1;

	for (unsigned i = 0; i < gaps && made; i++) {
		made = xt_bytes_take(in, &gap, sizeof(gap)) && gap.index < tracked->public.packet.cells &&
		       add_gap(tracked, gap.index, gap.after) == XT_OK;
	}
	return made;
}

/* Registered again, in the order of sequence, a packet is where it was; what has become of it since is copied. */
static int load_packet(xt_tracker_t *tracker, uint32_t pe, xt_bytes_reader_t *in)
{
	sender_t *sender = &tracker->senders[pe];
	xt_tracked_t saved, *tracked;
	unsigned gaps;

	if (!xt_bytes_take(in, &saved, sizeof(saved)) || saved.public.packet.source != pe ||
		saved.public.packet.destination >= tracker->pes || saved.gaps >= tracker->packet_cells ||
		saved.public.packet.sequence - sender->next > INT32_MAX) {
		return 0;
	}
	while (sender->next != saved.public.packet.sequence) {
		if (widen(sender) != XT_OK) {
			return 0;
		}
		*slot(sender, sender->next++) = NULL;
	}
	tracked = xt_tracker_register(tracker, &saved.public.packet);
	if (!tracked) {
		return 0;
	}
	saved.entry = NULL;
	saved.flow_next = tracked->flow_next;
	saved.flow_previous = tracked->flow_previous;
	saved.gap = NULL;
	gaps = saved.gaps;
	saved.gaps = 0;
	*tracked = saved;
	return xt_bytes_take(in, tracked->head, tracker->payload.words * sizeof(*tracked->head)) &&
	       load_gaps(tracked, gaps, in);
}

int xt_tracker_load(xt_tracker_t *tracker, xt_bytes_reader_t *in,
	void (*loaded)(const void *context, xt_tracked_t *tracked), const void *context)
{
	int made = xt_bytes_take(in, &tracker->count, sizeof(tracker->count));

	for (uint32_t pe = 0; pe < tracker->pes && made; pe++) {
		sender_t *sender = &tracker->senders[pe];
		saved_sender_t saved = {0};

		made = xt_bytes_take(in, &saved, sizeof(saved));
		sender->oldest = sender->next = saved.oldest;
		for (uint32_t i = 0; i < saved.count && made; i++) {
			made = load_packet(tracker, pe, in);
			if (made) {
				loaded(context, *slot(sender, sender->next - 1));
			}
		}
		while (made && sender->next != saved.next) {
			made = widen(sender) == XT_OK;
			if (made) {
				*slot(sender, sender->next++) = NULL;
			}
		}
		sender->current = saved.current ? xt_tracker_packet(tracker, pe, saved.current - 1) : NULL;
	}
	return made;
}

xt_tracked_t *xt_tracker_packet(const xt_tracker_t *tracker, uint32_t source, uint32_t sequence)
{
	const sender_t *sender = &tracker->senders[source];

	return sequence - sender->oldest < sender->next - sender->oldest ? *slot(sender, sequence) : NULL;
}
