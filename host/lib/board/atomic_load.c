/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading into a board, all or nothing. A card has one bank of tables, so a load holds the cards still:
 *
 * - The load takes every card: OWNER is its number, LOAD its phase.
 * - The load finds the differences, and puts the old values into a journal.
 * - All cards of the board run empty and are quiesced.
 * - The load writes, reads back at every input port, and releases.
 *
 * If anything fails, or the caller wants the end, the journal is played back. If the program dies, the next load plays
 * the journal back; a load that does not have the journal writes all that differs and holds the cards until it has.
 * Until then the cards route nothing by mixed tables. The new tables are good as soon as one card says so. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "board_internal.h"
#include "card_load.h"
#include "device/ownership.h"
#include "extorus/link_state.h"
#include "extorus/profiles.h"
#include "load_recovery.h"

enum { DRAIN_MS = 1000, MOST_DRAIN_MS = 10000 };

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

static int quiesce_all(const xt_load_job_t *job)
{
	uint32_t ports[XT_JOURNAL_CARDS];

	for (unsigned card = 0; card < job->device->cards; card++) {
		ports[card] = xt_all_ports(job);
	}
	return xt_ownership_write_quiesce(job->device, ports, job->diag);
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
			status = quiesce_all(job);
			if (status == XT_OK) {
				status = find_busy(job, &busy, &idle);
			}
			if (status != XT_OK || busy == job->device->cards) {
				return status;
			}
			status = xt_load_release(job->device, journal, job->diag);
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

/* Writes and verifies all cards. */
static int write_cards(xt_load_job_t *job, xt_card_load_t *cards, unsigned flags)
{
	int status = XT_OK;

	for (unsigned i = 0; i < job->device->cards && status == XT_OK; i++) {
		status = xt_device_check_interrupted(job->device, job->diag);
		if (status == XT_OK && (cards[i].changed || cards[i].changed_settings)) {
			status = xt_card_load_write(&cards[i]);
			if (status == XT_OK && !(flags & XT_LOAD_NO_VERIFY)) {
				status = xt_card_load_verify(&cards[i]);
			}
		}
		advance(job);
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
		status = card[i].held ? xt_device_check_interrupted(job->device, job->diag)
				      : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory");
		if (status == XT_OK) {
			status = xt_card_load_read(&card[i], card[i].held);
		}
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

/* The old values of all that the load will write, and which ports are quiesced. Ports that an interrupted load or
 * test left quiesced are to be released. */
static int make_journal(xt_load_job_t *job, const xt_card_load_t *cards, const xt_ownership_summary_t *found,
	unsigned flags, xt_journal_t *journal)
{
	xt_ownership_t *now;
	int status = xt_ownership_read_all(job->device, &now, job->diag);

	*journal = (xt_journal_t){.serial = job->device->engine->info.serial,
		.owner = found->known ? xt_ownership_make_id() : 0,
		.generation = found->generation,
		.profile_hash = xt_profile_hash(job->profile),
		.cards = job->device->cards,
		.quiesced = !(flags & XT_LOAD_LIVE)};
	for (unsigned i = 0; i < journal->cards && status == XT_OK; i++) {
		journal->quiesce[i] = found->interrupted && !found->mixed ? 0 : now[i].quiesce;
		if (!found->mixed) {
			status = xt_card_load_keep(&cards[i], journal);
		}
	}
	free(now);
	return status;
}

/* Takes all cards and writes the journal. Tables that are mixed already have no journal. */
static int take(xt_load_job_t *job, const xt_ownership_summary_t *found, const xt_journal_t *journal)
{
	const xt_phase_t phase = found->mixed ? XT_PHASE_WRITING : XT_PHASE_HELD;
	int status = xt_ownership_write_all(job->device, journal->owner, phase, journal->generation, job->diag);

	return status != XT_OK || found->mixed ? status : xt_journal_write(journal, job->diag);
}

/* The load has failed before it wrote a table: the cards are as they were. */
static void give_up(xt_load_job_t *job, const xt_ownership_summary_t *found, const xt_journal_t *journal)
{
	if (xt_load_release(job->device, journal, NULL) == XT_OK &&
		(found->mixed ||
			xt_ownership_write_all(job->device, 0, XT_PHASE_IDLE, journal->generation, NULL) == XT_OK)) {
		xt_journal_remove(journal->serial, journal->owner);
		if (job->diag && !strstr(job->diag->text, "nothing was changed")) {
			add_text(job->diag, "; nothing was changed");
		}
	}
}

/* The load has failed when tables may have been written. */
static void roll_back(
	xt_load_job_t *job, const xt_ownership_summary_t *found, const xt_journal_t *journal, unsigned flags)
{
	const char *held = flags & XT_LOAD_LIVE ? "" : ", and are quiesced";

	if (!found->mixed && xt_load_roll_back(job->device, journal, NULL) == XT_OK) {
		add_text(job->diag, "; the cards have their old tables back");
	} else {
		add_text(job->diag, "; the cards may be between old and new tables");
		add_text(job->diag, held);
		add_text(job->diag, found->mixed ? "" : ": the next load puts the old ones back first");
	}
}

/* All cards say that the tables are the new ones; cards that cannot, the journal. */
static int commit(xt_load_job_t *job, const xt_ownership_summary_t *found, xt_journal_t *journal)
{
	const xt_journal_t written = {.serial = journal->serial,
		.profile_hash = journal->profile_hash,
		.cards = journal->cards,
		.quiesced = journal->quiesced};

	return found->known ? xt_ownership_write_all(
				      job->device, journal->owner, XT_PHASE_WRITTEN, journal->generation, job->diag)
			    : xt_journal_write(&written, job->diag);
}

/* No card is held any more; the load is over. */
static int release_all(xt_load_job_t *job, const xt_journal_t *journal)
{
	const xt_journal_t released = {.cards = journal->cards, .quiesced = 1};
	int status = xt_load_release(job->device, &released, job->diag);

	if (status == XT_OK) {
		status = xt_ownership_write_all(job->device, 0, XT_PHASE_IDLE, journal->generation + 1, job->diag);
	}
	if (status == XT_OK) {
		xt_journal_remove(journal->serial, journal->owner);
	} else {
		add_text(job->diag, "; the cards have their new tables, and may be quiesced: load again");
	}
	return status;
}

static int load_cards(xt_load_job_t *job, xt_card_load_t *cards, const xt_ownership_summary_t *found, unsigned flags)
{
	xt_engine_t *board = job->device->engine;
	xt_journal_t journal;
	int status = make_journal(job, cards, found, flags, &journal);

	if (status == XT_OK) {
		xt_session_pause(board->session, journal.quiesced);
		status = take(job, found, &journal);
		if (status == XT_OK && journal.quiesced) {
			status = drain(board, job, &journal);
		}
		if (status != XT_OK) {
			give_up(job, found, &journal);
		} else {
			status = xt_ownership_write_all(
				job->device, journal.owner, XT_PHASE_WRITING, journal.generation, job->diag);
			if (status == XT_OK) {
				status = write_cards(job, cards, flags);
			}
			if (status == XT_OK) {
				status = commit(job, found, &journal);
			}
			if (status == XT_OK) {
				status = release_all(job, &journal);
			} else {
				roll_back(job, found, &journal, flags);
			}
		}
		xt_session_pause(board->session, 0);
	}
	xt_journal_clear(&journal);
	return status;
}

int xt_board_load(xt_engine_t *board, xt_load_job_t *job, unsigned flags, xt_load_counts_t *counts)
{
	unsigned cards = job->device->cards;
	xt_card_load_t *card = calloc(cards, sizeof(*card));
	xt_ownership_summary_t found;
	int status = card ? XT_OK : xt_fail(job->diag, XT_ERR_NOMEM, "tables: out of memory"), recovered;

	memset(counts, 0, sizeof(*counts));
	job->total = 2ull * cards;
	if (status == XT_OK) {
		status = xt_load_recover(job->device, &found, &recovered, job->diag);
	}
	if (status == XT_OK) {
		status = compare_cards(board, job, card, counts);
	}
	if (status == XT_OK && (counts->changed + counts->settings || found.interrupted || found.cards_quiesced)) {
		status = load_cards(job, card, &found, flags);
		counts->taken_over = status == XT_OK && found.mixed;
		if (status != XT_OK && found.mixed) {
			add_text(job->diag,
				"; a load or test was interrupted here before: load again, or reset all cards");
		}
	}
	for (unsigned i = 0; card && i < cards; i++) {
		free(card[i].held);
	}
	free(card);
	return status;
}
