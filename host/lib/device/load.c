/* SPDX-License-Identifier: Apache-2.0
 *
 * Routing tables through a device's registers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "board_wiring.h"
#include "extorus/check.h"
#include "extorus/profiles.h"
#include "extorus/registers.h"
#include "extorus/settings.h"
#include "load.h"

xt_load_job_t xt_load_job(
	xt_device_t *device, const xt_image_t *image, xt_progress_t progress, void *context, xt_diag_t *diag)
{
	xt_load_job_t job = {.device = device,
		.image = image,
		.profile = device->profile,
		.progress = progress,
		.context = context,
		.diag = diag};

	job.grt_entries = 1u << job.profile->grt_bits;
	job.lrt_entries = 1u << job.profile->lrt_bits;
	job.ports = xt_profile_ports(job.profile);
	return job;
}

static void advance(xt_load_job_t *job, uint64_t entries)
{
	job->done += entries;
	if (job->progress) {
		job->progress(job->context, job->done, job->total);
	}
}

/* Entry `index` of GRT and LRT in one row: its register, and what the image has there. */
uint32_t xt_load_entry_address(const xt_load_job_t *job, unsigned index)
{
	return index < job->grt_entries ? xt_register_address(XT_REG_GRT, 0, index)
					: xt_register_address(XT_REG_LRT, 0, index - job->grt_entries);
}

uint64_t xt_load_image_entry(const xt_load_job_t *job, unsigned card, unsigned index)
{
	card += job->device->first;
	return index < job->grt_entries ? xt_image_grt(job->image, card)[index]
					: xt_image_lrt(job->image, card)[index - job->grt_entries];
}

static int write_word(xt_load_job_t *job, unsigned card, uint32_t address, uint32_t value)
{
	return xt_device_write(job->device, card, address, &value, 1, job->diag);
}

static int write_entry(xt_load_job_t *job, unsigned card, unsigned index, uint64_t value)
{
	const uint32_t words[XT_ENTRY_WORDS] = {(uint32_t)value, (uint32_t)(value >> 32)};
	int status =
		xt_device_write(job->device, card, xt_load_entry_address(job, index), words, XT_ENTRY_WORDS, job->diag);

	if (status == XT_OK && job->device->known) {
		job->device->known[(size_t)card * xt_device_entries(job->device) + index] = value;
	}
	return status;
}

static int read_entries(xt_load_job_t *job, unsigned card, unsigned index, unsigned count, uint64_t *values)
{
	enum { CHUNK = 64 };
	uint32_t words[CHUNK * XT_ENTRY_WORDS];

	while (count) {
		unsigned chunk = count < CHUNK ? count : CHUNK;
		int status = xt_device_read(job->device, card, xt_load_entry_address(job, index), words,
			(size_t)chunk * XT_ENTRY_WORDS, job->diag);

		if (status) {
			return status;
		}
		for (unsigned i = 0; i < chunk; i++) {
			*values++ = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
		}
		index += chunk;
		count -= chunk;
	}
	return XT_OK;
}

static int all_ports(xt_load_job_t *job, unsigned card)
{
	return write_word(job, card, xt_register_address(XT_REG_TABLE_PORTS, 0, 0), (1u << job->ports) - 1);
}

static int select_port(xt_load_job_t *job, unsigned card, unsigned port)
{
	return write_word(job, card, xt_register_address(XT_REG_TABLE_READ_PORT, 0, 0), port);
}

uint32_t xt_load_setting_address(xt_load_setting_t setting)
{
	return xt_register_address(setting.id, setting.index, setting.index);
}

/* Identity, order, masks and what else the image has for registers of a card; returns how many. */
unsigned xt_load_settings_of(const xt_load_job_t *job, unsigned card, xt_load_setting_t settings[XT_LOAD_SETTINGS])
{
	uint32_t features = xt_profile_features(job->profile);
	unsigned count = 0;

	card += job->device->first;
	settings[count++] = (xt_load_setting_t){XT_REG_CARD_ID, 0, xt_image_card_address(job->image, card)};
	settings[count++] = (xt_load_setting_t){XT_REG_ROUTE_ORDER, 0, xt_image_route_order(job->image, card)};
	for (unsigned tc = 0; tc < job->profile->tcs; tc++) {
		settings[count++] =
			(xt_load_setting_t){XT_REG_MATCH_MASK, tc, xt_image_match_mask(job->image, card, tc)};
	}
	if (xt_register_present(XT_REG_ADAPTIVE_PORTS, features)) {
		settings[count++] =
			(xt_load_setting_t){XT_REG_ADAPTIVE_PORTS, 0, xt_image_adaptive_ports(job->image, card)};
	}
	for (unsigned port = 0; xt_register_present(XT_REG_RING, features) && port < job->profile->link_ports; port++) {
		settings[count++] = (xt_load_setting_t){XT_REG_RING, port, xt_image_ring(job->image, card, port)};
	}
	for (unsigned port = 0; xt_register_present(XT_REG_VC_RING_FROM, features) && port < job->profile->link_ports;
		port++) {
		settings[count++] =
			(xt_load_setting_t){XT_REG_VC_RING_FROM, port, xt_image_vc_ring_from(job->image, card, port)};
	}
	return count;
}

/* A copy of all tables takes more memory than the tables. A later load by registers writes every entry. */
static void forget_known(xt_device_t *device)
{
	free(device->known);
	device->known = NULL;
}

static int write_card(xt_load_job_t *job, unsigned card, unsigned flags)
{
	const uint64_t *known = job->device->known;
	unsigned entries = xt_device_entries(job->device);
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(job, card, settings);
	int status = all_ports(job, card);

	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		status = write_word(job, card, xt_load_setting_address(settings[i]), settings[i].value);
	}
	if (status == XT_OK && (flags & XT_LOAD_BACKDOOR) && job->device->backend->backdoor) {
		forget_known(job->device);
		return job->device->backend->backdoor(job->device->engine, card, xt_image_grt(job->image, card),
			xt_image_lrt(job->image, card), job->diag);
	}
	for (unsigned i = 0; i < entries && status == XT_OK; i++) {
		uint64_t value = xt_load_image_entry(job, card, i);

		if (!known || known[(size_t)card * entries + i] != value) {
			status = write_entry(job, card, i, value);
		}
	}
	return status;
}

static int compare_settings(xt_load_job_t *job, unsigned card)
{
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(job, card, settings);

	for (unsigned i = 0; i < count; i++) {
		uint32_t value;
		int status =
			xt_device_read(job->device, card, xt_load_setting_address(settings[i]), &value, 1, job->diag);

		if (status) {
			return status;
		}
		if (value != settings[i].value) {
			return xt_fail(job->diag, XT_ERR_MISMATCH,
				"card %u: %s %u reads 0x%" PRIx32 ", the image has 0x%" PRIx32 "; load it first", card,
				xt_registers[settings[i].id].name, settings[i].index, value, settings[i].value);
		}
	}
	return XT_OK;
}

/* `count` entries from `index` at the port that was selected. */
static int compare_entries(xt_load_job_t *job, unsigned card, unsigned port, unsigned index, unsigned count)
{
	uint64_t *values = malloc(count * sizeof(*values));
	int status;

	if (!values) {
		return xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory");
	}
	status = read_entries(job, card, index, count, values);
	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		unsigned entry = index + i;
		uint64_t wanted = xt_load_image_entry(job, card, entry);

		if (values[i] != wanted) {
			int global = entry < job->grt_entries;

			status = xt_fail(job->diag, XT_ERR_MISMATCH,
				"card %u input %s: %s entry %u reads %016" PRIx64 ", the image has %016" PRIx64, card,
				xt_image_port_name(job->image, card, port), global ? "GRT" : "LRT",
				global ? entry : entry - job->grt_entries, values[i], wanted);
		}
	}
	free(values);
	return status;
}

/* The entries of the image that are not empty, in runs. */
static int compare_used(xt_load_job_t *job, unsigned card, unsigned port)
{
	unsigned entries = xt_device_entries(job->device);
	int status = select_port(job, card, port);

	for (unsigned first = 0; first < entries && status == XT_OK;) {
		unsigned end = first;

		/* A run does not cross from one window into the other. */
		while (end < entries && xt_load_image_entry(job, card, end) &&
			(end == first || end != job->grt_entries)) {
			end++;
		}
		if (end > first) {
			status = compare_entries(job, card, port, first, end - first);
			first = end;
		} else {
			first++;
		}
	}
	return status;
}

static int check_cards(xt_load_job_t *job)
{
	const xt_image_t *image = job->image;

	if (xt_image_profile(image) != job->profile) {
		return xt_fail(job->diag, XT_ERR_MISMATCH,
			"the image is for profile %s, the device has cards of %s; open the device with the image's "
			"profile, "
			"or route for the device's",
			xt_image_profile(image)->name, job->profile->name);
	}
	if (job->device->part) {
		if (job->device->first + job->device->cards > xt_image_cards(image)) {
			return xt_fail(job->diag, XT_ERR_MISMATCH,
				"the image %s is for %u cards, the device's are said to be %u to %u of it; say another "
				"first=",
				xt_image_topology(image), xt_image_cards(image), job->device->first,
				job->device->first + job->device->cards - 1);
		}
		return XT_OK;
	}
	if (xt_image_cards(image) != job->device->cards) {
		return xt_fail(job->diag, XT_ERR_MISMATCH,
			"the image %s is for %u cards, the device has %u; make an image of the device's topology",
			xt_image_topology(image), xt_image_cards(image), job->device->cards);
	}
	for (unsigned card = 0; card < job->device->cards; card++) {
		for (unsigned port = 0; port < job->profile->link_ports; port++) {
			xt_peer_t wanted = xt_image_peer(image, card, port);
			xt_peer_t wired = xt_device_peer(job->device, card, port);

			/* A cable that the image does not know has failed, or is new: nothing is sent there. Of a
			 * board whose wiring nobody told, none is known. */
			if (job->device->unwired) {
				continue;
			}
			if (wanted.card != XT_NO_CARD && (wanted.card != wired.card || wanted.port != wired.port)) {
				return xt_fail(job->diag, XT_ERR_MISMATCH,
					"the image %s expects another wiring: card %u port %s leads elsewhere in the "
					"device",
					xt_image_topology(image), card, xt_image_port_name(image, card, port));
			}
		}
	}
	return XT_OK;
}

int xt_load_check_fits(xt_load_job_t *job)
{
	int status = check_cards(job);

	return status == XT_OK ? xt_load_check_links(job->device, job->image, XT_LINKS_UP, job->diag) : status;
}

static int check_safe(xt_load_job_t *job)
{
	xt_check_t *check;
	int status = xt_check_image(job->image, &check, job->diag);

	if (status == XT_OK) {
		status = xt_check_verdict(job->image, check, job->diag);
		xt_check_free(check);
	}
	return status;
}

/* Writes all cards, and reads back what XT_VERIFY_WORDS says. */
static int load_cards(xt_load_job_t *job, unsigned flags)
{
	const unsigned cards = job->device->cards;
	/* The cards of a simulator are the same program, and each word costs it cycles. */
	const uint64_t all = job->device->backend->backdoor ? 0 : XT_VERIFY_WORDS;
	uint64_t used = 0;
	int status = XT_OK;

	job->total = 2ull * cards;
	for (unsigned card = 0; card < cards && status == XT_OK; card++) {
		for (unsigned i = 0; i < xt_device_entries(job->device); i++) {
			used += xt_load_image_entry(job, card, i) != 0;
		}
		status = xt_device_has(job->device, card) ? write_card(job, card, flags) : XT_OK;
		advance(job, 1);
	}
	for (unsigned card = 0; card < cards && status == XT_OK && !(flags & XT_LOAD_NO_VERIFY); card++) {
		if (!xt_device_has(job->device, card)) {
			advance(job, 1);
			continue;
		}
		status = compare_settings(job, card);
		if (card == 0 || used * XT_ENTRY_WORDS * job->ports <= all) {
			for (unsigned port = 0; port < job->ports && status == XT_OK; port++) {
				status = compare_used(job, card, port);
			}
		} else if (status == XT_OK && !(flags & XT_LOAD_BACKDOOR)) {
			status = compare_used(job, card, card % job->ports);
		}
		advance(job, 1);
	}
	return status;
}

int xt_device_load_counted(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_progress_t progress,
	void *context, xt_load_counts_t *counts, xt_diag_t *diag)
{
	xt_load_job_t job = xt_load_job(device, image, progress, context, diag);
	int status = xt_load_check_fits(&job);

	memset(counts, 0, sizeof(*counts));
	if (status == XT_OK && !(flags & XT_LOAD_FORCE)) {
		status = check_safe(&job);
	}
	if (status) {
		return status;
	}
	if (device->backend->load) {
		const int unchecked = xt_load_untold_links(device, image);

		status = device->backend->load(device->engine, &job, flags, counts);
		counts->unchecked = unchecked;
		return status;
	}
	status = load_cards(&job, flags);
	return status != XT_OK || (flags & XT_LOAD_FORCE) ? status : xt_device_prioritise_transit(device, image, diag);
}

int xt_device_load(xt_device_t *device, const xt_image_t *image, unsigned flags, xt_progress_t progress, void *context,
	xt_diag_t *diag)
{
	xt_load_counts_t counts;

	return xt_device_load_counted(device, image, flags, progress, context, &counts, diag);
}

int xt_device_verify(
	xt_device_t *device, const xt_image_t *image, xt_progress_t progress, void *context, xt_diag_t *diag)
{
	xt_load_job_t job = xt_load_job(device, image, progress, context, diag);
	int status = xt_device_need_all(device, "verify", diag);

	if (status == XT_OK) {
		status = xt_load_check_fits(&job);
	}
	job.total = (uint64_t)device->cards * job.ports;
	for (unsigned card = 0; card < device->cards && status == XT_OK; card++) {
		status = compare_settings(&job, card);
		for (unsigned port = 0; port < job.ports && status == XT_OK; port++) {
			status = select_port(&job, card, port);
			if (status == XT_OK) {
				status = compare_entries(&job, card, port, 0, job.grt_entries);
			}
			if (status == XT_OK) {
				status = compare_entries(&job, card, port, job.grt_entries, job.lrt_entries);
			}
			advance(&job, 1);
		}
	}
	return status;
}

int xt_device_read_tables(
	xt_device_t *device, unsigned card, unsigned port, uint64_t *grt, uint64_t *lrt, xt_diag_t *diag)
{
	xt_load_job_t job = xt_load_job(device, NULL, NULL, NULL, diag);
	int status;

	if (port >= job.ports) {
		return xt_fail(diag, XT_ERR_RANGE, "tables: there is no port %u, only 0 to %u", port, job.ports - 1);
	}
	status = select_port(&job, card, port);
	if (status == XT_OK) {
		status = read_entries(&job, card, 0, job.grt_entries, grt);
	}
	if (status == XT_OK) {
		status = read_entries(&job, card, job.grt_entries, job.lrt_entries, lrt);
	}
	return status;
}

int xt_device_swap_entries(xt_device_t *device, unsigned card, unsigned a, unsigned b, xt_diag_t *diag)
{
	xt_load_job_t job = xt_load_job(device, NULL, NULL, NULL, diag);
	uint64_t value_a, value_b;
	int status;

	if (a >= job.lrt_entries || b >= job.lrt_entries) {
		return xt_fail(diag, XT_ERR_RANGE, "tables: the LRT has entries 0 to %u, not %u", job.lrt_entries - 1,
			a >= job.lrt_entries ? a : b);
	}
	a += job.grt_entries;
	b += job.grt_entries;
	status = select_port(&job, card, 0);
	if (status == XT_OK) {
		status = read_entries(&job, card, a, 1, &value_a);
	}
	if (status == XT_OK) {
		status = read_entries(&job, card, b, 1, &value_b);
	}
	if (status == XT_OK) {
		status = all_ports(&job, card);
	}
	if (status == XT_OK) {
		status = write_entry(&job, card, a, value_b);
	}
	return status ? status : write_entry(&job, card, b, value_a);
}
