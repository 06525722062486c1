/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the file of a routing image, and refuses what is malformed. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/profiles.h"
#include "image_bytes.h"
#include "image_format.h"
#include "image_internal.h"
#include "shared_tables.h"

/* Reads within bounds; the first thing wrong is kept in `status`, later reads give zero. */
typedef struct {
	xt_image_bytes_t bytes;
	const char *name;
	int status;
	xt_diag_t *diag;
	uint64_t *table; /* the last one */
	xt_tables_seen_t grts, lrts;
} reader_t;

#define MAKE_AGAIN "make the image again with extorus route"

static void malformed(reader_t *r, const char *what)
{
	if (r->status == XT_OK) {
		r->status = xt_fail(
			r->diag, XT_ERR_FORMAT, "%.200s: byte %zu: %s; " MAKE_AGAIN, r->name, r->bytes.at, what);
	}
}

static size_t left(const reader_t *r)
{
	return r->bytes.size - r->bytes.at;
}

/* The next bytes, which have been there; NULL: an error is noted. */
static const uint8_t *next(reader_t *r, size_t count)
{
	const uint8_t *bytes = xt_image_bytes_next(&r->bytes, count);

	if (!bytes && r->status == XT_OK) {
		r->status = xt_fail(r->diag, XT_ERR_IO, "%.200s: has become shorter while it was read", r->name);
	}
	return bytes;
}

static uint64_t take_number(reader_t *r, unsigned count)
{
	const uint8_t *bytes;
	uint64_t value = 0;

	if (r->status == XT_OK && left(r) < count) {
		malformed(r, "the file ends too early");
	}
	if (r->status != XT_OK || !(bytes = next(r, count))) {
		return 0;
	}
	for (unsigned i = 0; i < count; i++) {
		value |= (uint64_t)bytes[i] << (8 * i);
	}
	r->bytes.at += count;
	return value;
}

/* Characters that texts do not have, beside blanks and those that are not ASCII. */
#define XT_NOT_IN_NAMES "\",\\"
#define XT_NOT_IN_SPECS "\"\\"

static void take_text(reader_t *r, char *text, size_t size, const char *refused, const char *what)
{
	size_t length = (size_t)take_number(r, 1);
	const uint8_t *bytes;

	text[0] = '\0';
	if (r->status != XT_OK) {
		return;
	}
	if (length == 0 || length >= size || length > left(r)) {
		malformed(r, what);
		return;
	}
	if (!(bytes = next(r, length))) {
		return;
	}
	for (size_t i = 0; i < length; i++) {
		uint8_t c = bytes[i];

		/* Names are printed in JSON, DOT and messages as they are, those of ports in CSV too. */
		if (c <= ' ' || c > '~' || strchr(refused, c)) {
			malformed(r, what);
			return;
		}
		text[i] = (char)c;
	}
	text[length] = '\0';
	r->bytes.at += length;
}

static const xt_profile_t *take_profile(reader_t *r)
{
	char name[33];
	const xt_profile_t *profile;
	uint32_t hash;

	take_text(r, name, sizeof(name), XT_NOT_IN_NAMES, "not the name of a profile");
	hash = (uint32_t)take_number(r, 4);
	if (r->status != XT_OK) {
		return NULL;
	}
	profile = xt_profile_find(name);
	if (!profile || xt_profile_check(profile, NULL) != XT_OK) {
		r->status = xt_fail(r->diag, XT_ERR_FORMAT,
			"%.200s: made for profile \"%s\", which this build does not have; extorus gen --list names "
			"those it has",
			r->name, name);
	} else if (hash != xt_profile_hash(profile)) {
		r->status = xt_fail(r->diag, XT_ERR_FORMAT,
			"%.200s: made for profile %s with hash %08x, it has %08x here; " MAKE_AGAIN, r->name, name,
			(unsigned)hash, (unsigned)xt_profile_hash(profile));
	}
	return r->status == XT_OK ? profile : NULL;
}

static void take_pes(reader_t *r, xt_image_t *image)
{
	for (unsigned pe = 0; pe < image->pes && r->status == XT_OK; pe++) {
		uint32_t word = (uint32_t)take_number(r, 4), address = word & ~XT_IMAGE_NO_PE;
		uint32_t mask = (uint32_t)take_number(r, 1);

		if (address >> image->profile->id_bits) {
			malformed(r, "a PE address with more bits than the profile's ids");
		} else if (word == address && image->address_pe[address] >= 0) {
			malformed(r, "the same address for two PEs");
		} else if (mask >> image->profile->tcs || (mask && word != address)) {
			malformed(r, "a TC that the profile or the PE does not have");
		} else {
			image->pe_address[pe] = address;
			image->pe_tc_mask[pe] = (uint8_t)mask;
			image->address_pe[address] = word == address ? (int32_t)pe : image->address_pe[address];
		}
	}
}

/* Bits that no card of the profile keeps would not read back after a load. */
static void take_table(reader_t *r, const xt_profile_t *profile, size_t most)
{
	const unsigned bits = XT_ENTRY_TC_BITS * profile->tcs;
	uint64_t *entries = r->table;
	size_t count = (size_t)take_number(r, 4);

	memset(entries, 0, most * sizeof(*entries));
	if (count > most) {
		malformed(r, "more table entries than the profile has");
		return;
	}
	for (size_t i = 0; i < count && r->status == XT_OK; i++) {
		entries[i] = take_number(r, 8);
		if (bits < XT_ENTRY_MAX_BITS && entries[i] >> bits) {
			malformed(r, "a table entry with a TC that the profile does not have");
		}
	}
}

static void take_vc_rings(reader_t *r, xt_image_t *image, unsigned card, unsigned port, unsigned vcs)
{
	const uint32_t word = (uint32_t)take_number(r, 2);
	uint32_t known = 0;

	for (unsigned vc = 1; vcs >> vc; vc++) {
		const unsigned from = xt_ring_from(0, word, vc);

		if (vcs >> vc & 1) {
			known = xt_ring_from_with(known, vc, from);
		}
		if (from >= image->profile->link_ports) {
			malformed(r, "a ring of a VC that continues from a port that does not exist");
			return;
		}
	}
	if (word != known) {
		malformed(r, "a port of a ring that the VC is not part of");
		return;
	}
	xt_image_set_vc_ring_from(image, card, port, word);
}

static void take_ring(reader_t *r, xt_image_t *image, unsigned card, unsigned port)
{
	uint32_t word = (uint32_t)take_number(r, 2);
	xt_ring_t ring = xt_ring_unpack(word);

	if (word != xt_ring_pack(ring) || ring.from >= image->profile->link_ports) {
		malformed(r, "a ring that continues from a port that does not exist");
		return;
	}
	xt_image_set_ring(image, card, port, word);
	if (image->profile->vc_rings) {
		take_vc_rings(r, image, card, port, ring.vcs);
	}
}

static void take_card(reader_t *r, xt_image_t *image, unsigned card)
{
	const xt_profile_t *p = image->profile;

	uint32_t order = (uint32_t)take_number(r, 4);

	if (order >> p->tcs) {
		malformed(r, "an order of a TC that the profile does not have");
		return;
	}
	xt_image_set_route_order(image, card, order);
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		uint32_t mask = (uint32_t)take_number(r, 4);

		if (mask >> p->id_bits) {
			malformed(r, "a match mask with more bits than the profile's ids");
			return;
		}
		xt_image_set_match_mask(image, card, tc, mask);
	}
	image->adaptive[card] = (uint16_t)take_number(r, 2);
	if ((image->adaptive[card] & 0xff) >> p->link_ports || image->adaptive[card] >> 8 >> p->link_ports) {
		malformed(r, "an internal or middle port that does not exist");
		return;
	}
	for (unsigned port = 0; port < p->link_ports; port++) {
		xt_peer_t *peer = &image->peer[(size_t)card * p->link_ports + port];

		peer->card = (uint32_t)take_number(r, 4);
		peer->port = (uint32_t)take_number(r, 1);
		if (peer->card != XT_NO_CARD && (peer->card >= image->cards || peer->port >= p->link_ports)) {
			malformed(r, "a link to a card or port that does not exist");
			return;
		}
		take_ring(r, image, card, port);
	}
	for (unsigned port = 0; port < image->ports; port++) {
		take_text(r, image->name[(size_t)card * image->ports + port].text, XT_IMAGE_PORT_NAME_SIZE,
			XT_NOT_IN_NAMES, "not the name of a port");
	}
	take_table(r, p, (size_t)1 << p->grt_bits);
	image->grt_at[card] = xt_tables_seen_put(&r->grts, image->grt, (size_t)1 << p->grt_bits, card, r->table);
	take_table(r, p, (size_t)1 << p->lrt_bits);
	image->lrt_at[card] = xt_tables_seen_put(&r->lrts, image->lrt, (size_t)1 << p->lrt_bits, card, r->table);
	image->shared |= image->grt_at[card] != card || image->lrt_at[card] != card;
}

static void take_cards(reader_t *r, xt_image_t *image)
{
	const xt_profile_t *p = image->profile;

	r->table = malloc(sizeof(*r->table) << (p->grt_bits > p->lrt_bits ? p->grt_bits : p->lrt_bits));
	if (!r->table || xt_tables_seen_open(&r->grts, image->cards) != XT_OK ||
		xt_tables_seen_open(&r->lrts, image->cards) != XT_OK) {
		r->status = xt_fail(r->diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned card = 0; card < image->cards && r->status == XT_OK; card++) {
		take_card(r, image, card);
	}
	xt_tables_seen_close(&r->grts);
	xt_tables_seen_close(&r->lrts);
	free(r->table);
}

/* A cable has two ends: what a port leads to leads back, or is the end of a one-way link and leads nowhere. Then no
 * other port leads there. */
static void check_wiring(reader_t *r, const xt_image_t *image)
{
	unsigned ports = image->profile->link_ports;
	uint8_t *receives = calloc((size_t)image->cards * ports, 1);

	if (!receives) {
		r->status = xt_fail(r->diag, XT_ERR_NOMEM, "out of memory");
		return;
	}
	for (unsigned card = 0; card < image->cards && r->status == XT_OK; card++) {
		for (unsigned port = 0; port < ports && r->status == XT_OK; port++) {
			xt_peer_t peer = xt_image_peer(image, card, port), back;

			if (peer.card == XT_NO_CARD) {
				continue;
			}
			back = xt_image_peer(image, peer.card, peer.port);
			if (back.card == XT_NO_CARD ? receives[(size_t)peer.card * ports + peer.port]++
						    : back.card != card || back.port != port) {
				r->status = xt_fail(r->diag, XT_ERR_FORMAT,
					"%.200s: port %u of card %u leads to port %u of card %u, which does not lead "
					"back; " MAKE_AGAIN,
					r->name, port, card, (unsigned)peer.port, (unsigned)peer.card);
			}
		}
	}
	free(receives);
}

static void take_version(reader_t *r)
{
	uint32_t version = (uint32_t)take_number(r, 4);

	if (r->status == XT_OK && version != XT_IMAGE_FORMAT_VERSION) {
		r->status =
			xt_fail(r->diag, XT_ERR_FORMAT, "%.200s: format version %u, this build reads %u; " MAKE_AGAIN,
				r->name, (unsigned)version, XT_IMAGE_FORMAT_VERSION);
	}
}

static void take_size(reader_t *r, const xt_profile_t *p, uint32_t *cards, uint32_t *pes)
{
	/* The fixed part of a PE and of a card: keeps a made-up count from allocating memory. */
	uint64_t per_pe = 5, per_card = 4 + 4 * p->tcs + 2 + 7 * p->link_ports + 2 * xt_profile_ports(p) + 8;

	*cards = (uint32_t)take_number(r, 4);
	*pes = (uint32_t)take_number(r, 4);
	if (r->status != XT_OK) {
		return;
	}
	if (*cards == 0 || *cards > XT_MAX_CARDS) {
		malformed(r, "a number of cards outside 1 .. 65536");
	} else if (*pes == 0 || *pes % *cards != 0 || *pes / *cards > p->nic_ports) {
		malformed(r, "a number of PEs that does not go with cards and NIC ports");
	} else if (*pes * per_pe + *cards * per_card > left(r)) {
		malformed(r, "more cards and PEs than the file has room for");
	}
}

/* Closes the bytes. */
static int decode(xt_image_bytes_t bytes, int status, const char *name, xt_image_t **out, xt_diag_t *diag)
{
	reader_t r = {.bytes = bytes, .name = name, .status = status, .diag = diag};
	char spec[XT_IMAGE_SPEC_SIZE] = "", algorithm[XT_IMAGE_ALGORITHM_SIZE] = "";
	const xt_profile_t *profile = NULL;
	uint32_t cards = 0, pes = 0;
	xt_image_t *image = NULL;

	take_version(&r);
	if (r.status == XT_OK) {
		profile = take_profile(&r);
	}
	if (profile) {
		take_text(&r, spec, sizeof(spec), XT_NOT_IN_SPECS, "not the name of a topology");
		take_text(&r, algorithm, sizeof(algorithm), XT_NOT_IN_NAMES, "not the name of an algorithm");
		take_size(&r, profile, &cards, &pes);
	}
	if (r.status == XT_OK) {
		r.status = xt_image_allocate(profile, cards, pes, &image, diag);
	}
	if (r.status == XT_OK) {
		memcpy(image->spec, spec, sizeof(spec));
		memcpy(image->algorithm, algorithm, sizeof(algorithm));
		take_pes(&r, image);
	}
	if (r.status == XT_OK) {
		take_cards(&r, image);
	}
	if (r.status == XT_OK && left(&r)) {
		malformed(&r, "something follows the last card");
	}
	if (r.status == XT_OK && !xt_image_bytes_same(&r.bytes)) {
		r.status = xt_fail(diag, XT_ERR_IO, "%.200s: has changed while it was read; read it again", name);
	}
	if (r.status == XT_OK) {
		check_wiring(&r, image);
	}
	xt_image_bytes_close(&r.bytes);
	if (r.status != XT_OK) {
		xt_image_free(image);
		image = NULL;
	}
	*out = image;
	return r.status;
}

int xt_image_decode(const void *bytes, size_t size, const char *name, xt_image_t **out, xt_diag_t *diag)
{
	xt_image_bytes_t b;
	const int status = xt_image_bytes_of(bytes, size, name, &b, diag);

	return decode(b, status, name, out, diag);
}

/* Whether a name is that of a topology rather than of a file or device, as far as its form says. */
static bool is_topology(const char *path)
{
	const char *colon = strchr(path, ':');

	return colon && colon[1] >= '0' && colon[1] <= '9' && !strchr(path, '/');
}

int xt_image_read(const char *path, xt_image_t **out, xt_diag_t *diag)
{
	xt_image_bytes_t bytes;
	int status;

	errno = 0;
	status = xt_image_bytes_open(path, &bytes, diag);
	if (status == XT_ERR_IO && errno == ENOENT && is_topology(path)) {
		status = xt_fail(diag, status,
			"%.100s: there is no such image; `extorus route %.100s --algorithm NAME -o FILE` makes one",
			path, path);
	}
	return decode(bytes, status, path, out, diag);
}
