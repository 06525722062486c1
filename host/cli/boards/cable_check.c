/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "cable_check.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "options/monotonic.h"

enum { DOWN_MS = 5000, NONE = -1 };

/* A link port of a board's card. */
typedef struct {
	unsigned board, card, port;
	unsigned number;   /* of the card in the image */
	int wanted, leads; /* the end at the other side, by the image and by the cable */
	int up;            /* and not yet matched */
	int disabled;
} cable_end_t;

typedef struct {
	const xt_boards_t *boards;
	const xt_image_t *image;
	unsigned links; /* of a card */
	cable_end_t *ends;
	unsigned count;
} cables_t;

static int state_of(const cables_t *c, cable_end_t *end, unsigned *state, xt_diag_t *diag)
{
	uint32_t value = 0;
	int status = xt_link_read_state(c->boards->devices[end->board], end->card, end->port, &value, diag);

	*state = xt_link_state_of(value);
	end->disabled = *state == XT_LINK_DOWN && xt_link_cause_of(value) == XT_CAUSE_DISABLED;
	return status;
}

static int take_ends(cables_t *c, xt_diag_t *diag)
{
	const unsigned cards = xt_image_cards(c->image);
	unsigned number = 0;
	int status = xt_boards_fit(c->boards, c->image, diag);

	if (status != XT_OK) {
		return status;
	}
	c->ends = calloc((size_t)cards * c->links, sizeof(*c->ends));
	if (!c->ends) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	for (unsigned board = 0; board < c->boards->count; board++) {
		for (unsigned card = 0; card < xt_device_cards(c->boards->devices[board]); card++, number++) {
			for (unsigned port = 0; port < c->links; port++) {
				c->ends[c->count++] = (cable_end_t){board, card, port, number, NONE, NONE, 0, 0};
			}
		}
	}
	for (unsigned i = 0; i < c->count && status == XT_OK; i++) {
		const xt_peer_t peer = xt_image_peer(c->image, c->ends[i].number, c->ends[i].port);
		unsigned state = 0;

		if (peer.card != XT_NO_CARD) {
			c->ends[i].wanted = (int)(peer.card * c->links + peer.port);
			c->ends[peer.card * c->links + peer.port].wanted = (int)i;
		}
		status = state_of(c, &c->ends[i], &state, diag);
		c->ends[i].up = state == XT_LINK_UP;
	}
	return status;
}

/* The other end of `end`, which is being held down: the one that goes down with it. */
static int find_other_end(cables_t *c, cable_end_t *end, xt_diag_t *diag)
{
	const uint64_t late = xt_now_ms() + DOWN_MS;
	int status = XT_OK;

	do {
		for (unsigned i = 0; i < c->count && status == XT_OK && end->leads == NONE; i++) {
			cable_end_t *other = &c->ends[i];
			unsigned state = XT_LINK_UP;

			if (other->up) {
				status = state_of(c, other, &state, diag);
			}
			if (status == XT_OK && state == XT_LINK_DOWN) {
				end->leads = (int)i;
				other->leads = (int)(end - c->ends);
				other->up = 0;
			}
		}
	} while (status == XT_OK && end->leads == NONE && xt_now_ms() < late);
	return status;
}

static int hold_down(xt_device_t *device, unsigned card, uint32_t ports, xt_diag_t *diag)
{
	return xt_device_write(device, card, xt_register_address(XT_REG_LINK_DISABLE, 0, 0), &ports, 1, diag);
}

static int follow(cables_t *c, cable_end_t *end, xt_diag_t *diag)
{
	xt_device_t *device = c->boards->devices[end->board];
	uint32_t before = 0;
	int restored, status = xt_device_read(
			      device, end->card, xt_register_address(XT_REG_LINK_DISABLE, 0, 0), &before, 1, diag);

	end->up = 0;
	if (status != XT_OK) {
		return status;
	}
	status = hold_down(device, end->card, before | 1u << end->port, diag);
	if (status == XT_OK) {
		status = find_other_end(c, end, diag);
	}
	xt_device_shield(device, 1);
	restored = hold_down(device, end->card, before, status == XT_OK ? diag : NULL);
	xt_device_shield(device, 0);
	return status == XT_OK ? restored : status;
}

static json_t *end_json(const cables_t *c, int index)
{
	const cable_end_t *end = index == NONE ? NULL : &c->ends[index];

	return !end ? json_null()
		    : json_pack("{s:s, s:i, s:i, s:s}", "device", c->boards->uris[end->board], "card", (int)end->card,
			      "port", (int)end->port, "name", xt_image_port_name(c->image, end->number, end->port));
}

static void print_end(const cables_t *c, const char *before, int index)
{
	const cable_end_t *end = &c->ends[index];

	printf("%s%s card %u port %u (%s)", before, c->boards->uris[end->board], end->card, end->port,
		xt_image_port_name(c->image, end->number, end->port));
}

static void tell(const cables_t *c, int index, json_t *list)
{
	const cable_end_t *end = &c->ends[index];

	if (list) {
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "end", end_json(c, index), "leads_to",
						    end_json(c, end->leads), "wanted", end_json(c, end->wanted)));
		return;
	}
	print_end(c, "", index);
	if (end->leads == NONE) {
		printf(": no link to any of these boards");
	} else {
		print_end(c, ": the cable leads to ", end->leads);
	}
	if (end->wanted == NONE) {
		printf("; unplug it\n");
	} else {
		print_end(c, end->leads == NONE ? "; plug a cable from here into " : "; plug it into ", end->wanted);
		printf("%s\n", end->disabled ? "; the port is disabled, `extorus reset` enables it" : "");
	}
}

/* Every link that is up goes down, and stays so. found[board]: ports whose other end is known, of those. */
static int check_cables(const xt_boards_t *boards, const xt_image_t *image, json_t *list, unsigned *wrong,
	xt_link_ports_t *found, xt_diag_t *diag)
{
	cables_t c = {boards, image, xt_image_profile(image)->link_ports, NULL, 0};
	int status = take_ends(&c, diag);

	for (unsigned i = 0; i < c.count && status == XT_OK; i++) {
		if (c.ends[i].up) {
			status = follow(&c, &c.ends[i], diag);
		}
	}
	for (unsigned i = 0; i < c.count && status == XT_OK; i++) {
		found[c.ends[i].board].of_card[c.ends[i].card] |= (uint32_t)(c.ends[i].leads != NONE) << c.ends[i].port;
		if (c.ends[i].leads != c.ends[i].wanted) {
			*wrong += 1;
			tell(&c, (int)i, list);
		}
	}
	free(c.ends);
	return status;
}

/* Links that were up are up again. A link to a board that is not among these stays down: nobody trains its other end.
 */
static int check_up(const xt_boards_t *boards, const xt_link_ports_t *up, xt_diag_t *diag)
{
	xt_link_ports_t *now = calloc(boards->count, sizeof(*now));
	int status = now ? xt_links_find(boards, XT_LINK_UP, now, diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	for (unsigned d = 0; d < boards->count && status == XT_OK; d++) {
		for (unsigned card = 0; card < xt_device_cards(boards->devices[d]) && status == XT_OK; card++) {
			const uint32_t lost = up[d].of_card[card] & ~now[d].of_card[card];

			if (lost) {
				status = xt_fail(diag, XT_ERR_TIMEOUT,
					"%.100s: card %u port %s: the link does not come up again; look at its cable, "
					"then `extorus link --retrain`",
					boards->uris[d], card,
					xt_device_port_name(boards->devices[d], card, (unsigned)__builtin_ctz(lost)));
			}
		}
	}
	free(now);
	return status;
}

int xt_check_wiring(const xt_boards_t *boards, const xt_image_t *image, json_t *list, unsigned *wrong, xt_diag_t *diag)
{
	xt_link_ports_t *up = calloc(boards->count, sizeof(*up)), *found = calloc(boards->count, sizeof(*found));
	int trained, status = up && found ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK) {
		status = xt_links_find(boards, XT_LINK_UP, up, diag);
	}
	if (status == XT_OK) {
		status = check_cables(boards, image, list, wrong, found, diag);
		xt_boards_shield(boards, 1);
		trained = xt_links_train(boards, up, status == XT_OK ? diag : NULL);
		xt_boards_shield(boards, 0);
		status = status == XT_OK ? trained : status;
	}
	if (status == XT_OK && !*wrong) {
		status = check_up(boards, found, diag);
	}
	free(up);
	free(found);
	return status;
}

int xt_train_wired(const xt_boards_t *boards, const xt_image_t *image, xt_diag_t *diag)
{
	xt_link_ports_t *wired = calloc(boards->count, sizeof(*wired));
	unsigned number = 0;
	int status = wired ? XT_OK : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	for (unsigned d = 0; d < boards->count && status == XT_OK; d++) {
		for (unsigned card = 0; card < xt_device_cards(boards->devices[d]); card++, number++) {
			for (unsigned port = 0; port < xt_image_profile(image)->link_ports; port++) {
				const int is = xt_image_peer(image, number, port).card != XT_NO_CARD;

				wired[d].of_card[card] |= (uint32_t)is << port;
			}
		}
	}
	if (status == XT_OK) {
		status = xt_links_train(boards, wired, diag);
	}
	free(wired);
	return status;
}
