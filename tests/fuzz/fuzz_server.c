/* SPDX-License-Identifier: Apache-2.0
 *
 * `extorus serve` before a host that knows the protocol and breaks it. The input's bytes choose what the host does
 * next, and a short input is the seed of a long script. Every request gets one answer, as the specification has it:
 * this file keeps its own account of sequence numbers, statuses, lengths and positions. An honest host gets every
 * packet once, at its destination, in order. */
#include "extorus/profiles.h"
#include "extorus/routing.h"

#include "server_account.h"

static xt_frame_t frame_of(host_t *h, unsigned kind, unsigned card)
{
	return (xt_frame_t){.kind = (uint8_t)kind, .sequence = h->expected, .card = (uint8_t)card};
}

static void sync(host_t *h, uint16_t number)
{
	const uint32_t version = XT_FRAME_VERSION;

	ask(h, &(xt_frame_t){.kind = XT_FRAME_SYNC, .sequence = number, .words = 1, .payload = &version});
}

static void write_register(host_t *h, unsigned card, unsigned address, uint32_t value)
{
	xt_frame_t f = frame_of(h, XT_FRAME_WRITE, card);

	f.argument = (uint16_t)address;
	f.words = 1;
	f.payload = &value;
	ask(h, &f);
}

/* A packet with the number of its flow as the tag. */
static void inject(host_t *h, unsigned from, unsigned to)
{
	const unsigned cells = 1 + next(h) % CELLS;
	xt_frame_t f = frame_of(h, XT_FRAME_INJECT, from);
	uint32_t words[CELLS] = {
		h->address[to] | h->address[from] << 8 | (cells - 1) << 16 | (h->put[from][to] & 0x1fffu) << 19,
		next(h), 0x0000ffff, 0xffffffff};

	if (from != to) {
		f.words = cells;
		f.payload = words;
		h->put[from][to] = (uint16_t)(h->put[from][to] + (ask(h, &f) == XT_FRAME_STATUS_OK));
	}
}

/* Acknowledges something between what is acknowledged and what was sent, be it a packet's position or not. */
static void acknowledge_wrongly(host_t *h, unsigned card)
{
	const port_t *p = &h->port[card];
	const uint16_t waiting = (uint16_t)(p->sent - p->acknowledged);
	xt_frame_t f = frame_of(h, XT_FRAME_RECEIVE, card);
	const unsigned how = next(h);
	const uint32_t word = (uint16_t)(p->sent + 64 * next(h)) | (how & 1 ? (uint32_t)XT_FRAME_REWIND : 0);

	f.argument = (uint16_t)(p->acknowledged + how * 37u % (waiting + 2u));
	f.words = 1;
	f.payload = &word;
	ask(h, &f);
}

static void receive(host_t *h, unsigned card, int rewind)
{
	const port_t *p = &h->port[card];
	xt_frame_t f = frame_of(h, XT_FRAME_RECEIVE, card);
	const uint32_t word =
		(uint16_t)(p->sent + 64 * (next(h) + !h->left)) | (rewind ? (uint32_t)XT_FRAME_REWIND : 0);

	f.argument = rewind ? p->acknowledged : p->sent;
	f.words = 1;
	f.payload = &word;
	ask(h, &f);
}

/* More packets for a destination than its queues take; then as many as may be are asked for at once. */
static void pile_up(host_t *h, unsigned to)
{
	const port_t *p = &h->port[to];
	const uint32_t word = (uint16_t)(p->sent + 0x4000);
	xt_frame_t f;

	for (unsigned i = 0; i < 4500; i++) {
		inject(h, (to + 1 + i % (CARDS - 1)) % CARDS, to);
		if (i % 64 == 0) {
			step(h, 3);
		}
	}
	f = frame_of(h, XT_FRAME_RECEIVE, to);
	f.argument = p->sent;
	f.words = 1;
	f.payload = &word;
	ask(h, &f);
	step(h, 1);
}

/* A request with anything in it, and maybe a sequence number of its own. */
static void ask_anything(host_t *h)
{
	static const uint16_t places[] = {0, 0x18, 0x1c, 0x20, REG_TABLE_PORTS, 0x44, REG_QUIESCE, 0x80, 0x90, 0x94,
		0x98, 0x1000, 0x1070, GRT, GRT + 4, LRT, LRT + 8, 0xc000, 0xfffc, 0xffff};
	static const uint16_t lengths[] = {0, 1, 1, 1, 2, 3, 4, 5, 8, 64, 255, 256, 257, 1024};
	uint32_t words[XT_FRAME_MAX_WORDS] = {0};
	const unsigned what = next(h), shape = next(h);
	xt_frame_t f = frame_of(h, what & 0x80 ? next(h) & 0x3f : XT_FRAME_READ + what % 6, shape & 7);

	f.unit = (uint8_t)(shape & 8 ? next(h) : 0);
	f.argument = shape & 16 ? (uint16_t)(next(h) << 8 | next(h)) : places[next(h) % (sizeof(places) / 2)];
	f.words = f.kind == XT_FRAME_READ && !(shape & 32) ? 0 : lengths[next(h) % (sizeof(lengths) / 2)];
	for (unsigned i = 0; i < f.words && i < 8; i++) {
		words[i] = next_word(h);
	}
	f.payload = words;
	if (shape & 64) {
		f.sequence = (uint16_t)(f.sequence - next(h));
	} else if (f.kind == XT_FRAME_RECEIVE) {
		/* Near what is true. */
		f.argument = (uint16_t)(h->port[shape & 3].acknowledged + next(h) % 64);
		words[0] = (words[0] & 0x10000) | (uint16_t)(f.argument + 0x4000);
	}
	ask(h, &f);
}

/* Bytes that are no frame, or half of one; the next FLAG mends it. */
static void send_garbage(host_t *h)
{
	uint8_t bytes[260];
	size_t count = next(h);

	for (size_t i = 0; i < count; i++) {
		bytes[i] = (uint8_t)next(h);
	}
	/* No frame by chance: what is short is dropped without a word. */
	for (size_t i = 11; i < count; i += 11) {
		bytes[i] = XT_FRAME_FLAG;
	}
	bytes[count++] = XT_FRAME_FLAG;
	xt_server_feed(h->server, bytes, count);
	drain(h);
}

static void restart(host_t *h)
{
	drain(h);
	xt_server_restart(h->server);
	rewind_all(h);
	sync(h, (uint16_t)(next(h) << 8 | next(h)));
}

static void act(host_t *h)
{
	const unsigned action = next(h), card = action >> 4 & 3, other = action >> 6;

	switch (action & 15) {
	case 0:
	case 1:
	case 2:
	case 3:
		inject(h, card, other);
		break;
	case 4:
	case 5:
		receive(h, card, 0);
		break;
	case 6:
		if (other) {
			acknowledge_wrongly(h, card);
		} else {
			receive(h, card, 1);
		}
		break;
	case 7:
	case 8:
		step(h, other);
		break;
	case 9:
		write_register(h, card, REG_QUIESCE, other ? 0 : next(h) & 0x1f);
		break;
	case 10:
		restart(h);
		break;
	case 11:
		send_garbage(h);
		break;
	case 12:
		if (other == 0 && next(h) < 8) {
			pile_up(h, card);
		}
		ask(h, &(xt_frame_t){.kind = XT_FRAME_INFO, .sequence = (uint16_t)next(h)});
		break;
	default:
		if (h->honest) {
			xt_frame_t f = frame_of(h, other & 1 ? XT_FRAME_STREAM : XT_FRAME_READ, card);

			f.unit = f.kind == XT_FRAME_READ ? 255 : 0;
			f.argument = f.kind == XT_FRAME_READ ? LRT - 4 * 128 : 0;
			ask(h, &f);
		} else {
			ask_anything(h);
		}
	}
}

/* All that an honest host has sent comes. */
static void finish(host_t *h)
{
	h->left = 0;
	for (unsigned card = 0; card < CARDS; card++) {
		write_register(h, card, REG_QUIESCE, 0);
	}
	for (unsigned i = 0; i < 10000 && h->received < h->accepted; i++) {
		for (unsigned card = 0; card < CARDS; card++) {
			receive(h, card, 0);
		}
		step(h, 8);
	}
	FUZZ_ASSERT(h->received == h->accepted);
}

static void open_server(host_t *h)
{
	const xt_route_options_t options = XT_OPTIONS_INIT(xt_route_options_t);
	const xt_profile_t *profile = xt_profile_find("mini");
	xt_topology_t *topology;
	xt_image_t *image;
	xt_diag_t diag = {""};

	setenv("EXTORUS_PLUGIN_DIR", "build/plugins", 0);
	FUZZ_ASSERT(xt_topology_parse("torus:2x2", profile, &topology, &diag) == XT_OK);
	FUZZ_ASSERT(xt_route(topology, &options, &image, &diag) == XT_OK);
	if (xt_device_open("model:torus:2x2;profile=mini", &h->device, &diag) != XT_OK) {
		fprintf(stderr, "%s\n", diag.text);
		abort();
	}
	FUZZ_ASSERT(xt_device_load(h->device, image, 0, NULL, NULL, &diag) == XT_OK);
	FUZZ_ASSERT(xt_server_create(h->device, NULL, &h->server, &diag) == XT_OK);
	for (unsigned card = 0; card < CARDS; card++) {
		h->address[card] = xt_image_pe_address(image, card);
	}
	xt_image_free(image);
	xt_topology_free(topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	host_t *h = calloc(1, sizeof(*h));

	FUZZ_ASSERT(h);
	if (size) {
		h->honest = data[0] & 1;
		h->script = data + 1;
		h->left = size - 1;
	}
	if (size && size <= SEED_BYTES) {
		h->random = 0x9e3779b97f4a7c15;
		for (size_t i = 0; i < size; i++) {
			h->random = (h->random ^ data[i]) * 0xbf58476d1ce4e5b9;
		}
		h->random |= 1;
		h->left = size == SEED_BYTES ? SEED_STEPS * 512 : SEED_STEPS * 8;
	}
	xt_frame_decoder_begin(&h->decoder, XT_FRAME_MAX_WORDS);
	open_server(h);
	ask(h, &(xt_frame_t){.kind = XT_FRAME_STREAM}); /* before SYNC */
	sync(h, 7);
	while (h->left) {
		act(h);
	}
	if (h->honest) {
		finish(h);
	}
	xt_server_free(h->server);
	xt_device_close(h->device);
	free(h);
	return 0;
}
