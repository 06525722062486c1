/* SPDX-License-Identifier: Apache-2.0
 *
 * Unicast forwarding tables as OpenSM dumps them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/forwarding_dump.h"
#include "extorus/profiles.h"
#include "topology/wiring.h"

enum { MOST_LID = 0xbfff, UNREACHABLE = 255 };

/* Of cards that no file gave a GUID. */
static const uint64_t first_guid = UINT64_C(0x0000e70000000001);

typedef struct {
	uint32_t lid;
	uint32_t card, pe;
	bool is_switch;
	uint64_t guid;
} destination_t;

typedef struct {
	const xt_image_t *image;
	const xt_topology_t *topology;
	const xt_wiring_t *wiring; /* with labels of InfiniBand, or NULL */
	destination_t *destinations;
	size_t count;
	xt_diag_t *diag;
} dump_t;

static int by_lid(const void *a, const void *b)
{
	const destination_t *x = a, *y = b;

	return x->lid < y->lid ? -1 : x->lid > y->lid;
}

static const char *name_of(const dump_t *d, const destination_t *to, char *text, size_t size)
{
	const char *name = xt_topology_card_name(d->topology, to->card);

	if (name && (to->is_switch || d->wiring)) {
		return name;
	}
	snprintf(text, size, "%s %u", to->is_switch ? "card" : "PE", to->is_switch ? to->card : to->pe);
	return text;
}

/* The LIDs of the file that the network came from. */
static int take_lids(dump_t *d)
{
	unsigned pes = d->image ? xt_image_pes(d->image) / xt_image_cards(d->image) : 1;

	for (unsigned card = 0; card < xt_image_cards(d->image); card++) {
		const xt_card_label_t *label = &d->wiring->labels[card];
		unsigned cables = 0;

		for (unsigned port = 0; port < d->wiring->ports; port++) {
			cables += xt_image_peer(d->image, card, port).card != XT_NO_CARD;
		}
		if (label->host && cables > 1) {
			return xt_fail(d->diag, XT_ERR_UNSUPPORTED,
				"%.80s has %u cables, and a LID for each: hosts of InfiniBand forward nothing; leave "
				"all but one out of "
				"the dump",
				label->name, cables);
		}
		if (label->lid == 0) {
			return xt_fail(d->diag, XT_ERR_UNSUPPORTED,
				"%.80s has no LID in the dump of ibnetdiscover; run that while a subnet manager is "
				"active",
				label->name);
		}
		d->destinations[d->count++] = (destination_t){label->lid, card, card * pes, !label->host, label->guid};
	}
	return XT_OK;
}

/* Cards first, then their PEs. */
static int number_lids(dump_t *d)
{
	unsigned cards = xt_image_cards(d->image), pes = xt_image_pes(d->image);

	if (cards + pes > MOST_LID) {
		return xt_fail(d->diag, XT_ERR_UNSUPPORTED,
			"topology %s: %u cards and PEs, InfiniBand has %d LIDs; use fewer",
			xt_topology_spec(d->topology), cards + pes, MOST_LID);
	}
	for (unsigned card = 0; card < cards; card++) {
		d->destinations[d->count++] =
			(destination_t){card + 1, card, card * (pes / cards), true, first_guid + card};
	}
	for (unsigned pe = 0; pe < pes; pe++) {
		d->destinations[d->count++] = (destination_t){
			cards + pe + 1, xt_image_pe_card(d->image, pe), pe, false, first_guid + cards + pe};
	}
	return XT_OK;
}

/* Port of the switch, as InfiniBand counts. */
static unsigned number_of(const dump_t *d, unsigned card, unsigned port)
{
	return d->wiring ? d->wiring->port_number[(size_t)card * d->wiring->ports + port] : port + 1;
}

static int find_port(const dump_t *d, unsigned card, const destination_t *to, unsigned *number)
{
	const xt_profile_t *p = xt_image_profile(d->image);
	xt_route_t route = {0};

	*number = UNREACHABLE;
	if (to->card == card) {
		*number = to->is_switch ? 0 : p->link_ports + xt_image_pe_unit(d->image, to->pe) + 1;
		return XT_OK;
	}
	if (!xt_image_pe_in_service(d->image, to->pe)) {
		return XT_OK;
	}
	for (unsigned tc = 0; tc < p->tcs; tc++) {
		xt_route_t other = xt_image_lookup(d->image, card, tc, xt_image_pe_address(d->image, to->pe));

		if (tc && (other.valid != route.valid || (route.valid && other.port != route.port))) {
			return xt_fail(d->diag, XT_ERR_UNSUPPORTED,
				"card %u: the port to PE %u depends on the TC, InfiniBand's tables have one; use "
				"--algorithm updown",
				card, to->pe);
		}
		route = other;
	}
	if (route.valid && route.port < p->link_ports) {
		*number = number_of(d, card, route.port);
	}
	return XT_OK;
}

static int write_switch(const dump_t *d, const destination_t *here, FILE *out)
{
	char text[32];
	unsigned dumped = 0;

	fprintf(out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " ('%s'):\n",
		d->destinations[d->count - 1].lid, here->lid, here->guid, name_of(d, here, text, sizeof(text)));
	for (size_t i = 0; i < d->count; i++) {
		const destination_t *to = &d->destinations[i];
		unsigned port;
		int status = find_port(d, here->card, to, &port);

		if (status != XT_OK) {
			return status;
		}
		if (port != UNREACHABLE) {
			fprintf(out, "0x%04x %03u # %s portguid 0x%016" PRIx64 ": '%s'\n", to->lid, port,
				to->is_switch ? "Switch" : "Channel Adapter", to->guid,
				name_of(d, to, text, sizeof(text)));
			dumped++;
		}
	}
	fprintf(out, "%u lids dumped\n", dumped);
	return XT_OK;
}

int xt_image_write_opensm(const xt_image_t *image, const xt_topology_t *topology, FILE *out, xt_diag_t *diag)
{
	size_t most = (size_t)xt_image_cards(image) + xt_image_pes(image);
	dump_t d = {.image = image, .topology = topology, .diag = diag};
	const xt_wiring_t *wiring = xt_topology_wiring(topology);
	int status;

	for (unsigned card = 0; wiring && wiring->labels && card < wiring->cards; card++) {
		d.wiring = wiring->labels[card].guid ? wiring : d.wiring;
	}
	d.destinations = calloc(most, sizeof(*d.destinations));
	if (!d.destinations) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	status = d.wiring ? take_lids(&d) : number_lids(&d);
	if (status == XT_OK) {
		qsort(d.destinations, d.count, sizeof(*d.destinations), by_lid);
	}
	for (size_t i = 0; i < d.count && status == XT_OK; i++) {
		status = d.destinations[i].is_switch ? write_switch(&d, &d.destinations[i], out) : XT_OK;
	}
	free(d.destinations);
	return status;
}
