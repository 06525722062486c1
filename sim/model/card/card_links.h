/* SPDX-License-Identifier: Apache-2.0
 *
 * The links of a card in one cycle: those that run their protocol, fast ones, and those of a profile without a link
 * layer. */
#pragma once

#include "crossbar.h"
#include "fast_link.h"

static inline void link_arrive(card_t *card, unsigned port, int valid, unsigned vc, token_t cell)
{
	card->in_valid = (uint16_t)((card->in_valid & ~(1u << port)) | (unsigned)valid << port);
	if (valid) {
		card->in_vc[port] = (uint8_t)vc;
		card->in_cell[port] = cell;
	}
}

#if EXTORUS_FRAME_LAYER

static inline void link_inputs(const card_t *card, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting,
	unsigned p, link_inputs_t *in)
{
	in->frame = arrivals->frames >> p & 1 ? &arrivals->frame[p] : NULL;
	in->tx_valid = card->out_valid >> p & 1;
	in->tx_cell = card->out_cell[p];
	in->tx_vc = card->out_vc[p];
	in->tx_credit_valid = x->valid >> p & 1;
	in->tx_credit_vc = x->credit_vc[p];
	in->input_empty = !card->init && !(waiting >> p & 1);
	in->initialising = card->init > 1;
	in->retrain = card->settings.link_retrain >> p & 1;
	in->disable = card->settings.link_disable >> p & 1;
	in->timeout = card->settings.link_timeout;
	in->retry_limit = card->settings.link_retry_limit;
	in->keepalive = card->settings.link_keepalive;
}

/* Links that run their protocol. Returns those that are busy, and from bit 16 on those that are active; to be asked
 * before the step. */
static inline unsigned links_activity(
	const card_t *card, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting, unsigned links)
{
	unsigned activity = 0;

	for (; links; links &= links - 1) {
		const unsigned p = lowest(links);
		link_inputs_t in;

		link_inputs(card, x, arrivals, waiting, p, &in);
		if (link_busy(&card->link[p], &in, card->in_valid >> p & 1)) {
			activity |= 0x10001u << p;
		} else if (link_active(&card->link[p], &in)) {
			activity |= 0x10000u << p;
		}
	}
	return activity;
}

/* Of links without a peer, those that train and stay as they are: their card need not be evaluated. */
static inline unsigned links_in_vain(
	const card_t *card, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting, unsigned lonely)
{
	unsigned vain = 0;

	for (unsigned rest = lonely & card->link_stirring; rest; rest &= rest - 1) {
		const unsigned p = lowest(rest);
		link_inputs_t in;

		link_inputs(card, x, arrivals, waiting, p, &in);
		vain |= (unsigned)link_trains_in_vain(&card->link[p], &in) << p;
	}
	return vain;
}

static inline void step_link(
	card_t *card, common_t *common, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting, unsigned p)
{
	static const uint8_t counters[] = {COUNT_POISONED, COUNT_CRC_ERRORS, COUNT_NACKS, COUNT_REPLAYS, COUNT_TIMEOUTS,
		COUNT_RETRAINS, COUNT_FRAMING};
	link_t *link = &card->link[p];
	const unsigned bit = 1u << p;
	link_inputs_t in;
	link_cell_t cell;
	unsigned events;

	link_inputs(card, x, arrivals, waiting, p, &in);
	events = link_step(link, &common->packets, &in, &cell);
	link_arrive(card, p, cell.valid, cell.has_vc ? cell.vc : card->in_vc[p], cell.cell);
	for (unsigned rest = events; rest; rest &= rest - 1) {
		card->counter[p][counters[lowest(rest)]]++;
		card->counted = 1;
	}
	if (events & LINK_CUT) {
		card->error[p] |= ERROR_POISON;
		card->errors = 1;
	}
	if (link->rx_credit_valid) {
		card->came_credits |= (uint16_t)bit;
		card->came_credit_vc[p] = link->rx_credit_vc;
	}
	/* The credits are told by a register of the switch, so a cycle after the link has gone down. */
	if (card->link_down & bit) {
		credits_find_all_room(&card->credits[p], division_of_output(p));
	}
	if (link->down != (card->link_down >> p & 1)) {
		card->credits_moved |= (uint16_t)bit;
	}
	card->link_hold = (uint16_t)((card->link_hold & ~bit) | (link->hold ? bit : 0));
	card->link_down = (uint16_t)((card->link_down & ~bit) | (link->down ? bit : 0));
	card->link_restart = (uint16_t)((card->link_restart & ~bit) | (link->restart ? bit : 0));
	card->link_stirring = (uint16_t)((card->link_stirring & ~bit) | (link_rests(link, &in) ? 0 : bit));
}

/* What was sent last is seen next. */
static inline void see_leave(card_t *card)
{
	for (unsigned rest = card->sent_cells; rest; rest &= rest - 1) {
		const unsigned p = lowest(rest);

		card->leaving_cell[p] = card->sent_cell[p];
		card->leaving_vc[p] = card->sent_vc[p];
	}
	card->leaving_cells = card->sent_cells;
	card->leaving_credits = card->sent_credits;
}

/* Fast links take what has left the switch, and credits. */
static inline void push_fast(card_t *card, const common_t *common, const crossbar_t *x)
{
	const unsigned cells = card->out_valid & card->fast, credits = x->valid & card->fast;

	if (SEEN_CYCLES == 2) {
		see_leave(card);
	}
	card->sent_cells = (uint16_t)cells;
	card->sent_credits = (uint16_t)credits;
	for (unsigned rest = cells; rest; rest &= rest - 1) {
		unsigned p = lowest(rest);

		card->sent_cell[p] = card->out_cell[p];
		card->sent_vc[p] = card->out_vc[p];
		card->pushed_cells[p]++;
	}
	for (unsigned rest = credits; rest; rest &= rest - 1) {
		unsigned p = lowest(rest);

		card->sent_credit_vc[p] = x->credit_vc[p];
		card->pushed_credits[p]++;
	}
	if (SEEN_CYCLES == 1) {
		see_leave(card);
	}
	if (cells | credits) {
		for (unsigned rest = cells | credits; rest; rest &= rest - 1) {
			card->pushed_at[lowest(rest)] = common->now;
		}
		card->links_busy_until = common->now + 2 * common->latency + ACK_CYCLES;
	}
}

#else

static inline unsigned links_activity(
	const card_t *card, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting, unsigned links)
{
	unsigned activity = arrivals->frames | card->out_valid | x->valid | card->in_valid | card->early_valid;

	(void)waiting;
	return (activity & links) * 0x10001;
}

static inline unsigned links_in_vain(
	const card_t *card, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting, unsigned lonely)
{
	(void)card, (void)x, (void)arrivals, (void)waiting, (void)lonely;
	return 0;
}

static inline void step_plain_links(card_t *card, const arrivals_t *arrivals)
{
	for (unsigned p = 0; p < LINKS; p++) {
		const frame_t *frame = &arrivals->frame[p];
		int valid = (arrivals->frames >> p & 1) && frame->cell_valid;

		if (LOOKUP_CYCLES == 2) {
			link_arrive(card, p, card->early_valid >> p & 1, card->early_vc[p], card->early_cell[p]);
			card->early_valid = (uint16_t)((card->early_valid & ~(1u << p)) | (unsigned)valid << p);
			if (valid) {
				card->early_vc[p] = frame->vc;
				card->early_cell[p] = frame->cell;
			}
		} else {
			link_arrive(card, p, valid, frame->vc, frame->cell);
		}
	}
}

#endif
