/* SPDX-License-Identifier: Apache-2.0
 *
 * The PEs of a case: their packets, and the record of the calls. */
#include "equivalence.h"
#include "extorus/profiles.h"
#include "extorus/random.h"

static void put_bits(uint32_t *words, unsigned lsb, unsigned bits, uint32_t value)
{
	for (unsigned b = 0; b < bits; b++) {
		uint32_t mask = UINT32_C(1) << (lsb + b) % 32;

		words[(lsb + b) / 32] = (words[(lsb + b) / 32] & ~mask) | (value >> b & 1 ? mask : 0);
	}
}

static uint32_t get_bits(const uint32_t *words, unsigned lsb, unsigned bits)
{
	uint32_t value = 0;

	for (unsigned b = 0; b < bits; b++) {
		value |= (words[(lsb + b) / 32] >> (lsb + b) % 32 & 1) << b;
	}
	return value;
}

/* In cycle `cycle`, which may be over or still to come: a simulator may tell of several cells at once. */
static void happen(run_t *run, uint64_t cycle, uint64_t kind, uint64_t a, uint64_t b, const uint32_t *cell)
{
	uint64_t mix = xt_mix64(kind ^ a << 8 ^ b << 40);

	for (unsigned w = 0; cell && w < run->words; w++) {
		mix = xt_mix64(mix ^ cell[w]);
	}
	if (cycle < run->c->cycles) {
		run->record->events[cycle + 1] += mix;
	}
}

static uint32_t *cells_of(const run_t *run, unsigned pe)
{
	return run->cells + (size_t)pe * xt_device_profile(run->device)->packet_cells * run->words;
}

/* Whether a head can tell the other cells. */
static int names_packets(const run_t *run)
{
	return run->header.tag_bits >= 48;
}

static void fill(const run_t *run, const xt_packet_t *packet, unsigned first, unsigned end, uint32_t *words)
{
	const xt_profile_t *profile = xt_device_profile(run->device);

	for (unsigned w = first; w < end; w++) {
		words[w] = (uint32_t)xt_mix64((uint64_t)packet->source << 48 ^ (uint64_t)packet->sequence << 16 ^ w);
		if (profile->cell_bits % 32 && w % run->words == run->words - 1) {
			words[w] &= (UINT32_C(1) << profile->cell_bits % 32) - 1;
		}
	}
}

/* The first cells of a packet. */
static const uint32_t *make(const run_t *run, const xt_packet_t *packet, unsigned cells, uint32_t *words)
{
	fill(run, packet, 0, cells * run->words, words);
	put_bits(words, run->header.dest_lsb, run->header.dest_bits,
		xt_image_pe_address(run->c->image, packet->destination));
	put_bits(words, run->header.len_lsb, run->header.len_bits, packet->cells - 1u);
	put_bits(words, run->header.tc_lsb, run->header.tc_bits, packet->tc);
	if (names_packets(run)) {
		put_bits(words, run->header.tag_lsb, 32, packet->sequence);
		put_bits(words, run->header.tag_lsb + 32, 16, packet->source);
	}
	return words;
}

static int on_remake(void *context, uint32_t *words, unsigned cells)
{
	const run_t *run = context;
	xt_packet_t packet = {0};

	if (!names_packets(run)) {
		return 0;
	}
	packet.sequence = get_bits(words, run->header.tag_lsb, 32);
	packet.source = get_bits(words, run->header.tag_lsb + 32, 16);
	fill(run, &packet, run->words, cells * run->words, words);
	return 1;
}

static const uint32_t *on_make(void *context, unsigned pe, uint64_t cycle, xt_packet_t *packet, unsigned *cells)
{
	const run_t *run = context;

	xt_source_take(run->source, pe, packet);
	*cells = packet->cells;
	packet->message = (uint32_t)cycle;
	return make(run, packet, packet->cells, cells_of(run, pe));
}

/* The PE may have got on since: the cell is made again. */
static void on_begin(void *context, const xt_packet_t *packet)
{
	uint32_t words[XT_MAX_CELL_BITS / 32];

	happen(context, packet->message, 1, packet->source, packet->message, make(context, packet, 1, words));
}

static const uint32_t *on_fetch(void *context, unsigned pe, uint64_t cycle, unsigned *cells)
{
	xt_packet_t packet;
	const uint32_t *words = on_make(context, pe, cycle, &packet, cells);

	on_begin(context, &packet);
	return words;
}

static uint64_t on_until(void *context)
{
	const run_t *run = context;

	return run->looks;
}

static void on_sent(void *context, unsigned pe, uint64_t cycle, unsigned index, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		happen(context, cycle + i, 2, pe, (cycle + i) << 8 | (index + i), NULL);
	}
}

static void on_received(
	void *context, unsigned pe, uint64_t cycle, const uint32_t *cells, unsigned count, int last, int poisoned)
{
	run_t *run = context;

	for (unsigned i = 0; i < count; i++) {
		const int ends = last && i + 1 == count;

		happen(run, cycle + i, (uint64_t)(3 + ends * 2 + (ends && poisoned) * 4), pe, cycle + i,
			cells + (size_t)i * run->words);
	}
}

static void on_hop(void *context, unsigned card, unsigned port, unsigned vc, uint64_t cycle, const uint32_t *cell)
{
	happen(context, cycle, 16 + port, card, cycle << 8 | vc, cell);
}

void pe_calls_set(xt_client_t *client)
{
	client->fetch = on_fetch;
	client->make = on_make;
	client->begin = on_begin;
	client->remake = on_remake;
	client->until = on_until;
	client->sent = on_sent;
	client->received = on_received;
	client->hop = on_hop;
}
