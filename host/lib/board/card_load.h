/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of one card in an atomic load: read, compared, kept, written and verified. */
#pragma once

#include "device/load.h"
#include "journal.h"
#include "session.h"

/* One card under way. */
typedef struct {
	xt_load_job_t *job;
	xt_session_t *session;
	unsigned card;
	uint64_t *held; /* [port * entries + index], as read */
	uint32_t settings[XT_LOAD_SETTINGS];
	unsigned changed, changed_settings;
} xt_card_load_t;

static inline uint32_t xt_address_of(xt_register_id_t id)
{
	return xt_register_address(id, 0, 0);
}

static inline uint32_t xt_all_ports(const xt_load_job_t *job)
{
	return (1u << job->ports) - 1;
}

/* Reads the tables at every port into `held`, and the settings, in one go without waiting in between. */
int xt_card_load_read(xt_card_load_t *card, uint64_t *held);
/* Counts what differs from the image. */
void xt_card_load_compare(xt_card_load_t *card);
/* Puts the old values of all that differs into the journal. */
int xt_card_load_keep(const xt_card_load_t *card, xt_journal_t *journal);
int xt_card_load_write(const xt_card_load_t *card);
/* Whether the card reads back as the image has it. */
int xt_card_load_verify(xt_card_load_t *card);
