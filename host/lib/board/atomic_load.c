/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading into a board, all or nothing. A card has one bank of tables, so a load holds the cards still:
 *
 * - The load finds the differences, and puts the old values into a journal.
 * - All cards of the board run empty and are quiesced.
 * - The load writes, reads back at every input port, and releases.
 *
 * If anything fails, the journal is played back. If the program dies, the next load plays the journal back. Until
 * then the cards route nothing by mixed tables. As soon as the new tables are good, one rename empties the journal
 * of its steps. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "board_internal.h"
#include "card_load.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"

enum { DRAIN_MS = 1000, MOST_DRAIN_MS = 10000 };

static int set_quiesce(xt_engine_t *board, unsigned card, uint32_t value, xt_diag_t *diag)
{
	return xt_session_write(board->session, card, xt_address_of(XT_REG_QUIESCE), &value, 1, diag);
}

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

static int release(xt_engine_t *board, const xt_journal_t *journal, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned card = 0; card < journal->cards && journal->quiesced && status == XT_OK; card++) {
		status = set_quiesce(board, card, journal->quiesce[card], diag);
	}
	return status;
}

/* Whether all cards are as the load left them; one that was quiesced and is not has been reset or loaded since. */
static int still_held(xt_engine_t *board, const xt_journal_t *journal, int *held, xt_diag_t *diag)
{
	int status = XT_OK;

	*held = journal->profile_hash == xt_profile_hash(board->profile) && journal->cards == board->info.cards;
	for (unsigned card = 0; card < journal->cards && *held && journal->quiesced && status == XT_OK; card++) {
		uint32_t quiesce = 0;

		status = xt_session_read(board->session, card, xt_address_of(XT_REG_QUIESCE), &quiesce, 1, diag);
		*held = quiesce == ((1u << xt_profile_ports(board->profile)) - 1);
	}
	return status;
}

int xt_board_recover(xt_engine_t *board, int *recovered, xt_diag_t *diag)
{
	const uint64_t serial = board->info.serial;
	xt_journal_t journal;
	int status, held;

	*recovered = 0;
	if (!xt_board_interrupted(board)) {
		return XT_OK;
	}
	status = xt_journal_read(serial, &journal, diag);
	if (status) {
		return status;
	}
	status = still_held(board, &journal, &held, diag);
	if (status == XT_OK && held && journal.count) {
		status = play(board, &journal, diag);
		*recovered = status == XT_OK;
	}
	/* Nothing was written before all were held; released they must be in any case. */
	if (status == XT_OK && journal.cards == board->info.cards) {
		status = release(board, &journal, diag);
	}
	if (status == XT_OK) {
		xt_journal_remove(serial);
	}
	xt_journal_clear(&journal);
	return status;
}

int xt_board_interrupted(const xt_engine_t *board)
{
	return xt_journal_exists(board->info.serial);
}

/* Ports that will never say that they are idle, since their link trains and nobody answers, although their input buffer
 * is empty: as good as drained. */
static int find_alone(const xt_load_job_t *job, unsigned card, uint32_t *ports)
{
	int status = XT_OK;

	*ports = 0;
	for (unsigned port = 0; job->profile->replay_cells && port < job->profile->link_ports && status == XT_OK;
		port++) {
		uint32_t state = 0, room = 0;

		status = xt_device_read(
			job->device, card, xt_register_address(XT_REG_LINK_STATE, port, 0), &state, 1, job->diag);
		if (status == XT_OK && xt_link_state_of(state) == XT_LINK_TRAIN) {
			status = xt_device_read(job->device, card, xt_register_address(XT_REG_FREE_CELLS, port, 0),
				&room, 1, job->diag);
			*ports |= (uint32_t)(room == job->profile->buffer_cells) << port;
		}
	}
	return status;
}

/* Reads which ports of each card hold nothing. *busy: the first card that holds something, or their number. */
static int find_busy(const xt_load_job_t *job, unsigned *busy, uint32_t *idle)
{
	uint32_t alone = 0, all = xt_all_ports(job);
	int status = XT_OK;

	for (*busy = 0; *busy < job->device->cards; ++*busy) {
		status = xt_device_read(job->device, *busy, xt_address_of(XT_REG_PORT_IDLE), idle, 1, job->diag);
		if (status == XT_OK && (*idle & all) != all) {
			status = find_alone(job, *busy, &alone);
			*idle |= alone;
		}
		if (status != XT_OK || (*idle & all) != all) {
			break;
		}
	}
	return status;
}

static int not_drained(const xt_load_job_t *job, unsigned card, uint32_t idle, uint64_t ms)
{
	unsigned port = 0;

	while (idle >> port & 1) {
		port++;
	}
	return xt_fail(job->diag, XT_ERR_TIMEOUT,
		"card %u port %s does not drain within %u ms, nothing was changed; stop the traffic and take the "
		"packets that wait, or load with --live while packets flow",
		card, xt_device_port_name(job->device, card, port), (unsigned)ms);
}

static int quiesce_all(xt_engine_t *board, const xt_load_job_t *job)
{
	int status = XT_OK;

	for (unsigned card = 0; card < job->device->cards && status == XT_OK; card++) {
		status = set_quiesce(board, card, xt_all_ports(job), job->diag);
	}
	return status;
}

/* All cards of the board still and empty, or as they were. A port that is quiesced delivers nothing either, so the
 * cards run empty before; if packets of other boards get in between, once more. There is time as long as packets
 * arrive. */
static int drain(xt_engine_t *board, const xt_load_job_t *job, const xt_journal_t *journal)
{
	uint64_t begin = xt_now_ms(), end = begin + DRAIN_MS, now = begin, arrived = 0;
	unsigned busy = 0;
	uint32_t idle = 0;
	int status = XT_OK;

	while (status == XT_OK) {
		xt_session_counts_t counts;

		status = find_busy(job, &busy, &idle);
		if (status == XT_OK && busy == job->device->cards) {
			status = quiesce_all(board, job);
			if (status == XT_OK) {
				status = find_busy(job, &busy, &idle);
			}
			if (status != XT_OK || busy == job->device->cards) {
				return status;
			}
			status = release(board, journal, job->diag);
		}
		now = xt_now_ms();
		xt_session_counts(board->session, &counts);
		if (counts.packets_received != arrived && now < begin + MOST_DRAIN_MS) {
			arrived = counts.packets_received;
			end = now + DRAIN_MS;
		}
		if (status == XT_OK && now > end) {
			status = not_drained(job, busy, idle, now - begin);
		}
	}
	return status;
}

/* All cards of the board still, or none. Packets of this program are held back until the load is over. */
static int hold_still(xt_engine_t *board, const xt_load_job_t *job, const xt_journal_t *journal)
{
	int status = drain(board, job, journal);

	if (status != XT_OK && release(board, journal, NULL) == XT_OK) {
		xt_journal_remove(journal->serial);
	}
	return status;
}

static void advance(xt_load_job_t *job)
{
	job->done++;
	if (job->progress) {
		job->progress(job->context, job->done, job->total);
	}
}

static void add_text(xt_diag_t *diag, const char *text)
{
	size_t used = diag ? strlen(diag->text) : 0;

	if (diag) {
		snprintf(diag->text + used, sizeof(diag->text) - used, "%s", text);
	}
}

/* Writes and verifies all cards; their old tables are in the journal. */
static int write_cards(xt_engine_t *board, xt_load_job_t *job, xt_card_load_t *cards, unsigned flags)
{
	int status = XT_OK, recovered = 0;
	xt_diag_t back;

	for (unsigned i = 0; i < job->device->cards && status == XT_OK; i++) {
		if (cards[i].changed || cards[i].changed_settings) {
			status = xt_card_load_write(&cards[i]);
			if (status == XT_OK && !(flags & XT_LOAD_NO_VERIFY)) {
				status = xt_card_load_verify(&cards[i]);
			}
		}
		advance(job);
	}
	if (status == XT_OK) {
		return XT_OK;
	}
	if (xt_board_recover(board, &recovered, &back) == XT_OK && recovered) {
		add_text(job->diag, "; the cards have their old tables back");
	} else {
		add_text(job->diag, flags & XT_LOAD_LIVE
					    ? "; the cards may be between old and new tables"
					    : "; the cards may be between old and new tables, and are quiesced");
		add_text(job->diag, ": the next load puts the old ones back first");
	}
	return status;
}

/* What differs in all cards. */
static int compare_cards(xt_engine_t *board, xt_load_job_t *job, xt_card_load_t *card, xt_load_counts_t *counts)
{
	unsigned entries = xt_device_entries(job->device);
	int status = XT_OK;

	for (unsigned i = 0; i < job->device->cards && status == XT_OK; i++) {
		card[i] = (xt_card_load_t){.job = job, .session = board->session, .card = i};
		card[i].held = malloc((size_t)job->ports * entries * sizeof(*card[i].held));
		status = card[i].held ? xt_card_load_read(&card[i], card[i].held)
				      : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory");
		if (status == XT_OK) {
			xt_card_load_compare(&card[i]);
			counts->entries += entries;
			counts->changed += card[i].changed;
			counts->settings += card[i].changed_settings;
		}
		advance(job);
	}
	return status;
}

static int load_cards(xt_engine_t *board, xt_load_job_t *job, xt_card_load_t *cards, unsigned flags)
{
	xt_journal_t journal = {.serial = board->info.serial,
		.profile_hash = xt_profile_hash(job->profile),
		.cards = job->device->cards,
		.quiesced = !(flags & XT_LOAD_LIVE)};
	int status = XT_OK;

	for (unsigned i = 0; i < job->device->cards && status == XT_OK; i++) {
		status = xt_device_read(
			job->device, i, xt_address_of(XT_REG_QUIESCE), &journal.quiesce[i], 1, job->diag);
		if (status == XT_OK) {
			status = xt_card_load_keep(&cards[i], &journal);
		}
	}
	if (status == XT_OK) {
		status = xt_journal_write(&journal, job->diag);
	}
	xt_session_pause(board->session, journal.quiesced);
	if (status == XT_OK && journal.quiesced) {
		status = hold_still(board, job, &journal);
	}
	if (status == XT_OK) {
		status = write_cards(board, job, cards, flags);
	}
	if (status == XT_OK) {
		journal.count = 0;
		status = xt_journal_write(&journal, job->diag);
	}
	if (status == XT_OK) {
		status = release(board, &journal, job->diag);
	}
	if (status == XT_OK) {
		xt_journal_remove(journal.serial);
	}
	xt_session_pause(board->session, 0);
	xt_journal_clear(&journal);
	return status;
}

int xt_board_load(xt_engine_t *board, xt_load_job_t *job, unsigned flags, xt_load_counts_t *counts)
{
	unsigned cards = job->device->cards;
	xt_card_load_t *card = calloc(cards, sizeof(*card));
	int status = card ? XT_OK : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory"), recovered;

	memset(counts, 0, sizeof(*counts));
	job->total = 2ull * cards;
	if (status == XT_OK) {
		status = xt_board_recover(board, &recovered, job->diag);
	}
	if (status == XT_OK) {
		status = compare_cards(board, job, card, counts);
	}
	if (status == XT_OK && counts->changed + counts->settings) {
		status = load_cards(board, job, card, flags);
	}
	for (unsigned i = 0; card && i < cards; i++) {
		free(card[i].held);
	}
	free(card);
	return status;
}
