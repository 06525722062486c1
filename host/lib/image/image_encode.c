/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the file of a routing image. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "extorus/atomic_file.h"
#include "extorus/profiles.h"
#include "image_format.h"
#include "image_internal.h"

/* Growing buffer; after a failed allocation everything is ignored until the end. */
typedef struct {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed;
} writer_t;

static void put(writer_t *w, const void *bytes, size_t size)
{
	if (!w->failed && w->capacity - w->size < size) {
		size_t capacity = w->capacity * 2 + size + 4096;
		uint8_t *grown = realloc(w->bytes, capacity);

		if (grown) {
			w->bytes = grown;
			w->capacity = capacity;
		} else {
			w->failed = true;
		}
	}
	if (!w->failed) {
		memcpy(w->bytes + w->size, bytes, size);
		w->size += size;
	}
}

static void put_number(writer_t *w, uint64_t value, unsigned bytes)
{
	uint8_t buffer[8];

	for (unsigned i = 0; i < bytes; i++) {
		buffer[i] = (uint8_t)(value >> (8 * i));
	}
	put(w, buffer, bytes);
}

static void put_text(writer_t *w, const char *text)
{
	size_t length = strlen(text);

	put_number(w, length, 1);
	put(w, text, length);
}

static void put_table(writer_t *w, const uint64_t *entries, size_t count)
{
	while (count > 0 && entries[count - 1] == 0) {
		count--;
	}
	put_number(w, count, 4);
	for (size_t i = 0; i < count; i++) {
		put_number(w, entries[i], 8);
	}
}

static void put_card(writer_t *w, const xt_image_t *image, unsigned card)
{
	const xt_profile_t *p = image->profile;

	put_number(w, image->route_order[card], 4);
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		put_number(w, xt_image_match_mask(image, card, tc), 4);
	}
	put_number(w, xt_image_adaptive_ports(image, card), 2);
	for (unsigned port = 0; port < p->link_ports; port++) {
		xt_peer_t peer = xt_image_peer(image, card, port);

		put_number(w, peer.card, 4);
		put_number(w, peer.port, 1);
		put_number(w, xt_image_ring(image, card, port), 2);
		if (p->vc_rings) {
			put_number(w, xt_image_vc_ring_from(image, card, port), 2);
		}
	}
	for (unsigned port = 0; port < image->ports; port++) {
		put_text(w, xt_image_port_name(image, card, port));
	}
	put_table(w, xt_image_grt(image, card), (size_t)1 << p->grt_bits);
	put_table(w, xt_image_lrt(image, card), (size_t)1 << p->lrt_bits);
}

int xt_image_encode(const xt_image_t *image, uint8_t **out, size_t *size, xt_diag_t *diag)
{
	writer_t w = {0};

	put(&w, XT_IMAGE_MAGIC, XT_IMAGE_MAGIC_SIZE);
	put_number(&w, XT_IMAGE_FORMAT_VERSION, 4);
	put_text(&w, image->profile->name);
	put_number(&w, xt_profile_hash(image->profile), 4);
	put_text(&w, image->spec);
	put_text(&w, image->algorithm);
	put_number(&w, image->cards, 4);
	put_number(&w, image->pes, 4);
	for (unsigned pe = 0; pe < image->pes; pe++) {
		put_number(&w, image->pe_address[pe] | (xt_image_has_pe(image, pe) ? 0 : XT_IMAGE_NO_PE), 4);
		put_number(&w, image->pe_tc_mask[pe], 1);
	}
	for (unsigned card = 0; card < image->cards; card++) {
		put_card(&w, image, card);
	}
	if (!w.failed) {
		put_number(&w, crc32_z(0, w.bytes, w.size), XT_IMAGE_CRC_SIZE);
	}
	if (w.failed) {
		free(w.bytes);
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	*out = w.bytes;
	*size = w.size;
	return XT_OK;
}

int xt_image_write(const xt_image_t *image, const char *path, xt_diag_t *diag)
{
	xt_output_t *output;
	uint8_t *bytes;
	size_t size = 0;
	int status = xt_image_encode(image, &bytes, &size, diag);

	if (status != XT_OK) {
		return status;
	}
	if ((status = xt_output_open(path, &output, diag)) == XT_OK) {
		fwrite(bytes, 1, size, xt_output_stream(output));
		status = xt_output_commit(output, diag);
	}
	free(bytes);
	return status;
}
