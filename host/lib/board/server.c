/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/server.h"
#include "base/options_take.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device/load.h"
#include "device/simulated_nic.h"
#include "extorus/board.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "frame.h"
#include "server_peers.h"
#include "server_port.h"

enum {
	QUEUE_WORDS = XT_SERVER_QUEUE_WORDS, /* each way at each NIC port */
	REQUEST_WORDS = 256,
	STEP_CYCLES = 512,
	DRAIN_STEPS = 64,      /* of a reset; a network that stands still does not drain */
	OUTPUT_MOST = 1 << 16, /* bytes that wait for the host, until packets wait too */
	STANDING_STEPS = 64,   /* without a move, until the network counts as standing still */
};

struct xt_server {
	xt_device_t *device;
	xt_simulated_nic_t *nic;
	xt_frame_info_t info;
	xt_frame_decoder_t decoder;
	int synced;
	uint16_t expected, event;
	uint8_t statuses[XT_FRAME_MAX_WINDOW]; /* by sequence number */
	xt_server_port_t *ports;
	uint64_t *base;  /* by PE: words that had gone to the NIC port at the last reset */
	int failed;      /* the network can't go on */
	unsigned still;  /* steps since a cell moved */
	uint32_t *words; /* of a packet or an answer */
	uint8_t *output;
	size_t room, first, end;
};

void xt_server_free(xt_server_t *s)
{
	if (s) {
		free(s->ports);
		free(s->base);
		free(s->words);
		free(s->output);
		free(s);
	}
}

static xt_frame_info_t describe(const xt_device_t *device, const xt_server_options_t *options)
{
	xt_frame_info_t info = {
		.version = options->claims_version ? options->version : XT_FRAME_VERSION,
		.least_version = options->claims_version ? options->version : XT_FRAME_LEAST_VERSION,
		.cards = device->cards,
		.nics = device->profile->nic_ports,
		.window = options->window ? options->window : XT_FRAME_MAX_WINDOW,
		.profile_hash = options->claims_profile_hash ? options->profile_hash : xt_profile_hash(device->profile),
		.request_words = options->request_words ? options->request_words : REQUEST_WORDS,
		.read_words = XT_FRAME_MAX_READ,
		.inject_words = QUEUE_WORDS,
		.receive_words = QUEUE_WORDS,
		.serial = options->serial,
	};

	if (info.request_words < xt_device_packet_words(device)) {
		info.request_words = xt_device_packet_words(device);
	}
	strncpy(info.profile, device->profile->name, XT_FRAME_NAME_BYTES);
	return info;
}

int xt_server_create(xt_device_t *device, const xt_server_options_t *given, xt_server_t **out, xt_diag_t *diag)
{
	xt_server_options_t options;
	xt_server_t *s;
	int status = xt_options_take(given, &options, sizeof(options), "serve", diag);

	*out = NULL;
	if (status != XT_OK) {
		return status;
	}
	if (device->cards > UINT8_MAX) {
		return xt_fail(diag, XT_ERR_RANGE, "serve: %u cards are more than the %d that one bridge can have",
			device->cards, UINT8_MAX);
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		return xt_fail(diag, XT_ERR_NOMEM, "serve: out of memory");
	}
	s->device = device;
	s->info = describe(device, &options);
	s->ports = calloc((size_t)s->info.cards * s->info.nics, sizeof(*s->ports));
	s->base = calloc((size_t)s->info.cards * s->info.nics, sizeof(*s->base));
	s->words = calloc(XT_FRAME_MAX_WORDS, sizeof(*s->words));
	status = s->ports && s->base && s->words ? xt_simulated_nic_of(device, &s->nic, diag)
						 : xt_fail(diag, XT_ERR_NOMEM, "serve: out of memory");
	if (status) {
		xt_server_free(s);
		return status;
	}
	xt_frame_decoder_begin(&s->decoder, s->info.request_words);
	*out = s;
	return XT_OK;
}

/* Without memory the frame is lost, as on a bad cable: the host asks again. */
static void put(xt_server_t *s, const xt_frame_t *frame)
{
	size_t most = xt_frame_encoded_bytes(frame->words);

	if (s->first == s->end) {
		s->first = s->end = 0;
	}
	if (s->end + most > s->room) {
		size_t room = 2 * (s->end + most);
		uint8_t *more = realloc(s->output, room);

		if (!more) {
			return;
		}
		s->output = more;
		s->room = room;
	}
	s->end += xt_frame_encode(frame, s->output + s->end);
}

static xt_server_port_t *port_of(xt_server_t *s, unsigned card, unsigned unit)
{
	return &s->ports[card * s->info.nics + unit];
}

static unsigned pe_of(const xt_server_t *s, const xt_frame_t *f)
{
	return f->card * s->info.nics + f->unit;
}

/* Words that have left the queue to a NIC port, as positions count them. */
static uint16_t taken(xt_server_t *s, const xt_frame_t *f)
{
	return (uint16_t)(xt_simulated_nic_sent(s->nic, pe_of(s, f)) - s->base[pe_of(s, f)]);
}

static void make_info(xt_server_t *s, xt_frame_t *answer)
{
	xt_frame_info_pack(&s->info, s->words);
	answer->argument = (uint16_t)s->decoder.dropped;
	answer->words = XT_FRAME_INFO_WORDS;
}

static void sync(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	if (f->words != 1) {
		answer->status = XT_FRAME_STATUS_LENGTH;
	} else if (f->payload[0] < s->info.least_version || f->payload[0] > s->info.version) {
		answer->status = XT_FRAME_STATUS_VERSION;
	} else {
		s->synced = 1;
		s->expected = (uint16_t)(f->sequence + 1);
		memset(s->statuses, 0, sizeof(s->statuses));
		for (unsigned i = 0; i < s->info.cards * s->info.nics; i++) {
			xt_server_port_rewind(&s->ports[i]);
		}
	}
}

/* Registers one by one, so that the one that is refused is known. */
static void do_read(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	unsigned count = f->unit + 1u;
	xt_diag_t diag;

	if (f->words || count > s->info.read_words) {
		answer->status = XT_FRAME_STATUS_LENGTH;
		return;
	}
	if (xt_server_read_peers(s->device, f, s->words) ||
		xt_device_read(s->device, f->card, f->argument, s->words, count, &diag) == XT_OK) {
		answer->words = count;
		return;
	}
	answer->status = XT_FRAME_STATUS_BUS;
	for (unsigned i = 0; i < count; i++) {
		uint32_t address = f->argument + 4 * i;

		if (xt_device_read(s->device, f->card, address, s->words, 1, &diag) != XT_OK) {
			answer->argument = (uint16_t)address;
			return;
		}
	}
}

static void do_write(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	xt_diag_t diag;

	if (!f->words) {
		answer->status = XT_FRAME_STATUS_LENGTH;
		return;
	}
	if (f->argument < xt_register_address(XT_REG_GRT, 0, 0)) {
		xt_simulated_nic_wake(s->nic);
	}
	for (unsigned i = 0; i < f->words; i++) {
		uint32_t address = f->argument + 4 * i;

		if (xt_device_write(s->device, f->card, address, &f->payload[i], 1, &diag) != XT_OK) {
			answer->status = XT_FRAME_STATUS_BUS;
			answer->argument = (uint16_t)address;
			return;
		}
	}
}

static void do_inject(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	unsigned pe = pe_of(s, f);

	if (!f->words || f->words % xt_device_cell_words(s->device) || f->words > xt_device_packet_words(s->device)) {
		answer->status = XT_FRAME_STATUS_LENGTH;
	} else if (s->failed || xt_simulated_nic_queued(s->nic, pe) + f->words + 1 > s->info.inject_words ||
		   xt_simulated_nic_put(s->nic, pe, f->payload, f->words, NULL) != XT_OK) {
		answer->status = XT_FRAME_STATUS_BUSY;
	}
	answer->argument = taken(s, f);
}

static void do_receive(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	xt_server_port_t *port = port_of(s, f->card, f->unit);

	if (f->words != 1) {
		answer->status = XT_FRAME_STATUS_LENGTH;
		return;
	}
	xt_server_port_receive(port, f->argument, f->payload[0]);
	answer->argument = port->acknowledged;
}

static void do_stream(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	xt_server_port_t *port = port_of(s, f->card, f->unit);
	xt_frame_stream_t stream = {
		.taken = taken(s, f),
		.free = (uint16_t)(s->info.inject_words - xt_simulated_nic_queued(s->nic, pe_of(s, f))),
		.acknowledged = port->acknowledged,
		.written = port->written,
	};

	if (f->words) {
		answer->status = XT_FRAME_STATUS_LENGTH;
		return;
	}
	xt_frame_stream_pack(&stream, s->words);
	answer->words = XT_FRAME_STREAM_WORDS;
}

/* Registers of which a card has them all, or none, that are 0 after a reset. */
static int clear_registers(xt_server_t *s, unsigned card)
{
	static const struct {
		xt_register_id_t id;
		uint32_t feature;
	} cleared[] = {{XT_REG_CARD_ID, 0}, {XT_REG_ROUTE_ORDER, 0}, {XT_REG_QUIESCE, 0}, {XT_REG_OWNER, 0},
		{XT_REG_LOAD, 0}, {XT_REG_LINK_DISABLE, XT_FEATURE_LINK_LAYER},
		{XT_REG_LINK_KEEPALIVE, XT_FEATURE_LINK_LAYER}, {XT_REG_LATENCY_CONTROL, XT_FEATURE_LATENCY}};
	const uint32_t zero = 0, features = xt_profile_features(s->device->profile);
	int status = XT_OK;

	for (unsigned i = 0; i < sizeof(cleared) / sizeof(cleared[0]) && status == XT_OK; i++) {
		if ((cleared[i].feature & ~features) == 0) {
			status = xt_device_write(
				s->device, card, xt_register_address(cleared[i].id, 0, 0), &zero, 1, NULL);
		}
	}
	return status;
}

static int empty_tables(xt_server_t *s, unsigned card)
{
	const xt_profile_t *profile = s->device->profile;
	const uint32_t zero[2] = {0, 0}, ones = UINT32_MAX, all = (1u << xt_profile_ports(profile)) - 1;
	int status = xt_device_write(s->device, card, xt_register_address(XT_REG_TABLE_PORTS, 0, 0), &all, 1, NULL);

	for (unsigned i = 0; i < 1u << profile->grt_bits && status == XT_OK; i++) {
		status = xt_device_write(s->device, card, xt_register_address(XT_REG_GRT, 0, i), zero, 2, NULL);
	}
	for (unsigned i = 0; i < 1u << profile->lrt_bits && status == XT_OK; i++) {
		status = xt_device_write(s->device, card, xt_register_address(XT_REG_LRT, 0, i), zero, 2, NULL);
	}
	for (unsigned tc = 0; tc < profile->tcs && status == XT_OK; tc++) {
		status =
			xt_device_write(s->device, card, xt_register_address(XT_REG_MATCH_MASK, 0, tc), &ones, 1, NULL);
	}
	return status == XT_OK ? clear_registers(s, card) : status;
}

static void empty_queues(xt_server_t *s, unsigned first, unsigned end)
{
	for (unsigned pe = first * s->info.nics; pe < end * s->info.nics; pe++) {
		xt_simulated_nic_clear(s->nic, pe);
		xt_server_port_reset(&s->ports[pe]);
		s->base[pe] = xt_simulated_nic_sent(s->nic, pe);
	}
}

/* A simulator cannot reset a card: its tables and what routes are as after a reset, and its queues are empty. Without a
 * link layer all cards are reset together, so packets under way come out first, and are dropped. */
static void do_reset(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	const int together = s->device->profile->replay_cells == 0;
	const unsigned first = together ? 0 : f->card, end = together ? s->info.cards : f->card + 1u;
	int status = XT_OK, moved;

	for (unsigned card = first; card < end && status == XT_OK; card++) {
		status = empty_tables(s, card);
	}
	empty_queues(s, first, end);
	xt_simulated_nic_wake(s->nic);
	for (unsigned i = 0; i < DRAIN_STEPS && together && status == XT_OK && !xt_simulated_nic_idle(s->nic); i++) {
		status = xt_simulated_nic_go_on(s->nic, STEP_CYCLES, &moved, NULL);
		empty_queues(s, first, end);
	}
	if (status != XT_OK) {
		answer->status = XT_FRAME_STATUS_BUS;
	}
}

/* Which of the errors that all requests share, in the order of the specification. */
static unsigned refusal(const xt_server_t *s, const xt_frame_t *f)
{
	int of_port = f->kind == XT_FRAME_INJECT || f->kind == XT_FRAME_RECEIVE || f->kind == XT_FRAME_STREAM;

	if (f->kind < XT_FRAME_READ || f->kind > XT_FRAME_RESET) {
		return XT_FRAME_STATUS_KIND;
	}
	if (f->card >= s->info.cards) {
		return XT_FRAME_STATUS_CARD;
	}
	return of_port && f->unit >= s->info.nics ? XT_FRAME_STATUS_UNIT : XT_FRAME_STATUS_OK;
}

static void carry_out(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	answer->status = (uint8_t)refusal(s, f);
	if (answer->status) {
		return;
	}
	switch (f->kind) {
	case XT_FRAME_READ:
		do_read(s, f, answer);
		break;
	case XT_FRAME_WRITE:
		do_write(s, f, answer);
		break;
	case XT_FRAME_INJECT:
		do_inject(s, f, answer);
		break;
	case XT_FRAME_RECEIVE:
		do_receive(s, f, answer);
		break;
	case XT_FRAME_STREAM:
		do_stream(s, f, answer);
		break;
	default:
		do_reset(s, f, answer);
	}
}

/* A request that was carried out before. */
static void repeat(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	if (f->kind == XT_FRAME_READ || f->kind == XT_FRAME_STREAM) {
		carry_out(s, f, answer);
	} else {
		answer->status = s->statuses[f->sequence % s->info.window];
		answer->argument = 0;
		if (f->kind == XT_FRAME_INJECT && refusal(s, f) == XT_FRAME_STATUS_OK) {
			answer->argument = taken(s, f);
		} else if (f->kind == XT_FRAME_RECEIVE && refusal(s, f) == XT_FRAME_STATUS_OK) {
			answer->argument = port_of(s, f->card, f->unit)->acknowledged;
		}
	}
	answer->status |= XT_FRAME_REPEATED;
}

static void serve(xt_server_t *s, const xt_frame_t *f)
{
	xt_frame_t answer = *f;
	uint16_t behind = (uint16_t)(s->expected - f->sequence);

	if (f->kind & XT_FRAME_FROM_BOARD) {
		return;
	}
	answer.kind |= XT_FRAME_FROM_BOARD;
	answer.status = XT_FRAME_STATUS_OK;
	answer.words = 0;
	answer.payload = s->words;
	s->still = 0;
	if (f->kind == XT_FRAME_INFO) {
		make_info(s, &answer);
	} else if (f->kind == XT_FRAME_SYNC) {
		sync(s, f, &answer);
	} else if (!s->synced) {
		answer.status = XT_FRAME_STATUS_UNSYNCED;
	} else if (behind == 0) {
		carry_out(s, f, &answer);
		s->statuses[f->sequence % s->info.window] = answer.status;
		s->expected++;
	} else if (behind <= s->info.window) {
		repeat(s, f, &answer);
	} else {
		answer.status = XT_FRAME_STATUS_SEQUENCE;
		answer.argument = s->expected;
	}
	put(s, &answer);
}

void xt_server_feed(xt_server_t *s, const uint8_t *bytes, size_t count)
{
	xt_frame_t frame;

	while (xt_frame_decode(&s->decoder, &bytes, &count, &frame)) {
		serve(s, &frame);
	}
}

static void exchange_packets(xt_server_t *s, unsigned pe)
{
	xt_server_port_t *port = &s->ports[pe];
	xt_frame_t frame = {.card = (uint8_t)(pe / s->info.nics), .unit = (uint8_t)(pe % s->info.nics)};
	unsigned count;
	int poisoned;

	while (xt_server_port_has_room(port, xt_device_packet_words(s->device)) &&
		xt_simulated_nic_take(s->nic, pe, s->words, &count, &poisoned)) {
		xt_server_port_put(port, s->words, count, poisoned);
	}
	if (!s->synced) {
		return;
	}
	while (s->end - s->first < OUTPUT_MOST && xt_server_port_send(port, &frame, s->words)) {
		put(s, &frame);
	}
	if (xt_server_port_tell(port)) {
		put(s, &(xt_frame_t){.kind = XT_FRAME_EVENT,
			       .card = frame.card,
			       .unit = frame.unit,
			       .sequence = s->event++,
			       .argument = XT_FRAME_EVENT_WAITING});
	}
}

int xt_server_step(xt_server_t *s, xt_server_work_t *work, xt_diag_t *diag)
{
	int status = XT_OK, moved = 0;

	if (!s->failed && !xt_simulated_nic_idle(s->nic)) {
		status = xt_simulated_nic_go_on(s->nic, STEP_CYCLES, &moved, diag);
		s->failed = status != XT_OK;
		s->still = moved ? 0 : s->still + (s->still < STANDING_STEPS);
	}
	for (unsigned pe = 0; pe < s->info.cards * s->info.nics; pe++) {
		exchange_packets(s, pe);
	}
	*work = s->failed || xt_simulated_nic_idle(s->nic) ? XT_SERVER_IDLE
		: s->still == STANDING_STEPS               ? XT_SERVER_STANDS
							   : XT_SERVER_WORKS;
	return status;
}

const uint8_t *xt_server_output(const xt_server_t *s, size_t *count)
{
	*count = s->end - s->first;
	return s->output ? s->output + s->first : NULL;
}

void xt_server_sent(xt_server_t *s, size_t count)
{
	assert(count <= s->end - s->first);
	s->first += count;
}

void xt_server_restart(xt_server_t *s)
{
	uint64_t dropped = s->decoder.dropped;

	xt_frame_decoder_begin(&s->decoder, s->info.request_words);
	s->decoder.dropped = dropped;
	s->first = s->end = 0;
	for (unsigned i = 0; i < s->info.cards * s->info.nics; i++) {
		xt_server_port_rewind(&s->ports[i]);
	}
}
