/* SPDX-License-Identifier: Apache-2.0 */
#include "packet_tracker.h"

#include <stdlib.h>

enum {
	BUCKETS = 16, /* a flow hashes to one of these of its source */
	FIRST_SLOTS = 16,
	RECORD_ALIGN = 64, /* every hop asks for the first part of a record: in as few cache lines as possible */
	SLAB_RECORDS = 64, /* allocated at a time */
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

/* Records, which follow at the next multiple of RECORD_ALIGN. */
typedef struct slab {
	struct slab *next;
} slab_t;

struct xt_flights {
	const xt_image_t *image;
	xt_cells_t cells;
	unsigned pes, per_card, link_ports, packet_cells;
	sender_t *senders;
	bucket_t *buckets;   /* [pe * BUCKETS] */
	uint32_t *buffers;   /* [pe * packet_cells * words] */
	xt_tracked_t *spare; /* free records, by flow_next */
	slab_t *slabs;
	uint64_t count;
};

xt_flights_t *xt_flights_create(const xt_image_t *image)
{
	const xt_profile_t *profile = xt_image_profile(image);
	const unsigned pes = xt_image_pes(image);
	xt_flights_t *flights = calloc(1, sizeof(*flights));
	int failed;

	if (!flights) {
		return NULL;
	}
	flights->image = image;
	flights->pes = pes;
	flights->per_card = pes / xt_image_cards(image);
	flights->link_ports = profile->link_ports;
	flights->packet_cells = profile->packet_cells;
	xt_cells_set_up(&flights->cells, image);
	flights->senders = calloc(pes, sizeof(*flights->senders));
	flights->buckets = calloc((size_t)pes * BUCKETS, sizeof(*flights->buckets));
	flights->buffers =
		calloc((size_t)pes * profile->packet_cells * flights->cells.words, sizeof(*flights->buffers));
	failed = !flights->senders || !flights->buckets || !flights->buffers;
	for (unsigned pe = 0; !failed && pe < pes; pe++) {
		sender_t *sender = &flights->senders[pe];

		sender->size = FIRST_SLOTS;
		sender->slots = calloc(sender->size, sizeof(*sender->slots));
		failed = !sender->slots;
	}
	if (failed) {
		xt_flights_free(flights);
		return NULL;
	}
	return flights;
}

void xt_flights_free(xt_flights_t *flights)
{
	if (!flights) {
		return;
	}
	for (unsigned pe = 0; flights->senders && pe < flights->pes; pe++) {
		free(flights->senders[pe].slots);
	}
	while (flights->slabs) {
		slab_t *next = flights->slabs->next;

		free(flights->slabs);
		flights->slabs = next;
	}
	free(flights->senders);
	free(flights->buckets);
	free(flights->buffers);
	free(flights);
}

const xt_cells_t *xt_flights_cells(const xt_flights_t *flights)
{
	return &flights->cells;
}

uint64_t xt_flights_count(const xt_flights_t *flights)
{
	return flights->count;
}

static bucket_t *bucket_of(const xt_flights_t *flights, const xt_packet_t *packet)
{
	return &flights->buckets[(size_t)packet->source * BUCKETS +
				 (packet->destination * XT_MAX_TCS + packet->tc) % BUCKETS];
}

static int same_flow(const xt_packet_t *a, const xt_packet_t *b)
{
	return a->destination == b->destination && a->tc == b->tc;
}

static xt_tracked_t **slot(const sender_t *sender, uint32_t sequence)
{
	return &sender->slots[sequence & (sender->size - 1)];
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

static size_t aligned(size_t size)
{
	return (size + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
}

static void spare(xt_flights_t *flights, xt_tracked_t *flight)
{
	flight->flow_next = flights->spare;
	flights->spare = flight;
}

static xt_tracked_t *new_record(xt_flights_t *flights)
{
	xt_tracked_t *flight = flights->spare;

	if (!flight) {
		const size_t size =
			aligned(sizeof(*flight) + flights->cells.words * sizeof(flight->head[0]) +
				flights->packet_cells * (sizeof(*flight->run_after) + sizeof(*flight->run_first)));
		slab_t *slab = aligned_alloc(RECORD_ALIGN, aligned(sizeof(*slab)) + SLAB_RECORDS * size);

		if (!slab) {
			return NULL;
		}
		slab->next = flights->slabs;
		flights->slabs = slab;
		for (unsigned i = 0; i < SLAB_RECORDS; i++) {
			spare(flights, (xt_tracked_t *)((char *)slab + aligned(sizeof(*slab)) + i * size));
		}
		flight = flights->spare;
	}
	flights->spare = flight->flow_next;
	return flight;
}

const uint32_t *xt_flights_make(const xt_flights_t *flights, const xt_packet_t *packet)
{
	uint32_t *cells = flights->buffers + (size_t)packet->source * flights->packet_cells * flights->cells.words;

	xt_cells_make(&flights->cells, packet, cells);
	return cells;
}

xt_tracked_t *xt_flights_register(xt_flights_t *flights, const xt_packet_t *packet)
{
	sender_t *sender = &flights->senders[packet->source];
	bucket_t *bucket = bucket_of(flights, packet);
	xt_tracked_t *flight = widen(sender) == XT_OK ? new_record(flights) : NULL;

	if (!flight) {
		return NULL;
	}
	*flight = (xt_tracked_t){
		.public = {.packet = *packet,
			.card = packet->source / flights->per_card,
			.port = flights->link_ports + packet->source % flights->per_card,
			.vc = XT_NO_VC},
		.address = xt_image_pe_address(flights->image, packet->destination),
		.flow_previous = bucket->last,
		.run_after = flight->head + flights->cells.words,
		.run_first = (uint8_t *)(flight->head + flights->cells.words + flights->packet_cells),
	};
	*slot(sender, sender->next++) = flight;
	if (bucket->last) {
		bucket->last->flow_next = flight;
	} else {
		bucket->first = flight;
	}
	bucket->last = flight;
	sender->current = flight;
	xt_cells_make_one(&flights->cells, packet, 0, flight->head);
	return flight;
}

/* Whether a cell continues a run. */
static int follows(const xt_tracked_t *flight, unsigned run, unsigned index, uint32_t after)
{
	return after - flight->run_after[run] == index - flight->run_first[run];
}

void xt_flights_sent(xt_flights_t *flights, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	xt_tracked_t *flight = flights->senders[pe].current;
	uint32_t after;

	if (index == 0) {
		flight->public.head_sent = flight->public.since = cycle;
		flights->count++;
	}
	after = (uint32_t)(cycle - flight->public.head_sent);
	if (!flight->runs || !follows(flight, flight->runs - 1, index, after)) {
		flight->run_first[flight->runs] = (uint8_t)index;
		flight->run_after[flight->runs++] = after;
	}
	flight->public.sent = index + count;
}

/* ---------------------------------------------------------------- recognising */

static int may_be(const xt_tracked_t *flight, int arriving)
{
	return flight && flight->public.sent && !(arriving && flight->arriving);
}

xt_tracked_t *const *xt_flights_place(const xt_flights_t *flights, const uint32_t *cell)
{
	const uint64_t name = xt_cells_name(&flights->cells, cell);
	const uint32_t sequence = (uint32_t)name;
	const sender_t *sender;

	if (!xt_cells_name_all(&flights->cells) || name >> 32 >= flights->pes) {
		return NULL;
	}
	sender = &flights->senders[name >> 32];
	return sequence - sender->oldest < sender->next - sender->oldest ? slot(sender, sequence) : NULL;
}

/* Of the packets of `source` whose sequence numbers agree with the name, and that have left their NIC: the next one of
 * the flow that the head tells, else one of that flow that others have overtaken (which the network has most likely
 * lost long ago), else any. */
static xt_tracked_t *search(const xt_flights_t *flights, unsigned source, const xt_head_t *head, int arriving)
{
	const sender_t *sender = &flights->senders[source];
	const uint64_t step = UINT64_C(1) << flights->cells.sequence_bits;
	xt_tracked_t *found = NULL;
	int found_flow = 0;

	for (uint64_t s = sender->oldest + ((head->name - sender->oldest) & (step - 1)); s < sender->next; s += step) {
		xt_tracked_t *flight = *slot(sender, (uint32_t)s);
		int flow;

		if (!may_be(flight, arriving)) {
			continue;
		}
		flow = flight->address == head->destination && flight->public.packet.tc == head->tc;
		if (flow && !flight->overtaken) {
			return flight;
		}
		if (!found || (flow && !found_flow)) {
			found = flight;
			found_flow = flow;
		}
	}
	return found;
}

/* The packet of `source` whose head differs from `cell` in at most a few bits. */
static xt_tracked_t *resembling(const xt_flights_t *flights, unsigned source, const uint32_t *cell)
{
	enum { FEW = 4 };
	const sender_t *sender = &flights->senders[source];

	for (uint32_t s = sender->oldest; s != sender->next; s++) {
		xt_tracked_t *flight = *slot(sender, s);
		unsigned bits = 0;

		if (!may_be(flight, 1)) {
			continue;
		}
		for (unsigned w = 0; w < flights->cells.words; w++) {
			bits += (unsigned)__builtin_popcount(flight->head[w] ^ cell[w]);
		}
		if (bits <= FEW) {
			return flight;
		}
	}
	return NULL;
}

xt_tracked_t *xt_flights_find(const xt_flights_t *flights, const xt_head_t *head, const uint32_t *cell, int arriving)
{
	const xt_cells_t *cells = &flights->cells;
	const int wide = cells->header.tag_bits > cells->name_bits;
	int source = xt_image_address_pe(flights->image, head->source);

	if (wide && xt_cells_name_intact(cells, cell)) {
		/* Names the source even where the header's field was damaged. */
		source = head->name >> 32 < flights->pes ? (int)(head->name >> 32) : -1;
	} else if (wide) {
		return arriving && source >= 0 ? resembling(flights, (unsigned)source, cell) : NULL;
	}
	return source >= 0 ? search(flights, (unsigned)source, head, arriving) : NULL;
}

/* ---------------------------------------------------------------- delivery */

void xt_flights_overtake(const xt_flights_t *flights, const xt_tracked_t *flight)
{
	const xt_packet_t *packet = &flight->public.packet;

	for (xt_tracked_t *f = bucket_of(flights, packet)->first; f != flight; f = f->flow_next) {
		if (same_flow(&f->public.packet, packet)) {
			f->overtaken = 1;
		}
	}
}

void xt_flights_release(xt_flights_t *flights, xt_tracked_t *flight)
{
	const xt_packet_t *packet = &flight->public.packet;
	sender_t *sender = &flights->senders[packet->source];
	bucket_t *bucket = bucket_of(flights, packet);

	if (flight->flow_previous) {
		flight->flow_previous->flow_next = flight->flow_next;
	} else {
		bucket->first = flight->flow_next;
	}
	if (flight->flow_next) {
		flight->flow_next->flow_previous = flight->flow_previous;
	} else {
		bucket->last = flight->flow_previous;
	}
	*slot(sender, packet->sequence) = NULL;
	while (sender->oldest != sender->next && !*slot(sender, sender->oldest)) {
		sender->oldest++;
	}
	if (sender->current == flight) {
		sender->current = NULL;
	}
	spare(flights, flight);
	flights->count--;
}

void xt_flights_each(
	const xt_flights_t *flights, void (*visit)(void *context, const xt_flight_t *flight), void *context)
{
	for (unsigned pe = 0; pe < flights->pes; pe++) {
		const sender_t *sender = &flights->senders[pe];

		for (uint32_t s = sender->oldest; s != sender->next; s++) {
			const xt_tracked_t *flight = *slot(sender, s);

			if (flight && flight->public.sent) {
				visit(context, &flight->public);
			}
		}
	}
}
