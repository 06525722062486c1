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

enum {
	QUEUE_WORDS = 1 << 14, /* each way at each NIC port */
	REQUEST_WORDS = 256,
	STEP_CYCLES = 512,
	OUTPUT_MOST = 1 << 16, /* bytes that wait for the host, until packets wait too */
};

/* Packets from a NIC port: length | poisoned << 16, and words. Positions count since reset; the ring's index is the
 * position modulo its size. */
typedef struct {
	uint32_t ring[QUEUE_WORDS];
	uint16_t acknowledged, sent, written, limit;
	int told;      /* that packets wait */
	uint64_t base; /* words that had gone to the NIC port at the last reset */
} port_t;

struct xt_server {
	xt_device_t *device;
	xt_simulated_nic_t *nic;
	xt_frame_info_t info;
	xt_frame_decoder_t decoder;
	int synced;
	uint16_t expected, event;
	uint8_t statuses[XT_FRAME_MAX_WINDOW]; /* by sequence number */
	port_t *ports;
	uint32_t *words; /* of a packet or an answer */
	uint8_t *output;
	size_t room, first, end;
};

void xt_server_free(xt_server_t *s)
{
	if (s) {
		free(s->ports);
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
	s->words = calloc(XT_FRAME_MAX_WORDS, sizeof(*s->words));
	status = s->ports && s->words ? xt_simulated_nic_of(device, &s->nic, diag)
				      : xt_fail(diag, XT_ERR_NOMEM, "serve: out of memory");
	if (status) {
		xt_server_free(s);
		return status;
	}
	xt_frame_decoder_begin(&s->decoder, s->info.request_words);
	*out = s;
	return XT_OK;
}

static int put(xt_server_t *s, const xt_frame_t *frame, xt_diag_t *diag)
{
	size_t most = xt_frame_encoded_bytes(frame->words);

	if (s->first == s->end) {
		s->first = s->end = 0;
	}
	if (s->end + most > s->room) {
		size_t room = 2 * (s->end + most);
		uint8_t *more = realloc(s->output, room);

		if (!more) {
			return xt_fail(diag, XT_ERR_NOMEM, "serve: out of memory");
		}
		s->output = more;
		s->room = room;
	}
	s->end += xt_frame_encode(frame, s->output + s->end);
	return XT_OK;
}

static port_t *port_of(xt_server_t *s, unsigned card, unsigned unit)
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
	return (uint16_t)(xt_simulated_nic_sent(s->nic, pe_of(s, f)) - port_of(s, f->card, f->unit)->base);
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
			s->ports[i].sent = s->ports[i].limit = s->ports[i].acknowledged;
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
	if (xt_device_read(s->device, f->card, f->argument, s->words, count, &diag) == XT_OK) {
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
	for (unsigned i = 0; i < f->words; i++) {
		uint32_t address = f->argument + 4 * i;

		if (xt_device_write(s->device, f->card, address, &f->payload[i], 1, &diag) != XT_OK) {
			answer->status = XT_FRAME_STATUS_BUS;
			answer->argument = (uint16_t)address;
			return;
		}
	}
}

static int do_inject(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer, xt_diag_t *diag)
{
	unsigned pe = pe_of(s, f);
	int status = XT_OK;

	if (!f->words || f->words % xt_device_cell_words(s->device) || f->words > xt_device_packet_words(s->device)) {
		answer->status = XT_FRAME_STATUS_LENGTH;
	} else if (xt_simulated_nic_queued(s->nic, pe) + f->words + 1 > s->info.inject_words) {
		answer->status = XT_FRAME_STATUS_BUSY;
	} else {
		status = xt_simulated_nic_put(s->nic, pe, f->payload, f->words, diag);
	}
	answer->argument = taken(s, f);
	return status;
}

static void do_receive(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	port_t *port = port_of(s, f->card, f->unit);

	if (f->words != 1) {
		answer->status = XT_FRAME_STATUS_LENGTH;
		return;
	}
	if ((uint16_t)(f->argument - port->acknowledged) <= (uint16_t)(port->sent - port->acknowledged)) {
		port->acknowledged = f->argument;
	}
	port->limit = (uint16_t)f->payload[0];
	port->told = 0;
	if (f->payload[0] & XT_FRAME_REWIND) {
		port->sent = port->acknowledged;
	}
	answer->argument = port->acknowledged;
}

static void do_stream(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer)
{
	port_t *port = port_of(s, f->card, f->unit);
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

/* A simulator cannot reset one card alone: its tables and what routes are as after a reset, and its queues are
 * empty. */
static int do_reset(xt_server_t *s, const xt_frame_t *f, xt_diag_t *diag)
{
	static const xt_register_id_t emptied[] = {XT_REG_CARD_ID, XT_REG_ROUTE_ORDER, XT_REG_QUIESCE};
	const xt_profile_t *profile = s->device->profile;
	const uint32_t zero[2] = {0, 0}, ones = UINT32_MAX, all = (1u << xt_profile_ports(profile)) - 1;
	int status = xt_device_write(s->device, f->card, xt_register_address(XT_REG_TABLE_PORTS, 0, 0), &all, 1, diag);

	for (unsigned i = 0; i < 1u << profile->grt_bits && status == XT_OK; i++) {
		status = xt_device_write(s->device, f->card, xt_register_address(XT_REG_GRT, 0, i), zero, 2, diag);
	}
	for (unsigned i = 0; i < 1u << profile->lrt_bits && status == XT_OK; i++) {
		status = xt_device_write(s->device, f->card, xt_register_address(XT_REG_LRT, 0, i), zero, 2, diag);
	}
	for (unsigned i = 0; i < sizeof(emptied) / sizeof(emptied[0]) && status == XT_OK; i++) {
		status = xt_device_write(s->device, f->card, xt_register_address(emptied[i], 0, 0), zero, 1, diag);
	}
	for (unsigned tc = 0; tc < profile->tcs && status == XT_OK; tc++) {
		status = xt_device_write(
			s->device, f->card, xt_register_address(XT_REG_MATCH_MASK, 0, tc), &ones, 1, diag);
	}
	for (unsigned unit = 0; unit < s->info.nics; unit++) {
		port_t *port = port_of(s, f->card, unit);
		unsigned pe = f->card * s->info.nics + unit, count;
		int poisoned;

		while (xt_simulated_nic_take(s->nic, pe, s->words, &count, &poisoned)) {
		}
		port->acknowledged = port->sent = port->written = port->limit = 0;
		port->base = xt_simulated_nic_sent(s->nic, pe);
	}
	return status;
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

static int carry_out(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer, xt_diag_t *diag)
{
	answer->status = (uint8_t)refusal(s, f);
	if (answer->status) {
		return XT_OK;
	}
	switch (f->kind) {
	case XT_FRAME_READ:
		do_read(s, f, answer);
		return XT_OK;
	case XT_FRAME_WRITE:
		do_write(s, f, answer);
		return XT_OK;
	case XT_FRAME_INJECT:
		return do_inject(s, f, answer, diag);
	case XT_FRAME_RECEIVE:
		do_receive(s, f, answer);
		return XT_OK;
	case XT_FRAME_STREAM:
		do_stream(s, f, answer);
		return XT_OK;
	default:
		return do_reset(s, f, diag);
	}
}

/* A request that was carried out before. */
static int repeat(xt_server_t *s, const xt_frame_t *f, xt_frame_t *answer, xt_diag_t *diag)
{
	int status = XT_OK;

	if (f->kind == XT_FRAME_READ || f->kind == XT_FRAME_STREAM) {
		status = carry_out(s, f, answer, diag);
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
	return status;
}

static int serve(xt_server_t *s, const xt_frame_t *f, xt_diag_t *diag)
{
	xt_frame_t answer = *f;
	uint16_t behind = (uint16_t)(s->expected - f->sequence);
	int status = XT_OK;

	if (f->kind & XT_FRAME_FROM_BOARD) {
		return XT_OK;
	}
	answer.kind |= XT_FRAME_FROM_BOARD;
	answer.status = XT_FRAME_STATUS_OK;
	answer.words = 0;
	answer.payload = s->words;
	if (f->kind == XT_FRAME_INFO) {
		make_info(s, &answer);
	} else if (f->kind == XT_FRAME_SYNC) {
		sync(s, f, &answer);
	} else if (!s->synced) {
		answer.status = XT_FRAME_STATUS_UNSYNCED;
	} else if (behind == 0) {
		status = carry_out(s, f, &answer, diag);
		s->statuses[f->sequence % s->info.window] = answer.status;
		s->expected++;
	} else if (behind <= s->info.window) {
		status = repeat(s, f, &answer, diag);
	} else {
		answer.status = XT_FRAME_STATUS_SEQUENCE;
		answer.argument = s->expected;
	}
	return status ? status : put(s, &answer, diag);
}

int xt_server_feed(xt_server_t *s, const uint8_t *bytes, size_t count, xt_diag_t *diag)
{
	xt_frame_t frame;
	int status = XT_OK;

	while (status == XT_OK && xt_frame_decode(&s->decoder, &bytes, &count, &frame)) {
		status = serve(s, &frame, diag);
	}
	return status;
}

/* Packets that came out of the network go into the port's ring. */
static void take_packets(xt_server_t *s, unsigned pe)
{
	port_t *port = &s->ports[pe];
	unsigned count;
	int poisoned;

	while ((uint16_t)(port->written - port->acknowledged) + xt_device_packet_words(s->device) + 1 < QUEUE_WORDS &&
		xt_simulated_nic_take(s->nic, pe, s->words, &count, &poisoned)) {
		port->ring[port->written++ % QUEUE_WORDS] = count | (uint32_t)poisoned << 16;
		for (unsigned i = 0; i < count; i++) {
			port->ring[port->written++ % QUEUE_WORDS] = s->words[i];
		}
	}
}

static int send_packets(xt_server_t *s, unsigned pe, xt_diag_t *diag)
{
	port_t *port = &s->ports[pe];
	xt_frame_t frame = {.card = (uint8_t)(pe / s->info.nics), .unit = (uint8_t)(pe % s->info.nics)};
	int status = XT_OK;

	while (status == XT_OK && port->sent != port->written && xt_frame_distance(port->sent, port->limit) < 0 &&
		s->end - s->first < OUTPUT_MOST) {
		uint32_t head = port->ring[port->sent % QUEUE_WORDS];

		frame.kind = XT_FRAME_PACKET;
		frame.argument = port->sent;
		frame.status = head >> 16 & XT_FRAME_POISONED;
		frame.words = head & 0xffff;
		frame.payload = s->words;
		for (unsigned i = 0; i < frame.words; i++) {
			s->words[i] = port->ring[(uint16_t)(port->sent + 1 + i) % QUEUE_WORDS];
		}
		status = put(s, &frame, diag);
		port->sent = (uint16_t)(port->sent + frame.words + 1);
	}
	if (status == XT_OK && port->sent != port->written && !port->told &&
		xt_frame_distance(port->sent, port->limit) >= 0) {
		port->told = 1;
		frame.kind = XT_FRAME_EVENT;
		frame.status = 0;
		frame.sequence = s->event++;
		frame.argument = XT_FRAME_EVENT_WAITING;
		frame.words = 0;
		status = put(s, &frame, diag);
	}
	return status;
}

int xt_server_step(xt_server_t *s, int *busy, xt_diag_t *diag)
{
	int status = XT_OK;

	if (!xt_simulated_nic_idle(s->nic)) {
		status = xt_simulated_nic_step(s->nic, STEP_CYCLES, UINT_MAX, diag);
	}
	for (unsigned pe = 0; pe < s->info.cards * s->info.nics && status == XT_OK; pe++) {
		take_packets(s, pe);
		if (s->synced) {
			status = send_packets(s, pe, diag);
		}
	}
	*busy = !xt_simulated_nic_idle(s->nic);
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
}
