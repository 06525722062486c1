/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "device_internal.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"

static const char *const select_names[XT_SELECTS] = {
	[XT_SELECT_RR] = "rr",
	[XT_SELECT_NO_INTERNAL] = "no-internal",
	[XT_SELECT_2_PRIORITY] = "2-priority",
	[XT_SELECT_3_PRIORITY] = "3-priority",
};

const char *xt_select_name(xt_select_t select)
{
	return select_names[select];
}

int xt_select_parse(const char *text, xt_select_t *select, xt_diag_t *diag)
{
	for (unsigned i = 0; i < XT_SELECTS; i++) {
		if (strcmp(text, select_names[i]) == 0) {
			*select = (xt_select_t)i;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID, "selection \"%.40s\" is not one of %s, %s, %s, %s", text, select_names[0],
		select_names[1], select_names[2], select_names[3]);
}

int xt_weight_parse(const char *text, xt_weight_t *weight, xt_diag_t *diag)
{
	const char *colon = strchr(text, ':');
	const char *rest = colon ? colon + 1 : text;
	size_t length = colon ? (size_t)(colon - text) : 0;
	uint64_t tc, share;

	if (length == 0 || length >= sizeof(weight->port) || xt_number_take(&rest, XT_MAX_TCS - 1, &tc) ||
		*rest++ != '=' || xt_number_parse(rest, XT_MAX_WEIGHT, &share)) {
		return xt_fail(diag, XT_ERR_INVALID,
			"weight \"%.60s\" is not of the form PORT:TC=WEIGHT with a TC of 0 to %d and a weight of 0 to "
			"%d, like d0+:1=3",
			text, XT_MAX_TCS - 1, XT_MAX_WEIGHT);
	}
	memcpy(weight->port, text, length);
	weight->port[length] = '\0';
	weight->tc = (unsigned)tc;
	weight->weight = (unsigned)share;
	return XT_OK;
}

static int need(const xt_device_t *device, xt_register_id_t id, const char *what, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);

	return xt_register_present(id, xt_profile_features(profile))
		       ? XT_OK
		       : xt_fail(diag, XT_ERR_UNSUPPORTED, "settings: cards of profile %s have no %s", profile->name,
				 what);
}

enum { INJECTION = XT_SETTING_INJECT_WAIT | XT_SETTING_INJECT_ROOM };

static int write_one(xt_device_t *device, unsigned card, xt_register_id_t id, unsigned port, unsigned item,
	uint32_t value, xt_diag_t *diag)
{
	return xt_device_has(device, card)
		       ? xt_device_write(device, card, xt_register_address(id, port, item), &value, 1, diag)
		       : XT_OK;
}

static int set_thresholds(xt_device_t *device, unsigned card, const xt_settings_t *settings, xt_diag_t *diag)
{
	const uint32_t mask = (1u << XT_FIELD_ADAPTIVE_THRESHOLDS_LOW_BITS) - 1;
	uint32_t value, low, high;
	int status =
		xt_device_read(device, card, xt_register_address(XT_REG_ADAPTIVE_THRESHOLDS, 0, 0), &value, 1, diag);

	if (status) {
		return status;
	}
	low = settings->given & XT_SETTING_ADAPTIVE_LOW ? settings->adaptive_low
							: value >> XT_FIELD_ADAPTIVE_THRESHOLDS_LOW_LSB & mask;
	high = settings->given & XT_SETTING_ADAPTIVE_HIGH ? settings->adaptive_high
							  : value >> XT_FIELD_ADAPTIVE_THRESHOLDS_HIGH_LSB & mask;
	if (low > high || high > mask) {
		return xt_fail(diag, XT_ERR_RANGE,
			"settings: adaptive thresholds low %u, high %u: low must not be above high, high not above %u",
			(unsigned)low, (unsigned)high, (unsigned)mask);
	}
	return write_one(device, card, XT_REG_ADAPTIVE_THRESHOLDS, 0, 0,
		low << XT_FIELD_ADAPTIVE_THRESHOLDS_LOW_LSB | high << XT_FIELD_ADAPTIVE_THRESHOLDS_HIGH_LSB, diag);
}

static int set_injection(xt_device_t *device, unsigned card, const xt_settings_t *settings, xt_diag_t *diag)
{
	const uint32_t address = xt_register_address(XT_REG_INJECTION, 0, 0);
	uint32_t before, value;
	int status = xt_device_read(device, card, address, &before, 1, diag);

	if (status != XT_OK) {
		return status;
	}
	value = before;
	if (settings->given & XT_SETTING_INJECT_WAIT) {
		value = (value & ~(uint32_t)UINT16_MAX) | settings->inject_wait;
	}
	if (settings->given & XT_SETTING_INJECT_ROOM) {
		value = (value & UINT16_MAX) | settings->inject_room << XT_FIELD_INJECTION_ROOM_LSB;
	}
	return value == before ? XT_OK : xt_device_write(device, card, address, &value, 1, diag);
}

static int set_given(xt_device_t *device, unsigned card, const xt_settings_t *settings, xt_diag_t *diag)
{
	int status = XT_OK;

	if (settings->given & XT_SETTING_SELECT) {
		status = write_one(device, card, XT_REG_ADAPTIVE_SELECT, 0, 0, (uint32_t)settings->select, diag);
	}
	if (status == XT_OK && (settings->given & (XT_SETTING_ADAPTIVE_LOW | XT_SETTING_ADAPTIVE_HIGH))) {
		status = set_thresholds(device, card, settings, diag);
	}
	if (status == XT_OK && (settings->given & XT_SETTING_PATIENCE)) {
		status = write_one(device, card, XT_REG_ADAPTIVE_PATIENCE, 0, 0, settings->patience, diag);
	}
	if (status == XT_OK && (settings->given & INJECTION)) {
		status = set_injection(device, card, settings, diag);
	}
	return status;
}

static int set_weight(xt_device_t *device, const xt_weight_t *weight, xt_diag_t *diag)
{
	const xt_profile_t *profile = xt_device_profile(device);
	unsigned found = 0;

	if (weight->tc >= profile->tcs) {
		return xt_fail(
			diag, XT_ERR_RANGE, "settings: there is no TC %u, only 0 to %u", weight->tc, profile->tcs - 1);
	}
	for (unsigned card = 0; card < xt_device_cards(device); card++) {
		unsigned port;
		int status;

		if (xt_device_find_port(device, card, weight->port, &port, NULL) != XT_OK) {
			continue;
		}
		found++;
		status = write_one(device, card, XT_REG_TC_WEIGHT, port, weight->tc, weight->weight, diag);
		if (status) {
			return status;
		}
	}
	return found ? XT_OK : xt_fail(diag, XT_ERR_RANGE, "settings: no card has a port \"%.15s\"", weight->port);
}

int xt_device_configure(xt_device_t *device, const xt_settings_t *settings, xt_diag_t *diag)
{
	int status = settings->given & ~(unsigned)INJECTION
			     ? need(device, XT_REG_ADAPTIVE_SELECT, "adaptive routing", diag)
			     : XT_OK;

	if (status == XT_OK && settings->weight_count) {
		status = need(device, XT_REG_TC_WEIGHT, "weights of traffic classes", diag);
	}
	if (status == XT_OK && (settings->given & XT_SETTING_PATIENCE) && settings->patience > UINT16_MAX) {
		status = xt_fail(diag, XT_ERR_RANGE, "settings: a patience of %u cycles; at most %u",
			settings->patience, (unsigned)UINT16_MAX);
	}
	if (status == XT_OK &&
		(((settings->given & XT_SETTING_INJECT_WAIT) && settings->inject_wait > UINT16_MAX) ||
			((settings->given & XT_SETTING_INJECT_ROOM) && settings->inject_room > UINT16_MAX))) {
		status = xt_fail(diag, XT_ERR_RANGE,
			"settings: packets from NICs give way for %u cycles, for a room of %u cells; at most %u each",
			settings->inject_wait, settings->inject_room, (unsigned)UINT16_MAX);
	}
	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK && settings->given; card++) {
		status = xt_device_has(device, card) ? set_given(device, card, settings, diag) : XT_OK;
	}
	for (unsigned i = 0; i < settings->weight_count && status == XT_OK; i++) {
		status = set_weight(device, &settings->weights[i], diag);
	}
	return status;
}

/* Link ports whose packets enter the ring of an output: those of the other dimensions. None at an output without one.
 */
static uint32_t entrants_of(const xt_image_t *image, unsigned card, unsigned output)
{
	const char *name = xt_image_port_name(image, card, output);
	const size_t dimension = strcspn(name, "+-");
	uint32_t entrants = 0;

	for (unsigned p = 0; name[0] == 'd' && p < xt_image_profile(image)->link_ports; p++) {
		const char *other = xt_image_port_name(image, card, p);

		entrants |= (uint32_t)(other[0] == 'd' &&
				       (strcspn(other, "+-") != dimension || strncmp(name, other, dimension) != 0))
			    << p;
	}
	return entrants;
}

static int set_entrants(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK; card++) {
		for (unsigned p = 0; p < xt_image_profile(image)->link_ports && status == XT_OK; p++) {
			status = write_one(device, card, XT_REG_ENTRANTS, p, 0, entrants_of(image, card, p), diag);
		}
	}
	return status;
}

/* How packets that enter the network or a ring give way to those within it. */
typedef struct {
	unsigned wait;  /* cycles */
	unsigned share; /* of the shared cells, one of so many is to be free behind the link */
	bool rings;     /* those that turn into a ring give way too */
} transit_t;

/* The best of the values that were measured at full load for 50,000 cycles: sim/experiments/saturation. Networks of few
 * rings are fairer where packets wait less. In twin tori of more dimensions more room lowers throughput, as nearly each
 * hop enters a ring; with five rings of four nodes each wait that was tried does. */
static transit_t transit_of(const xt_image_t *image)
{
	const char *topology = xt_image_topology(image);
	const bool is_torus = strncmp(topology, "torus:", 6) == 0, is_twin = strncmp(topology, "twin:", 5) == 0;
	unsigned dimensions = 0, rings = 0;
	bool few;

	/* Radices; behind them options and failures. */
	for (const char *c = strchr(topology, ':'); c && (*c == ':' || *c == 'x'); c += 1 + strcspn(c + 1, "x,~")) {
		dimensions++;
		rings += strtoul(c + 1, NULL, 10) > 2;
	}
	few = (is_torus && dimensions <= 2) || (is_twin && dimensions <= 3);
	return (transit_t){
		.wait = few                    ? 64
			: is_twin && rings > 4 ? 0
					       : 256,
		.share = is_torus || few ? 3 : 6,
		.rings = is_torus || is_twin,
	};
}

int xt_device_prioritise_transit(xt_device_t *device, const xt_image_t *image, xt_diag_t *diag)
{
	const unsigned shared = xt_profile_shared_cells(xt_image_profile(image));
	const transit_t transit = transit_of(image);
	const xt_settings_t settings = {
		.given = INJECTION,
		.inject_wait = transit.wait,
		.inject_room = shared / transit.share,
	};
	const int status = xt_device_configure(device, &settings, diag);

	return !status && shared && transit.rings ? set_entrants(device, image, diag) : status;
}
