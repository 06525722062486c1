/* SPDX-License-Identifier: Apache-2.0 */
#include "ownership.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "extorus/board.h"
#include "extorus/profiles.h"
#include "extorus/random.h"
#include "extorus/registers.h"

enum { FIRST_MAP = 3 }; /* with OWNER and LOAD */

uint32_t xt_ownership_make_id(void)
{
	uint32_t id = 0;

	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != (ssize_t)sizeof(id) || id == 0) {
		id = (uint32_t)xt_mix64(xt_now_ms() << 20 ^ (uint64_t)getpid()) | 1;
	}
	return id;
}

static int is_known(const xt_device_t *device)
{
	return device->map_version >= FIRST_MAP;
}

/* As read_cards of a back end, for any. */
static int read_cards(xt_device_t *device, xt_register_id_t id, uint32_t *values, unsigned count, xt_diag_t *diag)
{
	const xt_backend_t *backend = device->backend;
	const uint32_t address = xt_register_address(id, 0, 0);
	int status = XT_OK;

	if (backend->read_cards) {
		return backend->read_cards(device->engine, address, values, count, diag);
	}
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		status = backend->read(device->engine, card, address, values + card * count, count, diag);
	}
	return status;
}

int xt_ownership_read_all(xt_device_t *device, xt_ownership_t **out, xt_diag_t *diag)
{
	xt_ownership_t *all = calloc(device->cards, sizeof(*all));
	uint32_t *words = calloc(device->cards, 3 * sizeof(*words)), *quiesce = words + 2 * (size_t)device->cards;
	int status = all && words ? read_cards(device, XT_REG_QUIESCE, quiesce, 1, diag)
				  : xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");

	if (status == XT_OK && is_known(device)) {
		status = read_cards(device, XT_REG_OWNER, words, 2, diag);
	}
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		all[card] = (xt_ownership_t){.owner = words[2 * card],
			.phase = words[2 * card + 1] & ((1u << XT_FIELD_LOAD_PHASE_BITS) - 1),
			.generation = words[2 * card + 1] >> XT_FIELD_LOAD_GENERATION_LSB,
			.quiesce = quiesce[card]};
	}
	free(words);
	if (status != XT_OK) {
		free(all);
		all = NULL;
	}
	*out = all;
	return status;
}

int xt_ownership_write_quiesce(xt_device_t *device, const uint32_t *values, xt_diag_t *diag)
{
	return xt_device_write_cards(device, xt_register_address(XT_REG_QUIESCE, 0, 0), values, 1, diag);
}

int xt_ownership_summarise(xt_device_t *device, xt_ownership_summary_t *s, xt_diag_t *diag)
{
	xt_ownership_t *all;
	int status = xt_ownership_read_all(device, &all, diag);

	*s = (xt_ownership_summary_t){.known = is_known(device), .held = 1};
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		const xt_ownership_t o = all[card];

		s->held &=
			o.phase != XT_PHASE_IDLE && (!card || (o.owner == s->owner && o.generation == s->generation));
		s->mixed |= o.phase == XT_PHASE_WRITING || o.phase >= XT_PHASE_TEST;
		s->written |= o.phase == XT_PHASE_WRITTEN;
		s->reset |= o.phase == XT_PHASE_RESET;
		s->owner = s->owner || o.phase == XT_PHASE_IDLE ? s->owner : o.owner;
		s->interrupted |= o.phase != XT_PHASE_IDLE;
		s->generation = o.generation > s->generation ? o.generation : s->generation;
		if (o.quiesce && !s->cards_quiesced++) {
			s->first_quiesced = card;
			s->quiesce = o.quiesce;
		}
	}
	/* One card of a load becomes WRITTEN only after all have been. */
	s->mixed &= !(s->written && s->held);
	free(all);
	return status;
}

static uint32_t load_word(xt_phase_t phase, uint32_t generation)
{
	return generation << XT_FIELD_LOAD_GENERATION_LSB | (uint32_t)phase;
}

int xt_ownership_write_all(xt_device_t *device, uint32_t owner, xt_phase_t phase, uint32_t generation, xt_diag_t *diag)
{
	uint32_t *words;
	int status;

	if (!is_known(device)) {
		return XT_OK;
	}
	if (!(words = malloc(device->cards * 2 * sizeof(*words)))) {
		return xt_fail(diag, XT_ERR_NOMEM, "device: out of memory");
	}
	for (unsigned card = 0; card < device->cards; card++) {
		words[2 * card] = owner;
		words[2 * card + 1] = load_word(phase, generation);
	}
	status = xt_device_write_cards(device, xt_register_address(XT_REG_OWNER, 0, 0), words, 2, diag);
	free(words);
	return status;
}

/* "d0-, nic", or "all ports". */
static void name_ports(const xt_device_t *device, unsigned card, uint32_t ports, char *text, size_t size)
{
	unsigned count = xt_profile_ports(device->profile);
	size_t used = 0;

	if (ports == (1u << count) - 1) {
		snprintf(text, size, "all ports");
		return;
	}
	for (unsigned port = 0; port < count && used < size; port++) {
		if (ports >> port & 1) {
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "port ",
				xt_device_port_name(device, card, port));
		}
	}
}

int xt_device_check_released(xt_device_t *device, xt_diag_t *diag)
{
	xt_ownership_summary_t s;
	char ports[160] = "", more[40] = "", owner[80] = "";
	int status = xt_ownership_summarise(device, &s, diag);

	if (status != XT_OK || (!s.mixed && !s.cards_quiesced)) {
		return status;
	}
	if (s.interrupted) {
		snprintf(owner, sizeof(owner),
			"a %s was interrupted here (owner %08" PRIx32 "): ", s.reset ? "reset" : "load or test",
			s.owner);
	} else if (xt_device_interrupted(device)) {
		snprintf(owner, sizeof(owner), "a load was interrupted here: ");
	}
	if (!s.cards_quiesced) {
		return xt_fail(
			diag, XT_ERR_MISMATCH, "%sthe tables may be mixed; load an image, or reset all cards", owner);
	}
	name_ports(device, s.first_quiesced, s.quiesce, ports, sizeof(ports));
	if (s.cards_quiesced > 1) {
		snprintf(more, sizeof(more), " (and %u more cards)", s.cards_quiesced - 1);
	}
	return xt_fail(diag, XT_ERR_MISMATCH,
		"%scard %u%s: %s quiesced, packets wait%s; load an image, or reset all cards", owner, s.first_quiesced,
		more, ports, s.mixed ? ", and the tables may be mixed" : "");
}

/* Marks a card as under test, or takes the mark away. A load that was interrupted before stays named. */
static int mark_test(xt_device_t *device, unsigned card, int begins, xt_diag_t *diag)
{
	const uint32_t address = xt_register_address(XT_REG_OWNER, 0, 0);
	uint32_t words[2] = {0, 0}, phase;
	int status = is_known(device) ? device->backend->read(device->engine, card, address, words, 2, diag) : XT_OK;

	phase = words[1] & ((1u << XT_FIELD_LOAD_PHASE_BITS) - 1);
	if (status != XT_OK || !is_known(device) || phase != (begins ? XT_PHASE_IDLE : XT_PHASE_TEST)) {
		return status;
	}
	words[0] = begins ? xt_ownership_make_id() : 0;
	words[1] = load_word(begins ? XT_PHASE_TEST : XT_PHASE_IDLE, words[1] >> XT_FIELD_LOAD_GENERATION_LSB);
	return device->backend->write(device->engine, card, address, words, 2, diag);
}

int xt_device_begin_test(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	return mark_test(device, card, 1, diag);
}

int xt_device_end_test(xt_device_t *device, unsigned card, xt_diag_t *diag)
{
	return mark_test(device, card, 0, diag);
}
