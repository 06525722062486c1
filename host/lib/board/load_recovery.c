/* SPDX-License-Identifier: Apache-2.0
 *
 * The cards say which load holds them (OWNER, LOAD), so a journal is applied to the cards that it was made of and to no
 * others. Cards of an older register map say only that they are quiesced. */
#include "load_recovery.h"

#include <stdlib.h>

#include "card_load.h"
#include "extorus/profiles.h"

/* Plays the steps back; pairs of words of table entries stay together. */
static int play(xt_engine_t *board, const xt_journal_t *journal, xt_diag_t *diag)
{
	xt_batch_t batch = XT_BATCH_EMPTY;
	int status = XT_OK, waited;

	for (unsigned i = 0; i < journal->count && status == XT_OK; i++) {
		const xt_journal_step_t *step = &journal->steps[i];
		unsigned pair = i + 1 < journal->count && step[1].card == step->card &&
				step[1].address == step->address + 4 && step->address % XT_REG_ENTRY_STRIDE == 0 &&
				step->address >= xt_registers[XT_REG_GRT].offset;
		const uint32_t values[2] = {step->value, pair ? step[1].value : 0};

		status = xt_session_post(board->session, &batch, step->card, step->address, values, pair + 1, diag);
		i += pair;
	}
	waited = xt_session_wait(board->session, &batch, status ? NULL : diag);
	return status ? status : waited;
}

int xt_load_release(xt_device_t *device, const xt_journal_t *journal, xt_diag_t *diag)
{
	return journal->quiesced ? xt_ownership_write_quiesce(device, journal->quiesce, diag) : XT_OK;
}

int xt_load_roll_back(xt_device_t *device, const xt_journal_t *journal, xt_diag_t *diag)
{
	const uint32_t owner = journal->owner, generation = journal->generation;
	int status = play(device->engine, journal, diag);

	if (status == XT_OK) {
		status = xt_ownership_write_all(device, owner, XT_PHASE_HELD, generation, diag);
	}
	if (status == XT_OK) {
		status = xt_load_release(device, journal, diag);
	}
	if (status == XT_OK) {
		status = xt_ownership_write_all(device, 0, XT_PHASE_IDLE, generation, diag);
	}
	if (status == XT_OK) {
		xt_journal_remove(journal->serial, owner);
	}
	return status;
}

/* Whether all cards are as the load left them; one that was quiesced and is not has been reset or loaded since. */
static int still_held(xt_device_t *device, const xt_journal_t *journal, int *held, xt_diag_t *diag)
{
	const uint32_t all = (1u << xt_profile_ports(device->profile)) - 1;
	xt_ownership_t *cards;
	int status = journal->quiesced ? xt_ownership_read_all(device, &cards, diag) : XT_OK;

	if (status == XT_OK && journal->quiesced) {
		for (unsigned card = 0; card < device->cards; card++) {
			*held &= cards[card].quiesce == all;
		}
		free(cards);
	}
	return status;
}

/* Whether the journal is of these cards, as they are now. */
static int belongs(xt_device_t *device, const xt_ownership_summary_t *found, const xt_journal_t *journal, int *held,
	xt_diag_t *diag)
{
	*held = journal->profile_hash == xt_profile_hash(device->profile) && journal->cards == device->cards;
	if (found->known) {
		*held &= found->held && journal->owner == found->owner && journal->generation == found->generation;
		return XT_OK;
	}
	return *held ? still_held(device, journal, held, diag) : XT_OK;
}

/* Nothing was written, or all was; the journal is not needed. */
static int settle(xt_device_t *device, const xt_ownership_summary_t *found, xt_journal_t *journal, xt_diag_t *diag)
{
	int status = journal->cards == device->cards ? xt_load_release(device, journal, diag) : XT_OK;

	if (status == XT_OK && found->known) {
		status = xt_ownership_write_all(
			device, 0, XT_PHASE_IDLE, found->generation + (unsigned)found->written, diag);
	}
	if (status == XT_OK) {
		xt_journal_remove(journal->serial, journal->owner);
	}
	return status;
}

int xt_load_recover(xt_device_t *device, xt_ownership_summary_t *found, int *recovered, xt_diag_t *diag)
{
	const uint64_t serial = device->engine->info.serial;
	xt_journal_t journal;
	uint32_t owner;
	int status = xt_ownership_summarise(device, found, diag), held = 0;

	*recovered = 0;
	owner = found->held ? found->owner : 0;
	/* A journal that is not there or damaged is none: the cards say themselves what they are. */
	if (status != XT_OK || (found->known && !owner) || !xt_journal_exists(serial, owner) ||
		xt_journal_read(serial, owner, &journal, found->known ? NULL : diag) != XT_OK) {
		return status == XT_OK && !found->known && xt_journal_exists(serial, owner) ? XT_ERR_FORMAT : status;
	}
	status = belongs(device, found, &journal, &held, diag);
	if (status == XT_OK && held && (found->mixed || !found->known) && journal.count) {
		status = xt_load_roll_back(device, &journal, diag);
		*recovered = status == XT_OK;
	} else if (status == XT_OK && (held || !found->known)) {
		status = settle(device, found, &journal, diag);
	}
	xt_journal_clear(&journal);
	return status == XT_OK ? xt_ownership_summarise(device, found, diag) : status;
}

int xt_board_recover(xt_device_t *device, int *recovered, xt_diag_t *diag)
{
	xt_ownership_summary_t found;
	int status = xt_load_recover(device, &found, recovered, diag);

	return status == XT_OK && found.interrupted ? xt_device_check_released(device, diag) : status;
}

int xt_board_interrupted(xt_device_t *device)
{
	xt_ownership_summary_t found;

	return xt_ownership_summarise(device, &found, NULL) == XT_OK && found.known
		       ? found.interrupted
		       : xt_journal_exists(device->engine->info.serial, 0);
}
