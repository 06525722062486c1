/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

static void put16(uint8_t *bytes, unsigned value)
{
	bytes[0] = (uint8_t)value;
	bytes[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *bytes, uint32_t value)
{
	put16(bytes, value & 0xffff);
	put16(bytes + 2, value >> 16);
}

static uint16_t get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static uint32_t get32(const uint8_t *bytes)
{
	return get16(bytes) | (uint32_t)get16(bytes + 2) << 16;
}

/* The first `byte` from `from` on; `end` if there is none. */
static const uint8_t *find_byte(const uint8_t *from, const uint8_t *end, uint8_t byte)
{
	const uint8_t *at = from < end ? memchr(from, byte, (size_t)(end - from)) : NULL;

	return at ? at : end;
}

static uint8_t *copy(uint8_t *out, const uint8_t *from, const uint8_t *to)
{
	memcpy(out, from, (size_t)(to - from));
	return out + (to - from);
}

/* `count` bytes, with those escaped that must be. */
static uint8_t *stuff(uint8_t *out, const uint8_t *bytes, size_t count)
{
	const uint8_t *end = bytes + count;
	const uint8_t *flag = find_byte(bytes, end, XT_FRAME_FLAG), *escape = find_byte(bytes, end, XT_FRAME_ESCAPE);

	for (;;) {
		const uint8_t *special = flag < escape ? flag : escape;

		out = copy(out, bytes, special);
		if (special == end) {
			return out;
		}
		*out++ = XT_FRAME_ESCAPE;
		*out++ = *special ^ XT_FRAME_ESCAPE_MASK;
		bytes = special + 1;
		if (special == flag) {
			flag = find_byte(bytes, end, XT_FRAME_FLAG);
		} else {
			escape = find_byte(bytes, end, XT_FRAME_ESCAPE);
		}
	}
}

size_t xt_frame_encode(const xt_frame_t *frame, uint8_t *out)
{
	uint8_t plain[XT_FRAME_MAX_BYTES];
	size_t size = XT_FRAME_HEADER_BYTES + 4 * (size_t)frame->words;
	uint8_t *end = out;

	assert(frame->words <= XT_FRAME_MAX_WORDS);
	plain[0] = frame->kind;
	plain[1] = frame->status;
	put16(plain + 2, frame->sequence);
	plain[4] = frame->card;
	plain[5] = frame->unit;
	put16(plain + 6, frame->argument);
	for (unsigned i = 0; i < frame->words; i++) {
		put32(plain + XT_FRAME_HEADER_BYTES + 4 * i, frame->payload[i]);
	}
	put32(plain + size, (uint32_t)crc32(0, plain, (uInt)size));
	*end++ = XT_FRAME_FLAG;
	end = stuff(end, plain, size + XT_FRAME_CRC_BYTES);
	*end++ = XT_FRAME_FLAG;
	return (size_t)(end - out);
}

void xt_frame_decoder_begin(xt_frame_decoder_t *decoder, unsigned room)
{
	assert(room <= XT_FRAME_MAX_WORDS);
	decoder->room = room;
	decoder->count = 0;
	decoder->escaped = 0;
	decoder->spoiled = 0;
	decoder->dropped = 0;
}

/* A FLAG came: is what lies between it and the one before a good frame? */
static int finish(xt_frame_decoder_t *d, xt_frame_t *frame)
{
	size_t count = d->count, body = count - XT_FRAME_CRC_BYTES;
	int bad = d->spoiled || d->escaped;
	unsigned words;

	d->count = 0;
	d->escaped = 0;
	d->spoiled = 0;
	if (!bad && count == 0) {
		return 0;
	}
	if (bad || count < XT_FRAME_HEADER_BYTES + XT_FRAME_CRC_BYTES || body % 4 ||
		(uint32_t)crc32(0, d->bytes, (uInt)body) != get32(d->bytes + body)) {
		d->dropped++;
		return 0;
	}
	words = (unsigned)(body - XT_FRAME_HEADER_BYTES) / 4;
	for (unsigned i = 0; i < words; i++) {
		d->payload[i] = get32(d->bytes + XT_FRAME_HEADER_BYTES + 4 * i);
	}
	*frame = (xt_frame_t){.kind = d->bytes[0],
		.status = d->bytes[1],
		.sequence = get16(d->bytes + 2),
		.card = d->bytes[4],
		.unit = d->bytes[5],
		.argument = get16(d->bytes + 6),
		.words = words,
		.payload = d->payload};
	return 1;
}

/* Bytes without a FLAG. */
static void unstuff(xt_frame_decoder_t *d, const uint8_t *data, const uint8_t *end)
{
	size_t most = XT_FRAME_HEADER_BYTES + 4 * (size_t)d->room + XT_FRAME_CRC_BYTES;

	while (data < end && !d->spoiled) {
		const uint8_t *escape;

		if (d->escaped) {
			d->escaped = 0;
			d->spoiled = d->count == most;
			if (!d->spoiled) {
				d->bytes[d->count++] = *data++ ^ XT_FRAME_ESCAPE_MASK;
			}
			continue;
		}
		escape = find_byte(data, end, XT_FRAME_ESCAPE);
		d->spoiled = (size_t)(escape - data) > most - d->count;
		if (!d->spoiled) {
			copy(d->bytes + d->count, data, escape);
			d->count += (size_t)(escape - data);
			d->escaped = escape < end;
			data = escape + d->escaped;
		}
	}
}

int xt_frame_decode(xt_frame_decoder_t *d, const uint8_t **data, size_t *size, xt_frame_t *frame)
{
	const uint8_t *at = *data, *end = *size ? at + *size : at;
	int good = 0;

	while (at < end && !good) {
		const uint8_t *flag = find_byte(at, end, XT_FRAME_FLAG);

		unstuff(d, at, flag);
		at = flag;
		if (at < end) {
			at++;
			good = finish(d, frame);
		}
	}
	*data = at;
	*size = (size_t)(end - at);
	return good;
}

void xt_frame_info_pack(const xt_frame_info_t *info, uint32_t words[XT_FRAME_INFO_WORDS])
{
	uint8_t name[XT_FRAME_NAME_BYTES] = {0};

	words[0] = XT_FRAME_MAGIC;
	words[1] = info->version | info->least_version << 16;
	words[2] = info->cards | info->nics << 8 | info->window << 16;
	words[3] = info->profile_hash;
	words[4] = info->request_words | info->read_words << 16;
	words[5] = info->inject_words | info->receive_words << 16;
	words[6] = (uint32_t)info->serial;
	words[7] = (uint32_t)(info->serial >> 32);
	words[8] = info->clock_khz;
	words[9] = info->build;
	memcpy(name, info->profile, strnlen(info->profile, sizeof(name)));
	for (unsigned i = 0; i < XT_FRAME_NAME_BYTES / 4; i++) {
		words[10 + i] = get32(name + 4 * i);
	}
}

/* Whether the numbers of a board are such that it can be spoken to. */
static int plausible(const xt_frame_info_t *info)
{
	return info->cards >= 1 && info->nics >= 1 && info->window >= 4 && info->window <= XT_FRAME_MAX_WINDOW &&
	       (info->window & (info->window - 1)) == 0 && info->request_words >= XT_FRAME_LEAST_WORDS &&
	       info->request_words <= XT_FRAME_MAX_WORDS && info->read_words >= 1 &&
	       info->read_words <= XT_FRAME_MAX_READ && info->inject_words < 32768 && info->receive_words < 32768;
}

int xt_frame_info_unpack(const xt_frame_t *frame, xt_frame_info_t *info, xt_diag_t *diag)
{
	const uint32_t *w = frame->payload;

	memset(info, 0, sizeof(*info));
	if (frame->kind != (XT_FRAME_INFO | XT_FRAME_FROM_BOARD) || frame->words < 4 || w[0] != XT_FRAME_MAGIC) {
		return xt_fail(diag, XT_ERR_PROTOCOL,
			"what answers is no extorus board; check the port, or load an "
			"extorus bitstream into the board");
	}
	info->version = w[1] & 0xffff;
	info->least_version = w[1] >> 16;
	info->profile_hash = w[3];
	if (info->version < XT_FRAME_LEAST_VERSION || info->least_version > XT_FRAME_VERSION) {
		return xt_fail(diag, XT_ERR_VERSION,
			"the board speaks version %u of the protocol, this program version %d; %s", info->version,
			XT_FRAME_VERSION,
			info->version < XT_FRAME_LEAST_VERSION
				? "load a newer bitstream into the board"
				: "use a newer program, or load the bitstream that belongs to this one");
	}
	if (frame->words < XT_FRAME_INFO_WORDS) {
		return xt_fail(diag, XT_ERR_PROTOCOL,
			"the board's INFO has %u words instead of %d; load another bitstream", frame->words,
			XT_FRAME_INFO_WORDS);
	}
	info->cards = w[2] & 0xff;
	info->nics = w[2] >> 8 & 0xff;
	info->window = w[2] >> 16 & 0xff;
	info->request_words = w[4] & 0xffff;
	info->read_words = w[4] >> 16;
	info->inject_words = w[5] & 0xffff;
	info->receive_words = w[5] >> 16;
	info->serial = w[6] | (uint64_t)w[7] << 32;
	info->clock_khz = w[8];
	info->build = w[9];
	info->dropped = frame->argument;
	for (unsigned i = 0; i < XT_FRAME_NAME_BYTES; i++) {
		char c = (char)(w[10 + i / 4] >> 8 * (i % 4));

		info->profile[i] = c == '\0' || (c > ' ' && c <= '~') ? c : '?';
	}
	if (!plausible(info)) {
		return xt_fail(diag, XT_ERR_PROTOCOL,
			"the board's INFO is impossible (%u cards, %u NIC ports, window %u, %u and %u words); load "
			"another "
			"bitstream",
			info->cards, info->nics, info->window, info->request_words, info->read_words);
	}
	return XT_OK;
}

void xt_frame_stream_pack(const xt_frame_stream_t *stream, uint32_t words[XT_FRAME_STREAM_WORDS])
{
	words[0] = stream->taken | (uint32_t)stream->free << 16;
	words[1] = stream->acknowledged | (uint32_t)stream->written << 16;
}

int xt_frame_stream_unpack(const xt_frame_t *frame, xt_frame_stream_t *stream, xt_diag_t *diag)
{
	if (frame->words != XT_FRAME_STREAM_WORDS) {
		return xt_fail(diag, XT_ERR_PROTOCOL, "the board's answer to STREAM has %u words instead of %d",
			frame->words, XT_FRAME_STREAM_WORDS);
	}
	*stream = (xt_frame_stream_t){
		.taken = (uint16_t)frame->payload[0],
		.free = (uint16_t)(frame->payload[0] >> 16),
		.acknowledged = (uint16_t)frame->payload[1],
		.written = (uint16_t)(frame->payload[1] >> 16),
	};
	return XT_OK;
}

static const xt_frame_id_t *find(const xt_frame_id_t *list, unsigned value)
{
	while (list->name && list->value != value) {
		list++;
	}
	return list->name ? list : NULL;
}

static const char *name_of(const xt_frame_id_t *id)
{
	return id ? id->name : "?";
}

const char *xt_frame_kind_name(unsigned kind)
{
	const xt_frame_id_t *id = find(xt_frame_kinds, kind);

	return name_of(id ? id : find(xt_frame_kinds, kind & ~(unsigned)XT_FRAME_FROM_BOARD));
}

const char *xt_frame_status_name(unsigned status)
{
	return name_of(find(xt_frame_statuses, status));
}

const char *xt_frame_status_text(unsigned status)
{
	const xt_frame_id_t *id = find(xt_frame_statuses, status);

	return id ? id->doc : "a status that this version does not know";
}

const char *xt_frame_event_name(unsigned event)
{
	return name_of(find(xt_frame_events, event));
}
