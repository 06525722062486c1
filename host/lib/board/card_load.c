/* SPDX-License-Identifier: Apache-2.0 */
#include "card_load.h"

#include <inttypes.h>
#include <stdlib.h>

#include "extorus/registers.h"

int xt_card_load_read(xt_card_load_t *c, uint64_t *held)
{
	xt_load_job_t *job = c->job;
	xt_session_t *session = c->session;
	unsigned entries = xt_device_entries(job->device), count;
	uint32_t *words = malloc((size_t)job->ports * entries * XT_ENTRY_WORDS * sizeof(*words)), *end = words;
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = words ? XT_OK : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory"), waited;

	for (uint32_t port = 0; port < job->ports && status == XT_OK; port++) {
		const size_t grt = (size_t)job->grt_entries * XT_ENTRY_WORDS,
			     lrt = (size_t)job->lrt_entries * XT_ENTRY_WORDS;

		status = xt_session_post(
			session, &batch, c->card, xt_address_of(XT_REG_TABLE_READ_PORT), &port, 1, job->diag);
		if (status == XT_OK) {
			status = xt_session_fetch(
				session, &batch, c->card, xt_address_of(XT_REG_GRT), end, grt, job->diag);
			end += grt;
		}
		if (status == XT_OK) {
			status = xt_session_fetch(
				session, &batch, c->card, xt_address_of(XT_REG_LRT), end, lrt, job->diag);
			end += lrt;
		}
	}
	count = xt_load_settings_of(job, c->card, settings);
	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		status = xt_session_fetch(
			session, &batch, c->card, xt_load_setting_address(settings[i]), &c->settings[i], 1, job->diag);
	}
	waited = xt_session_wait(session, &batch, status ? NULL : job->diag);
	for (size_t i = 0; i < (size_t)job->ports * entries && status == XT_OK && waited == XT_OK; i++) {
		held[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
	}
	free(words);
	return status ? status : waited;
}

/* Whether entry `index` is other than the image has it at any port. */
static int differs(const xt_card_load_t *c, const uint64_t *held, unsigned index)
{
	unsigned entries = xt_device_entries(c->job->device);
	uint64_t wanted = xt_load_image_entry(c->job, c->card, index);

	for (unsigned port = 0; port < c->job->ports; port++) {
		if (held[(size_t)port * entries + index] != wanted) {
			return 1;
		}
	}
	return 0;
}

void xt_card_load_compare(xt_card_load_t *c)
{
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(c->job, c->card, settings);

	c->changed = 0;
	c->changed_settings = 0;
	for (unsigned i = 0; i < xt_device_entries(c->job->device); i++) {
		c->changed += (unsigned)differs(c, c->held, i);
	}
	for (unsigned i = 0; i < count; i++) {
		c->changed_settings += c->settings[i] != settings[i].value;
	}
}

/* The old value of an entry, once for each group of ports that hold the same. */
static int keep_entry(const xt_card_load_t *c, unsigned index, xt_journal_t *journal, uint32_t *selected)
{
	unsigned entries = xt_device_entries(c->job->device);
	uint32_t left = xt_all_ports(c->job), address = xt_load_entry_address(c->job, index);
	int status = XT_OK;

	for (unsigned port = 0; left && status == XT_OK; port++) {
		uint64_t value = c->held[(size_t)port * entries + index];
		uint32_t group = 0;

		if (!(left >> port & 1)) {
			continue;
		}
		for (unsigned other = port; other < c->job->ports; other++) {
			group |= (uint32_t)(c->held[(size_t)other * entries + index] == value) << other;
		}
		left &= ~group;
		if (group != *selected) {
			status = xt_journal_add(journal, c->card, xt_address_of(XT_REG_TABLE_PORTS), group);
			*selected = group;
		}
		if (status == XT_OK) {
			status = xt_journal_add(journal, c->card, address, (uint32_t)value);
		}
		if (status == XT_OK) {
			status = xt_journal_add(journal, c->card, address + 4, (uint32_t)(value >> 32));
		}
	}
	return status;
}

int xt_card_load_keep(const xt_card_load_t *c, xt_journal_t *journal)
{
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(c->job, c->card, settings);
	uint32_t selected = 0;
	int status = XT_OK;

	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		if (c->settings[i] != settings[i].value) {
			status = xt_journal_add(journal, c->card, xt_load_setting_address(settings[i]), c->settings[i]);
		}
	}
	for (unsigned i = 0; i < xt_device_entries(c->job->device) && status == XT_OK; i++) {
		if (differs(c, c->held, i)) {
			status = keep_entry(c, i, journal, &selected);
		}
	}
	return status ? xt_fail(c->job->diag, status, "tables: out of memory") : XT_OK;
}

/* Runs of entries that differ, and the settings. */
int xt_card_load_write(const xt_card_load_t *c)
{
	xt_load_job_t *job = c->job;
	xt_session_t *session = c->session;
	unsigned entries = xt_device_entries(job->device), count;
	const uint32_t ports = xt_all_ports(job);
	uint32_t *words = malloc((size_t)entries * XT_ENTRY_WORDS * sizeof(*words));
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = words ? XT_OK : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory"), waited;

	count = xt_load_settings_of(job, c->card, settings);
	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		if (c->settings[i] != settings[i].value) {
			status = xt_session_post(session, &batch, c->card, xt_load_setting_address(settings[i]),
				&settings[i].value, 1, job->diag);
		}
	}
	if (status == XT_OK) {
		status = xt_session_post(
			session, &batch, c->card, xt_address_of(XT_REG_TABLE_PORTS), &ports, 1, job->diag);
	}
	for (unsigned first = 0, end; first < entries && status == XT_OK; first = end) {
		/* A run does not cross from one window into the other. */
		for (end = first;
			end < entries && (end == first || end != job->grt_entries) && differs(c, c->held, end); end++) {
			uint64_t value = xt_load_image_entry(job, c->card, end);

			words[XT_ENTRY_WORDS * (end - first)] = (uint32_t)value;
			words[XT_ENTRY_WORDS * (end - first) + 1] = (uint32_t)(value >> 32);
		}
		if (end > first) {
			status = xt_session_post(session, &batch, c->card, xt_load_entry_address(job, first), words,
				(size_t)XT_ENTRY_WORDS * (end - first), job->diag);
		} else {
			end++;
		}
	}
	waited = xt_session_wait(session, &batch, status ? NULL : job->diag);
	free(words);
	return status ? status : waited;
}

int xt_card_load_verify(xt_card_load_t *c)
{
	xt_load_job_t *job = c->job;
	unsigned entries = xt_device_entries(job->device);
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(job, c->card, settings);
	uint64_t *now = malloc((size_t)job->ports * entries * sizeof(*now));
	int status = now ? xt_card_load_read(c, now) : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory");

	for (unsigned i = 0; i < entries && status == XT_OK; i++) {
		if (differs(c, now, i)) {
			status = xt_fail(job->diag, XT_ERR_MISMATCH,
				"card %u: %s entry %u does not read back as it was written; is the memory damaged?",
				c->card, i < job->grt_entries ? "GRT" : "LRT",
				i < job->grt_entries ? i : i - job->grt_entries);
		}
	}
	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		if (c->settings[i] != settings[i].value) {
			status = xt_fail(job->diag, XT_ERR_MISMATCH,
				"card %u: %s %u reads 0x%" PRIx32 ", 0x%" PRIx32 " was written", c->card,
				xt_registers[settings[i].id].name, settings[i].index, c->settings[i],
				settings[i].value);
		}
	}
	free(now);
	return status;
}
