/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/scoreboard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "profiles.h"

/* A packet's flow hashes to one of these per source; the packets of a bucket are in order of sequence. */
enum { BUCKETS = 64 };

typedef struct flight {
	xt_flight_t public;
	struct flight *bucket_next, *bucket_previous;
	int overtaken; /* a later packet of the flow was delivered */
	int arriving;  /* the head has reached a PE */
	int livelocked;
	uint32_t sent_after[]; /* by cell: accepted so many cycles after the head */
} flight_t;

typedef struct {
	flight_t *first, *last;
} bucket_t;

/* A source's packets by sequence number; those from `oldest` to `next - 1` have a slot each, NULL once
 * delivered. */
typedef struct {
	flight_t **slots; /* sequence & (size - 1) */
	uint32_t size;
	uint32_t oldest, next;
	flight_t *current; /* the one its NIC is sending */
	uint32_t *cells;
	bucket_t buckets[BUCKETS];
} sender_t;

/* The packet that a PE is receiving. */
typedef struct {
	flight_t *flight; /* NULL: not recognised */
	uint32_t index;   /* of the next cell */
	int damaged;      /* the packet is already counted as corrupted */
	/* The first difference behind the head: counted when the packet ends without being poisoned. */
	char difference[256];
} receiver_t;

struct xt_scoreboard {
	const xt_image_t *image;
	const xt_profile_t *profile;
	xt_findings_t *findings;
	xt_delivery_t delivery;
	void *context;
	unsigned pes, cards;
	unsigned words;    /* of a cell */
	uint32_t top_mask; /* used bits of a cell's last word */
	xt_header_layout_t header;
	uint32_t *addresses; /* by PE */
	sender_t *senders;
	receiver_t *receivers;
	flight_t *spare; /* free records, by bucket_next */
	uint64_t in_flight;
	unsigned adaptive; /* bit per TC: the image has candidates for it */
	/* By VC of all VCs, and by TC: asked for every hop. */
	uint8_t vc_tc[XT_MAX_VCS], first_vc[XT_MAX_TCS];
	uint32_t adaptive_vcs;
	int (*killed)(void *context, unsigned card, unsigned port);
	void *killed_context;
	uint64_t poisoned, dropped;
};

static void put_bits(uint32_t *words, unsigned lsb, unsigned bits, uint64_t value)
{
	const uint64_t all = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	const unsigned at = lsb % 32;

	words += lsb / 32;
	*words = (*words & ~(uint32_t)(all << at)) | (uint32_t)(value << at & all << at);
	for (unsigned put = 32 - at; put < bits; put += 32) {
		words++;
		*words = (*words & ~(uint32_t)(all >> put)) | (uint32_t)((value & all) >> put);
	}
}

static uint64_t get_bits(const uint32_t *words, unsigned lsb, unsigned bits)
{
	const unsigned at = lsb % 32;
	uint64_t value;

	words += lsb / 32;
	value = *words >> at;
	for (unsigned got = 32 - at; got < bits; got += 32) {
		value |= (uint64_t) * ++words << got;
	}
	return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The tag holds 32 bits of the sequence number and above them 32 of the source, as far as it reaches;
 * what is left is payload. */
static unsigned sequence_bits(const xt_scoreboard_t *scoreboard)
{
	return least(scoreboard->header.tag_bits, 32);
}

/* What the noise of a packet's cells comes from. */
static uint64_t seed_of(const xt_packet_t *packet)
{
	return xt_mix64((uint64_t)packet->source << 32 | packet->sequence);
}

/* Words `w` and `w` + 1 of cell `index`; w is even. */
static inline uint64_t noise_of(uint64_t seed, unsigned index, unsigned w)
{
	return xt_mix64((seed + index) ^ (uint64_t)w << 56);
}

static inline void make_noise(const xt_scoreboard_t *scoreboard, uint64_t seed, unsigned index, uint32_t *cell)
{
	const unsigned words = scoreboard->words;
	unsigned w = 0;

	for (; w + 2 <= words; w += 2) {
		const uint64_t noise = noise_of(seed, index, w);

		cell[w] = (uint32_t)noise;
		cell[w + 1] = (uint32_t)(noise >> 32);
	}
	if (w < words) {
		cell[w] = (uint32_t)noise_of(seed, index, w);
	}
	cell[words - 1] &= scoreboard->top_mask;
}

/* Whether a cell is what make_noise makes. */
static inline int is_noise(const xt_scoreboard_t *scoreboard, uint64_t seed, unsigned index, const uint32_t *cell)
{
	const unsigned words = scoreboard->words;
	uint64_t wrong = 0;
	unsigned w = 0;

	for (; w + 2 < words; w += 2) {
		wrong |= noise_of(seed, index, w) ^ (cell[w] | (uint64_t)cell[w + 1] << 32);
	}
	if (w + 2 == words) {
		const uint64_t mask = (uint64_t)scoreboard->top_mask << 32 | UINT32_MAX;

		wrong |= (noise_of(seed, index, w) & mask) ^ (cell[w] | (uint64_t)cell[w + 1] << 32);
	} else {
		wrong |= ((uint32_t)noise_of(seed, index, w) & scoreboard->top_mask) ^ cell[w];
	}
	return !wrong;
}

/* Every bit of every cell is known from the packet's name and the cell's index. */
static void make_cell(
	const xt_scoreboard_t *scoreboard, const xt_packet_t *packet, uint64_t seed, unsigned index, uint32_t *cell)
{
	make_noise(scoreboard, seed, index, cell);
	if (index == 0) {
		const xt_header_layout_t *h = &scoreboard->header;

		put_bits(cell, h->dest_lsb, h->dest_bits, scoreboard->addresses[packet->destination]);
		put_bits(cell, h->src_lsb, h->src_bits, scoreboard->addresses[packet->source]);
		put_bits(cell, h->len_lsb, h->len_bits, packet->cells - 1u);
		put_bits(cell, h->tc_lsb, h->tc_bits, packet->tc);
		put_bits(cell, h->tag_lsb, least(h->tag_bits, 64), (uint64_t)packet->source << 32 | packet->sequence);
	}
}

static bucket_t *bucket_of(sender_t *sender, const xt_packet_t *packet)
{
	return &sender->buckets[(packet->destination * XT_MAX_TCS + packet->tc) % BUCKETS];
}

static int same_flow(const xt_packet_t *a, const xt_packet_t *b)
{
	return a->destination == b->destination && a->tc == b->tc;
}

static unsigned tc_of(const xt_profile_t *profile, unsigned vc)
{
	unsigned tc = 0;

	while (tc + 1 < profile->tcs && vc >= xt_profile_first_vc(profile, tc + 1)) {
		tc++;
	}
	return tc;
}

static int is_adaptive_vc(const xt_profile_t *profile, unsigned tc, unsigned vc)
{
	return vc - xt_profile_first_vc(profile, tc) >= xt_profile_deterministic_vcs(profile, tc);
}

/* Bit per TC that has adaptive VCs and, somewhere in the image, candidates for them. */
static unsigned adaptive_tcs(const xt_image_t *image)
{
	const xt_profile_t *profile = xt_image_profile(image);
	uint64_t used = 0;
	unsigned tcs = 0;

	for (unsigned card = 0; card < xt_image_cards(image); card++) {
		const uint64_t *grt = xt_image_grt(image, card), *lrt = xt_image_lrt(image, card);

		for (unsigned i = 0; i < 1u << profile->grt_bits; i++) {
			used |= grt[i];
		}
		for (unsigned i = 0; i < 1u << profile->lrt_bits; i++) {
			used |= lrt[i];
		}
	}
	for (unsigned tc = 0; tc < profile->tcs; tc++) {
		if (xt_entry_route(used, tc).adaptive_mask &&
			xt_profile_tc_vcs(profile, tc) > xt_profile_deterministic_vcs(profile, tc)) {
			tcs |= 1u << tc;
		}
	}
	return tcs;
}

static int none_killed(void *context, unsigned card, unsigned port)
{
	(void)context;
	(void)card;
	(void)port;
	return 0;
}

int xt_scoreboard_create(const xt_image_t *image, xt_findings_t *findings, xt_delivery_t delivery, void *context,
	xt_scoreboard_t **out, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_image_profile(image);
	unsigned pes = xt_image_pes(image);
	xt_scoreboard_t *scoreboard = calloc(1, sizeof(*scoreboard));
	int failed = !scoreboard;

	*out = NULL;
	if (scoreboard) {
		scoreboard->image = image;
		scoreboard->profile = profile;
		scoreboard->findings = findings;
		scoreboard->delivery = delivery;
		scoreboard->context = context;
		scoreboard->pes = pes;
		scoreboard->cards = xt_image_cards(image);
		scoreboard->words = (profile->cell_bits + 31) / 32;
		scoreboard->top_mask =
			profile->cell_bits % 32 ? (UINT32_C(1) << profile->cell_bits % 32) - 1 : UINT32_MAX;
		scoreboard->header = xt_profile_header(profile);
		scoreboard->adaptive = adaptive_tcs(image);
		for (unsigned vc = 0; vc < xt_profile_vcs(profile); vc++) {
			const unsigned tc = tc_of(profile, vc);

			scoreboard->vc_tc[vc] = (uint8_t)tc;
			scoreboard->first_vc[tc] = (uint8_t)xt_profile_first_vc(profile, tc);
			scoreboard->adaptive_vcs |= (uint32_t)is_adaptive_vc(profile, tc, vc) << vc;
		}
		scoreboard->killed = none_killed;
		scoreboard->addresses = calloc(pes, sizeof(*scoreboard->addresses));
		scoreboard->senders = calloc(pes, sizeof(*scoreboard->senders));
		scoreboard->receivers = calloc(pes, sizeof(*scoreboard->receivers));
		failed = !scoreboard->addresses || !scoreboard->senders || !scoreboard->receivers;
	}
	for (unsigned pe = 0; !failed && pe < pes; pe++) {
		sender_t *sender = &scoreboard->senders[pe];

		scoreboard->addresses[pe] = xt_image_pe_address(image, pe);
		sender->size = 16;
		sender->slots = calloc(sender->size, sizeof(*sender->slots));
		sender->cells = calloc((size_t)profile->packet_cells * scoreboard->words, sizeof(*sender->cells));
		failed = !sender->slots || !sender->cells;
	}
	if (failed) {
		xt_scoreboard_free(scoreboard);
		return xt_fail(diag, XT_ERR_NOMEM, "scoreboard: out of memory for %u PEs", pes);
	}
	*out = scoreboard;
	return XT_OK;
}

void xt_scoreboard_set_killed(
	xt_scoreboard_t *scoreboard, int (*killed)(void *context, unsigned card, unsigned port), void *context)
{
	scoreboard->killed = killed ? killed : none_killed;
	scoreboard->killed_context = context;
}

static int any_killed(const xt_scoreboard_t *scoreboard)
{
	for (unsigned card = 0; card < scoreboard->cards; card++) {
		for (unsigned port = 0; port < scoreboard->profile->link_ports; port++) {
			if (scoreboard->killed(scoreboard->killed_context, card, port)) {
				return 1;
			}
		}
	}
	return 0;
}

void xt_scoreboard_free(xt_scoreboard_t *scoreboard)
{
	if (!scoreboard) {
		return;
	}
	for (unsigned pe = 0; scoreboard->senders && pe < scoreboard->pes; pe++) {
		sender_t *sender = &scoreboard->senders[pe];

		for (uint32_t i = 0; sender->slots && i < sender->size; i++) {
			free(sender->slots[i]);
		}
		free(sender->slots);
		free(sender->cells);
	}
	while (scoreboard->spare) {
		flight_t *next = scoreboard->spare->bucket_next;

		free(scoreboard->spare);
		scoreboard->spare = next;
	}
	free(scoreboard->addresses);
	free(scoreboard->senders);
	free(scoreboard->receivers);
	free(scoreboard);
}

static flight_t **slot(const sender_t *sender, uint32_t sequence)
{
	return &sender->slots[sequence & (sender->size - 1)];
}

/* Room for one more sequence number. */
static int widen(sender_t *sender)
{
	const uint32_t size = sender->size * 2;
	flight_t **slots;

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

static flight_t *new_flight(xt_scoreboard_t *scoreboard)
{
	flight_t *flight = scoreboard->spare;

	if (flight) {
		scoreboard->spare = flight->bucket_next;
	} else {
		flight = malloc(sizeof(*flight) + scoreboard->profile->packet_cells * sizeof(flight->sent_after[0]));
	}
	if (flight) {
		memset(flight, 0, sizeof(*flight));
	}
	return flight;
}

const uint32_t *xt_scoreboard_send(xt_scoreboard_t *scoreboard, const xt_packet_t *packet)
{
	sender_t *sender = &scoreboard->senders[packet->source];
	bucket_t *bucket = bucket_of(sender, packet);
	unsigned per_card = scoreboard->pes / scoreboard->cards;
	const uint64_t seed = seed_of(packet);
	flight_t *flight = new_flight(scoreboard);

	if (!flight || widen(sender)) {
		free(flight);
		return NULL;
	}
	flight->public.packet = *packet;
	flight->public.card = packet->source / per_card;
	flight->public.port = scoreboard->profile->link_ports + packet->source % per_card;
	flight->public.vc = XT_NO_VC;
	*slot(sender, sender->next++) = flight;
	flight->bucket_previous = bucket->last;
	if (bucket->last) {
		bucket->last->bucket_next = flight;
	} else {
		bucket->first = flight;
	}
	bucket->last = flight;
	sender->current = flight;
	for (unsigned i = 0; i < packet->cells; i++) {
		make_cell(scoreboard, packet, seed, i, sender->cells + (size_t)i * scoreboard->words);
	}
	return sender->cells;
}

void xt_scoreboard_sent(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	flight_t *flight = scoreboard->senders[pe].current;

	if (index == 0) {
		flight->public.head_sent = cycle;
		flight->public.since = cycle;
		scoreboard->in_flight++;
	}
	for (unsigned i = 0; i < count; i++) {
		flight->sent_after[index + i] = (uint32_t)(cycle - flight->public.head_sent) + i;
	}
	flight->public.sent = index + count;
}

static void release(xt_scoreboard_t *scoreboard, flight_t *flight)
{
	sender_t *sender = &scoreboard->senders[flight->public.packet.source];
	bucket_t *bucket = bucket_of(sender, &flight->public.packet);

	if (flight->bucket_previous) {
		flight->bucket_previous->bucket_next = flight->bucket_next;
	} else {
		bucket->first = flight->bucket_next;
	}
	if (flight->bucket_next) {
		flight->bucket_next->bucket_previous = flight->bucket_previous;
	} else {
		bucket->last = flight->bucket_previous;
	}
	*slot(sender, flight->public.packet.sequence) = NULL;
	while (sender->oldest != sender->next && !*slot(sender, sender->oldest)) {
		sender->oldest++;
	}
	if (sender->current == flight) {
		sender->current = NULL;
	}
	flight->bucket_next = scoreboard->spare;
	scoreboard->spare = flight;
	scoreboard->in_flight--;
}

/* The packet of `source` that a head with this sequence field and flow is, or NULL. Of those whose low
 * bits agree and that have left their NIC: the next one of the flow that the header names, else one of
 * that flow that others have overtaken (which the network has most likely lost long ago), else any. */
static flight_t *recognise(
	const xt_scoreboard_t *scoreboard, unsigned source, uint64_t field, uint32_t address, unsigned tc, int arriving)
{
	const sender_t *sender = &scoreboard->senders[source];
	uint64_t step = UINT64_C(1) << sequence_bits(scoreboard);
	flight_t *found = NULL;
	int found_flow = 0;

	for (uint64_t s = sender->oldest + ((field - sender->oldest) & (step - 1)); s < sender->next; s += step) {
		flight_t *flight = *slot(sender, (uint32_t)s);
		int flow;

		if (!flight || !flight->public.sent || (arriving && flight->arriving)) {
			continue;
		}
		flow = scoreboard->addresses[flight->public.packet.destination] == address &&
		       flight->public.packet.tc == tc;

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

/* A wide tag carries noise above the packet's name, made from the name: whether the name is intact. */
static int tag_intact(const xt_scoreboard_t *scoreboard, const uint32_t *cell, uint64_t tag)
{
	const xt_header_layout_t *h = &scoreboard->header;
	const xt_packet_t named = {.source = (uint32_t)(tag >> 32), .sequence = (uint32_t)tag};
	unsigned extra = least(h->tag_bits - 64, 64);
	uint32_t noise[XT_MAX_CELL_BITS / 32];

	make_noise(scoreboard, seed_of(&named), 0, noise);
	return get_bits(noise, h->tag_lsb + 64, extra) == get_bits(cell, h->tag_lsb + 64, extra);
}

static unsigned distance(const xt_scoreboard_t *scoreboard, const xt_packet_t *packet, const uint32_t *cell)
{
	uint32_t expected[XT_MAX_CELL_BITS / 32];
	unsigned bits = 0;

	make_cell(scoreboard, packet, seed_of(packet), 0, expected);
	for (unsigned w = 0; w < scoreboard->words; w++) {
		bits += (unsigned)__builtin_popcount(expected[w] ^ cell[w]);
	}
	return bits;
}

/* The packet of `source` whose head differs from `cell` in at most a few bits. */
static flight_t *resembling(const xt_scoreboard_t *scoreboard, unsigned source, const uint32_t *cell)
{
	enum { FEW = 4 };
	const sender_t *sender = &scoreboard->senders[source];

	for (uint32_t s = sender->oldest; s != sender->next; s++) {
		flight_t *flight = *slot(sender, s);

		if (flight && flight->public.sent && !flight->arriving &&
			distance(scoreboard, &flight->public.packet, cell) <= FEW) {
			return flight;
		}
	}
	return NULL;
}

static flight_t *recognise_head(const xt_scoreboard_t *scoreboard, const uint32_t *cell, int arriving)
{
	const xt_header_layout_t *h = &scoreboard->header;
	uint64_t tag = get_bits(cell, h->tag_lsb, least(h->tag_bits, 64));
	uint32_t address = (uint32_t)get_bits(cell, h->dest_lsb, h->dest_bits);
	unsigned tc = (unsigned)get_bits(cell, h->tc_lsb, h->tc_bits);
	int source;

	if (h->tag_bits > 64 && tag_intact(scoreboard, cell, tag)) {
		/* Names the source even where the header's field was damaged. */
		source = tag >> 32 < scoreboard->pes ? (int)(tag >> 32) : -1;
	} else {
		source = xt_image_address_pe(scoreboard->image, (uint32_t)get_bits(cell, h->src_lsb, h->src_bits));
		if (h->tag_bits > 64) {
			return arriving && source >= 0 ? resembling(scoreboard, (unsigned)source, cell) : NULL;
		}
	}
	if (source < 0) {
		return NULL;
	}
	return recognise(scoreboard, (unsigned)source, tag & ((UINT64_C(1) << sequence_bits(scoreboard)) - 1), address,
		tc, arriving);
}

/* "packet 5.123 (PE 5 to PE 9, TC 1, 12 cells)" */
typedef struct {
	char text[96];
} name_t;

static name_t name_of(const xt_packet_t *packet)
{
	name_t name;

	snprintf(name.text, sizeof(name.text),
		"packet %" PRIu32 ".%" PRIu32 " (PE %" PRIu32 " to PE %" PRIu32 ", TC %u, %u cell%s)", packet->source,
		packet->sequence, packet->source, packet->destination, packet->tc, packet->cells,
		packet->cells == 1 ? "" : "s");
	return name;
}

/* Not in flight: delivered before, or never sent. */
static void report_unknown(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cell)
{
	const xt_header_layout_t *h = &scoreboard->header;
	uint32_t address = (uint32_t)get_bits(cell, h->src_lsb, h->src_bits);
	int source = xt_image_address_pe(scoreboard->image, address);
	unsigned tc = (unsigned)get_bits(cell, h->tc_lsb, h->tc_bits);
	uint32_t field = (uint32_t)get_bits(cell, h->tag_lsb, sequence_bits(scoreboard));

	if (source >= 0) {
		xt_findings_add(scoreboard->findings, XT_FINDING_DUPLICATED,
			"PE %u received at cycle %" PRIu64 " a packet of PE %d, TC %u, with sequence field %" PRIu32
			", which is not in flight: it was delivered before, or its header is damaged",
			pe, cycle, source, tc, field);
	} else {
		xt_findings_add(scoreboard->findings, XT_FINDING_DUPLICATED,
			"PE %u received at cycle %" PRIu64 " a packet from address %" PRIu32 ", which no PE has", pe,
			cycle, address);
	}
}

static void begin(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cell)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	flight_t *flight = recognise_head(scoreboard, cell, 1);

	receiver->flight = flight;
	receiver->damaged = 0;
	receiver->difference[0] = '\0';
	if (!flight) {
		report_unknown(scoreboard, pe, cycle, cell);
		return;
	}
	flight->arriving = 1;
	if (flight->public.packet.destination != pe) {
		xt_findings_add(scoreboard->findings, XT_FINDING_MISROUTED, "%s came out at PE %u at cycle %" PRIu64,
			name_of(&flight->public.packet).text, pe, cycle);
	}
}

/* Cell `index` is not what was sent. */
static void note_difference(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, uint32_t index,
	const uint32_t *expected, const uint32_t *cell)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	unsigned w = 0;

	if (receiver->damaged || receiver->difference[0]) {
		return;
	}
	while (expected[w] == cell[w]) {
		w++;
	}
	snprintf(receiver->difference, sizeof(receiver->difference),
		"%s: cell %" PRIu32 " bit %u is wrong (bits %u..%u: sent %08" PRIx32 ", received %08" PRIx32
		") at PE %u at cycle %" PRIu64,
		name_of(&receiver->flight->public.packet).text, index,
		w * 32 + (unsigned)__builtin_ctz(expected[w] ^ cell[w]), w * 32, w * 32 + 31, expected[w], cell[w], pe,
		cycle);
	if (index == 0) {
		receiver->damaged = 1;
		xt_findings_add(scoreboard->findings, XT_FINDING_CORRUPTED, "%s", receiver->difference);
	}
}

/* A head is always whole; behind it a poisoned packet ends with cells that nobody sent. */
static void compare(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count)
{
	const receiver_t *receiver = &scoreboard->receivers[pe];
	const xt_packet_t *packet = &receiver->flight->public.packet;
	const uint64_t seed = seed_of(packet);
	const unsigned words = scoreboard->words;
	uint32_t expected[XT_MAX_CELL_BITS / 32];

	for (unsigned i = 0; i < count; i++, cells += words) {
		const uint32_t index = receiver->index + i;

		if (index && is_noise(scoreboard, seed, index, cells)) {
			continue;
		}
		make_cell(scoreboard, packet, seed, index, expected);
		if (memcmp(expected, cells, words * sizeof(*cells)) != 0) {
			note_difference(scoreboard, pe, cycle + i, index, expected, cells);
		}
	}
}

/* Earlier packets of the flow that are still under way have been overtaken. */
static void check_order(xt_scoreboard_t *scoreboard, flight_t *flight, uint64_t cycle)
{
	sender_t *sender = &scoreboard->senders[flight->public.packet.source];

	for (flight_t *f = bucket_of(sender, &flight->public.packet)->first; f != flight; f = f->bucket_next) {
		if (same_flow(&f->public.packet, &flight->public.packet)) {
			f->overtaken = 1;
		}
	}
	if (flight->overtaken && !(scoreboard->adaptive >> flight->public.packet.tc & 1)) {
		xt_findings_add(scoreboard->findings, XT_FINDING_REORDERED,
			"%s came out at cycle %" PRIu64 " after a later packet of its flow",
			name_of(&flight->public.packet).text, cycle);
	}
}

static void end(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, int poisoned)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	flight_t *flight = receiver->flight;
	const xt_packet_t *packet = &flight->public.packet;

	if (receiver->index != packet->cells && !receiver->damaged && !receiver->difference[0]) {
		snprintf(receiver->difference, sizeof(receiver->difference),
			"%s: %" PRIu32 " cells came out at PE %u, the last at cycle %" PRIu64, name_of(packet).text,
			receiver->index, pe, cycle);
		poisoned = 0; /* its length is made up too */
	}
	if (poisoned) {
		scoreboard->poisoned++;
		if (!any_killed(scoreboard)) {
			xt_findings_add(scoreboard->findings, XT_FINDING_POISONED,
				"%s came out incomplete at PE %u at cycle %" PRIu64 ", and no link was killed",
				name_of(packet).text, pe, cycle);
		}
	} else if (receiver->difference[0] && !receiver->damaged) {
		xt_findings_add(scoreboard->findings, XT_FINDING_CORRUPTED, "%s", receiver->difference);
	}
	receiver->index = 0;
	receiver->flight = NULL;
	check_order(scoreboard, flight, cycle);
	release(scoreboard, flight);
}

/* `count` cells of the packet, from `index` on, came out in the cycles from `cycle` on: told in runs of cells that were
 * sent without a gap. */
static void tell_delivery(
	xt_scoreboard_t *scoreboard, const flight_t *flight, unsigned index, uint64_t cycle, unsigned count, int last)
{
	const uint32_t *after = &flight->sent_after[index];
	unsigned run;

	for (unsigned done = 0; done < count; done += run) {
		run = 1;
		while (done + run < count && after[done + run] == after[done] + run) {
			run++;
		}
		scoreboard->delivery(scoreboard->context, &flight->public.packet, flight->public.head_sent,
			flight->public.head_sent + after[done], cycle + done, run, last && done + run == count);
	}
}

void xt_scoreboard_received(xt_scoreboard_t *scoreboard, unsigned pe, uint64_t cycle, const uint32_t *cells,
	unsigned count, int last, int poisoned)
{
	receiver_t *receiver = &scoreboard->receivers[pe];
	const flight_t *flight;
	unsigned index = receiver->index;

	if (index == 0) {
		begin(scoreboard, pe, cycle, cells);
	}
	flight = receiver->flight;
	if (!flight) {
		receiver->index = last ? 0 : index + count;
		return;
	}
	if (index < flight->public.packet.cells) {
		const unsigned known = least(count, flight->public.packet.cells - index);
		const unsigned sent = index < flight->public.sent ? least(known, flight->public.sent - index) : 0;
		/* The last cell of an incomplete packet is nobody's. */
		const unsigned delivered = last && poisoned && sent == count ? sent - 1 : sent;

		compare(scoreboard, pe, cycle, cells, known);
		tell_delivery(scoreboard, flight, index, cycle, delivered, last && delivered == count);
	}
	receiver->index += count;
	if (last) {
		end(scoreboard, pe, cycle + count - 1, poisoned);
	}
}

/* "port d0+ VC 0, or an adaptive VC of d0+ d1-" */
typedef struct {
	char text[128];
} ways_t;

static ways_t ways_of(const xt_scoreboard_t *scoreboard, unsigned card, const xt_route_t *route, int adaptive)
{
	ways_t ways = {"no route"};
	size_t used;

	if (!route->valid) {
		return ways;
	}
	used = (size_t)snprintf(ways.text, sizeof(ways.text), "port %s VC %u",
		xt_image_port_name(scoreboard->image, card, route->port), route->vc);
	for (unsigned port = 0; adaptive && port < scoreboard->profile->link_ports; port++) {
		if (route->adaptive_mask >> port & 1 && used < sizeof(ways.text)) {
			used += (size_t)snprintf(ways.text + used, sizeof(ways.text) - used, "%s %s",
				strstr(ways.text, "adaptive") ? "" : ", or an adaptive VC of",
				xt_image_port_name(scoreboard->image, card, port));
		}
	}
	return ways;
}

void xt_scoreboard_route(
	xt_scoreboard_t *scoreboard, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	const xt_header_layout_t *h = &scoreboard->header;
	/* What the card went by: the destination it was told, and the TC of the VC, which no card changes. */
	uint32_t address = (uint32_t)get_bits(cell, h->dest_lsb, h->dest_bits);
	unsigned tc = scoreboard->vc_tc[vc];
	const xt_route_t route = xt_image_lookup(scoreboard->image, card, tc, address);
	const flight_t *flight;
	int chosen;

	if (route.valid && route.port == port && scoreboard->first_vc[tc] + route.vc == vc) {
		return;
	}
	flight = recognise_head(scoreboard, cell, 0);
	chosen = route.valid && (scoreboard->adaptive_vcs >> vc & 1) && (route.adaptive_mask >> port & 1);
	if (chosen && (!flight || !flight->public.escaped)) {
		return;
	}
	xt_findings_add(scoreboard->findings, XT_FINDING_OFF_ROUTE,
		"%s left card %u by port %s VC %u at cycle %" PRIu64 "%s; for address %" PRIu32
		" in TC %u the image has %s",
		flight ? name_of(&flight->public.packet).text : "an unknown packet", card,
		xt_image_port_name(scoreboard->image, card, port), vc - scoreboard->first_vc[tc], cycle,
		chosen ? ", although it had escaped to a deterministic VC before" : "", address, tc,
		ways_of(scoreboard, card, &route, (scoreboard->adaptive_vcs >> vc & 1) && !chosen).text);
}

void xt_scoreboard_hop(
	xt_scoreboard_t *scoreboard, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	flight_t *flight = recognise_head(scoreboard, cell, 0);

	/* A damaged header is told when it comes out. */
	if (!flight) {
		return;
	}
	flight->public.card = card;
	flight->public.port = port;
	flight->public.vc = vc;
	flight->public.since = cycle;
	flight->public.escaped |= !(scoreboard->adaptive_vcs >> vc & 1);
	if (++flight->public.hops > scoreboard->cards && !flight->livelocked) {
		flight->livelocked = 1;
		xt_findings_add(scoreboard->findings, XT_FINDING_LIVELOCK,
			"%s made %" PRIu32
			" hops in a network of %u cards, the last to card %u port %s at cycle %" PRIu64,
			name_of(&flight->public.packet).text, flight->public.hops, scoreboard->cards, card,
			xt_image_port_name(scoreboard->image, card, port), cycle);
	}
}

uint64_t xt_scoreboard_in_flight(const xt_scoreboard_t *scoreboard)
{
	return scoreboard->in_flight;
}

void xt_scoreboard_each(
	const xt_scoreboard_t *scoreboard, void (*visit)(void *context, const xt_flight_t *flight), void *context)
{
	for (unsigned pe = 0; pe < scoreboard->pes; pe++) {
		const sender_t *sender = &scoreboard->senders[pe];

		for (uint32_t s = sender->oldest; s != sender->next; s++) {
			const flight_t *flight = *slot(sender, s);

			if (flight && flight->public.sent) {
				visit(context, &flight->public);
			}
		}
	}
}

static int is_killed(const xt_scoreboard_t *scoreboard, unsigned card, unsigned port)
{
	return port < scoreboard->profile->link_ports && scoreboard->killed(scoreboard->killed_context, card, port);
}

/* The head was last seen on its way over a killed link, or into a card that had to send it by one. */
static int ran_into_killed(const xt_scoreboard_t *scoreboard, const xt_flight_t *flight)
{
	const xt_packet_t *packet = &flight->packet;
	xt_route_t route = xt_image_lookup(
		scoreboard->image, flight->card, packet->tc, scoreboard->addresses[packet->destination]);
	int found = is_killed(scoreboard, flight->card, flight->port);

	if (!route.valid) {
		return found;
	}
	found = found || is_killed(scoreboard, flight->card, route.port);
	for (unsigned port = 0; port < scoreboard->profile->link_ports && !flight->escaped; port++) {
		found = found || ((scoreboard->adaptive >> packet->tc & 1) && (route.adaptive_mask >> port & 1) &&
					 is_killed(scoreboard, flight->card, port));
	}
	return found;
}

static void report_lost(void *context, const xt_flight_t *flight)
{
	xt_scoreboard_t *scoreboard = context;

	if (ran_into_killed(scoreboard, flight)) {
		scoreboard->dropped++;
		return;
	}
	xt_findings_add(scoreboard->findings, XT_FINDING_LOST,
		"%s, sent at cycle %" PRIu64 ", never came out; its head was last seen on its way into card %" PRIu32
		" port %s at cycle %" PRIu64,
		name_of(&flight->packet).text, flight->head_sent, flight->card,
		xt_image_port_name(scoreboard->image, flight->card, flight->port), flight->since);
}

uint64_t xt_scoreboard_poisoned(const xt_scoreboard_t *scoreboard)
{
	return scoreboard->poisoned;
}

uint64_t xt_scoreboard_dropped(const xt_scoreboard_t *scoreboard)
{
	return scoreboard->dropped;
}

void xt_scoreboard_close(xt_scoreboard_t *scoreboard)
{
	scoreboard->dropped = 0;
	xt_scoreboard_each(scoreboard, report_lost, scoreboard);
}
