/* SPDX-License-Identifier: Apache-2.0
 *
 * One card: the parts in the order in which a cycle can be computed in place, each before what it reads changes. */
#include "card.h"

#include <string.h>

#include "card_links.h"
#include "card_registers.h"
#include "counter_access.h"
#include "crossbar.h"
#include "nic.h"
#include "switch.h"

enum {
	LRT_WORDS = EXTORUS_LRT_ENTRIES * ENTRY_WORDS << BLOCK_RAM_ONLY,
	LARGER_TABLES = LRT_WORDS > (int)BUFFER_CELLS ? LRT_WORDS : (int)BUFFER_CELLS,
	LARGER_QUEUES = (int)QUEUES > 64 * (int)PORTS ? (int)QUEUES : 64 * (int)PORTS,
	INIT_CYCLES = (int)LARGER_TABLES > (int)LARGER_QUEUES ? (int)LARGER_TABLES : (int)LARGER_QUEUES,
};

void card_reset(card_t *card, link_t *link)
{
	memset(card, 0, sizeof(*card));
	card->link = link;
	card->credits_stirring = ALL_PORTS;
	card->inject_stirring = (1 << NICS) - 1;
	card->histogram_stirring = LATENCY ? (1 << NICS) - 1 : 0;
	card->link_stirring = ALL_LINKS;
	card->link_down = LINK_LAYER ? ALL_LINKS : 0;
	card->settings_changed = 1;
	for (unsigned p = 0; p < PORTS; p++) {
		input_t *in = &card->input[p];

		in->free = BUFFER_CELLS;
		in->candidate_above = 0xff;
		memset(in->queue_above, 0xff, sizeof(in->queue_above));
		memset(in->class_above, 0xff, sizeof(in->class_above));
		memset(in->tc_above, 0xff, sizeof(in->tc_above));
		card->grant_above[p] = card->accept_below[p] = 0xffff;
		credits_reset(&card->credits[p], division_of_output(p));
		for (unsigned tc = 0; tc < TCS; tc++) {
			card->weights[p].share[tc] = 1 << EXTORUS_HEADER_LENGTH_BITS;
		}
	}
#if EXTORUS_FRAME_LAYER
	for (unsigned p = 0; p < LINKS; p++) {
		link_reset(&card->link[p]);
		card->link[p].cells_tx.timer = card->link[p].credits_tx.timer = 256;
	}
#endif
	for (unsigned n = 0; n < NICS; n++) {
		credits_reset(&card->inject[n].credits, division_of_inject());
		card->histogram[n].clear = 1;
	}
	card->init = INIT_CYCLES;
	registers_reset(card);
	card->settings.link_timeout = LINK_LAYER ? 256 : 0;
}

/* ---------------------------------------------------------------- outputs */

static void step_weights(card_t *card, const departures_t *out, uint8_t *block)
{
	for (unsigned o = 0; o < PORTS; o++) {
		const int starts = out->first >> o & 1;
		unsigned wanted = 0;

		for (unsigned i = 0; i < PORTS; i++) {
			wanted |= card->input[i].wanted[o];
		}
		block[o] |= card->weights[o].blocked;
		weights_step(&card->weights[o], card->settings.weight[o], wanted,
			starts ? tc_of_queue(o, out->vc[o]) : 0, starts ? out->cells[o] : 0u);
	}
}

static void group_links(card_t *card)
{
	const settings_t *s = &card->settings;
	const unsigned internal = s->internal, outside = ~internal & ALL_LINKS;

	card->group[0] = ALL_LINKS;
	card->group[1] = card->group[2] = 0;
	if (s->select == 1 || s->select == 2) {
		card->group[0] = (uint16_t)outside;
		card->group[1] = (uint16_t)(s->select == 2 ? internal : 0);
	} else if (s->select == 3) {
		card->group[0] = (uint16_t)(outside & ~s->middle);
		card->group[1] = (uint16_t)(outside & s->middle);
		card->group[2] = (uint16_t)internal;
	}
}

/* `looked`: links behind which something has changed. */
static void step_adaptive(card_t *card, unsigned waiting, unsigned looked)
{
	const int tick = waiting && !card->tick && card->patience >= card->settings.patience;

	card->patience = (uint16_t)(card->tick || !waiting ? 0 : card->patience + 1);
	card->tick = (uint8_t)tick;
	tell_inputs(card);
	for (; looked; looked &= looked - 1) {
		look_behind(card, lowest(looked));
	}
}

unsigned card_take_fast_links(card_t *card, unsigned came, const fast_link_item_t *items)
{
	unsigned count = 0;

	for (unsigned rest = came & ALL_LINKS; rest; rest &= rest - 1) {
		unsigned p = lowest(rest);

		link_arrive(card, p, 1, items[p].vc, items[p].cell);
		count++;
	}
	for (unsigned rest = came >> FAST_LINK_CREDITS; rest; rest &= rest - 1) {
		card->came_credit_vc[lowest(rest)] = items[lowest(rest)].credit_vc;
		count++;
	}
	card->came_credits |= (uint16_t)(came >> FAST_LINK_CREDITS);
	return count;
}

/* ---------------------------------------------------------------- registers */

static unsigned port_idle(const card_t *card, const common_t *common, const departures_t *out, unsigned waiting,
	unsigned came, unsigned activity)
{
	unsigned idle = 0;

	for (unsigned p = 0; p < PORTS; p++) {
		int busy = (waiting | out->valid | card->crossing_valid | card->out_valid | card->in_valid) >> p & 1;

		for (unsigned v = 0; v < VCS; v++) {
			busy |= card->credits[p].used[v] != 0;
		}
		if (p >= LINKS) {
			busy |= card->inject[p - LINKS].in_packet || eject_active(&card->eject[p - LINKS]);
		} else if (card->fast >> p & 1) {
			busy |= (came >> p & 1) ||
				(card->pushed_at[p] &&
					common->now <= card->pushed_at[p] + 2 * common->latency + ACK_CYCLES);
		} else {
			busy |= activity >> p & 1;
		}
		idle |= (unsigned)!busy << p;
	}
	return idle;
}

static void apply_late_writes(card_t *card, common_t *common, uint32_t number)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < common->late_count; i++) {
		const late_write_t late = common->late[i];

		if (late.card != number || late.when > common->now) {
			common->late[kept++] = late;
		} else if (late.is_table) {
			tables_write(&common->route_words, card->tables, late.ports, late.index, late.word);
		} else {
			card->lookup = late.address;
		}
	}
	common->late_count = kept;
}

/* ---------------------------------------------------------------- one cycle */

static void step_credits(card_t *card, const departures_t *out, unsigned came)
{
	const unsigned starts = out->first & ~(unsigned)card->link_down;

	const unsigned work = card->credits_stirring | starts | came | card->link_restart;
	unsigned stirring = 0, moved = 0;

	for (unsigned rest = work & ALL_LINKS; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest), bit = 1u << o;
		credits_t *c = &card->credits[o];
		const int restart = (card->link_restart & bit) != 0;

		moved |= c->charged | c->credited | restart ? bit : 0;
		credits_step(c, division_of_output(0), restart, starts & bit ? out->cells[o] : 0u, out->vc[o],
			(came & bit) != 0, card->came_credit_vc[o]);
		stirring |= credits_busy(c) ? bit : 0;
	}
	for (unsigned rest = work & ~(unsigned)ALL_LINKS; rest; rest &= rest - 1) {
		const unsigned o = lowest(rest), bit = 1u << o;
		credits_t *c = &card->credits[o];

		credits_step(
			c, division_of_output(LINKS), 0, starts & bit ? out->cells[o] : 0u, 0, (came & bit) != 0, 0);
		stirring |= credits_busy(c) ? bit : 0;
	}
	card->credits_stirring = (uint16_t)stirring;
	card->credits_moved |= (uint16_t)moved;
}

/* Registers of the switch: where packets may not enter in the next cycle, and how long inputs at rest give way. */
static void look_for_crowds(card_t *card)
{
	unsigned crowded = 0;

	for (unsigned o = 0; EXTORUS_SHARED_CELLS != 0 && o < LINKS; o++) {
		crowded |= (unsigned)(card->credits[o].shared_free < room_to_enter(card)) << o;
	}
	card->crowded = (uint16_t)(crowded & ~(unsigned)card->link_down);
	for (unsigned i = 0; i < PORTS; i++) {
		if (!(card->stirring >> i & 1)) {
			card->input[i].gives_way = card->settings.inject_wait;
		}
	}
}

/* Whether anything but the registers, counters and signs of life moves in this cycle. */
static unsigned is_traffic(
	const card_t *card, const common_t *common, const crossbar_t *x, unsigned waiting, unsigned came, unsigned nics)
{
	if (waiting | card->in_valid | card->crossing_valid | card->out_valid | x->valid | came | nics |
		card->credits_stirring | card->init) {
		return 1;
	}
	for (unsigned rest = card->stirring; rest; rest &= rest - 1) {
		const input_t *in = &card->input[lowest(rest)];

		if (input_active(in) || in->received) {
			return 1;
		}
	}
	return card->fast && common->now <= card->links_busy_until;
}

static void step_nics(
	card_t *card, common_t *common, const crossbar_t *x, const pe_pins_t *pes, unsigned unrouted, int clear_latency)
{
	for (unsigned n = 0; n < NICS; n++) {
		const unsigned port = LINKS + n, bit = 1u << n;
		inject_t *in = &card->inject[n];
		eject_t *e = &card->eject[n];
		const int credit = x->valid >> port & 1, comes = card->out_valid >> port & 1;

		if (LATENCY && ((card->histogram_stirring & bit) || e->delivered || clear_latency)) {
			histogram_t *h = &card->histogram[n];

			histogram_step(h, e->delivered, card->settings.stamp, clear_latency, card->time, e->stamp);
			card->histogram_stirring = (uint8_t)((card->histogram_stirring & ~bit) |
							     (h->late || h->count || h->clear ? bit : 0));
		}
		if ((card->inject_stirring & bit) || pes[n].valid || credit) {
			if (inject_step(card, &common->packets, n, unrouted >> port & 1, &pes[n], credit,
				    credit ? x->credit_vc[port] : 0)) {
				card->counter[port][COUNT_FRAMING]++;
				card->counted = 1;
			}
			card->inject_stirring =
				(uint8_t)((card->inject_stirring & ~bit) |
					  (in->beat || in->in_packet || in->discard || (card->in_valid >> port & 1) ||
								  credits_busy(&in->credits)
							  ? bit
							  : 0));
		}
		if ((card->eject_stirring & bit) || comes) {
			if (eject_step(e, &common->packets, comes, card->out_cell[port], pes[n].ready)) {
				card->error[port] |= ERROR_POISON;
				card->errors = 1;
				if (LINK_LAYER) {
					card->counter[port][COUNT_POISONED]++;
				}
				card->counted = 1;
			}
			card->eject_stirring = (uint8_t)((card->eject_stirring & ~bit) | (eject_active(e) ? bit : 0));
		}
	}
}

void card_step(card_t *card, common_t *common, uint32_t number, const arrivals_t *arrivals, const pe_pins_t *pes)
{
	crossbar_t x;
	departures_t out;
	settings_t settings;
	unsigned waiting = 0, came, unrouted = 0, nics, traffic, moves, other, access = 0, activity = 0;
	uint8_t block[PORTS] = {0};
	const int awake = card->registers_awake || number == common->addressed;
	const unsigned protocol = ALL_LINKS & ~(unsigned)card->fast;
	unsigned links = card->link_stirring;

	if (common->late_count) {
		apply_late_writes(card, common, number);
	} else if (card->rest == QUIET_CYCLES && card->registers_awake &&
		   registers_step_alone(card, common, number, arrivals, pes)) {
		return;
	}
	/* What is true before the edge. */
	take_stage_x(card, &x);
	for (unsigned rest = card->stirring; rest; rest &= rest - 1) {
		waiting |= (unsigned)(card->input[lowest(rest)].free != BUFFER_CELLS) << lowest(rest);
	}
	came = card->came_credits;
	if (!LINK_LAYER) {
		for (unsigned rest = arrivals->frames; rest; rest &= rest - 1) {
			unsigned p = lowest(rest);

			if (arrivals->frame[p].credit_valid) {
				came |= 1u << p;
				card->came_credit_vc[p] = arrivals->frame[p].credit_vc;
			}
		}
		links = ALL_LINKS;
	} else if (card->settings_changed || card->settings.link_retrain) {
		links = protocol;
	} else {
		links |= (card->out_valid | x.valid | arrivals->frames | card->in_valid) & protocol;
	}
	nics = card->inject_stirring | card->eject_stirring;
	for (unsigned n = 0; n < NICS; n++) {
		nics |= pes[n].valid;
		came |= (unsigned)card->eject[n].credit << (LINKS + n);
	}
	traffic = is_traffic(card, common, &x, waiting, came, nics);
	moves = traffic;
	other = (unsigned)card->counted | card->settings.stamp | card->histogram_stirring;
	if (!(traffic | other)) {
		access = (unsigned)counter_bank_busy(&card->bank, common->now);
		other = (unsigned)(card->fast && common->now <= card->links_active_until);
		for (unsigned n = 0; n < NICS; n++) {
			other |= card->eject[n].delivered;
		}
	}
	if (awake || !traffic) {
		const unsigned lonely = common->lonely ? common->lonely[number] : 0;
		unsigned changing;

		activity = links_activity(card, &x, arrivals, waiting, links);
		changing = activity & ~(links_in_vain(card, &x, arrivals, waiting, lonely) * 0x10001u);
		moves |= changing & 0xffff;
		other |= changing >> 16;
		traffic |= activity & 0xffff;
	}
	if (awake) {
		counter_bank_collect(card, common->now);
	}
	cross(card, &common->packets, &x, &out);

	const int clear_high_water = card->registers.clear_high_water, clear_latency = card->registers.clear_latency;

	other |= (unsigned)clear_latency;
	if (awake || card->errors) {
		card_status_t status;

		memcpy(status.error, card->error, sizeof(status.error));
		memset(card->error, 0, sizeof(card->error));
		settings = card->settings;
		access |= (unsigned)registers_active(card);
		/* That of the cycle before; an access looks at it for the first time when it has been going on for
		 * some. */
		status.port_idle = card->port_idle;
		card->port_idle = (uint16_t)port_idle(card, common, &out, waiting, came, activity);
		unrouted = registers_table_read(card);
		card->settings_changed |= card->settings.link_retrain != 0;
		registers_step(card, common, number, &status, arrivals, &settings);
		card->errors = card->registers.failed.valid; /* it is captured in the next cycle */
		card->registers_awake = (uint8_t)registers_wait(card);
	} else {
		counter_bank_scan(card, common->now);
	}
	card->counted = ((CROSSBAR_REGISTER ? card->crossing_valid : out.valid) | card->in_valid) != 0;

	/* The switch. */
	const unsigned hold = card->settings.quiesce | card->link_hold;
	const int weighted = QOS && card->settings.weights_set;
	const unsigned looked = card->credits_moved & ALL_LINKS;

	card->credits_moved = 0;
	for (unsigned rest = hold; rest; rest &= rest - 1) {
		block[lowest(rest)] = ALL_TCS;
	}
	if (weighted) {
		step_weights(card, &out, block);
	}
	if (MONITORS) {
		note_timeouts(
			card, step_monitors(card, ALL_PORTS, card->init ? 0 : waiting, x.valid, clear_high_water));
	}
	card->stirring |= card->in_valid;
	memset(card->stalls, 0, sizeof(card->stalls));
	step_inputs(card, common, card->stirring, weighted);
	look_for_crowds(card);
	if (ADAPTIVE) {
		step_adaptive(card, waiting, card->settings_changed ? (unsigned)ALL_LINKS : looked);
		if (card->settings_changed) {
			group_links(card);
		}
	}
	card->settings_changed = 0;
	step_credits(card, &out, came);
	memcpy(card->block, block, sizeof(block));

	/* Links and NICs. */
	card->came_credits = 0;
	step_nics(card, common, &x, pes, unrouted, clear_latency);
#if EXTORUS_FRAME_LAYER
	card->in_valid &= (uint16_t) ~(unsigned)card->fast;
	push_fast(card, common, &x);
	for (; links; links &= links - 1) {
		step_link(card, common, &x, arrivals, waiting, lowest(links));
	}
#else
	step_plain_links(card, arrivals);
#endif
	depart(card, &out);

	/* The card as a whole. */
	card->time = (uint16_t)(card->time + card->settings.stamp);
	card->traffic_quiet = (uint8_t)(traffic ? 0 : card->traffic_quiet + (card->traffic_quiet != QUIET_CYCLES));
	card->quiet = (uint8_t)(moves | other | access ? 0 : card->quiet + (card->quiet != QUIET_CYCLES));
	card->rest = (uint8_t)(moves | other ? 0 : card->rest + (card->rest != QUIET_CYCLES));
	if (card->init && --card->init == 0) {
		card->link_stirring |= (uint16_t)protocol;
	}
	if (awake) {
		card->settings_changed |= memcmp(&card->settings, &settings, sizeof(settings)) != 0;
		card->settings = settings;
		card->rest = card->settings_changed ? 0 : card->rest;
	}
}

int card_idle(const card_t *card)
{
	return card->quiet == QUIET_CYCLES;
}

int card_nic_ready(const card_t *card, const packets_t *packets, unsigned nic)
{
	int unrouted = registers_table_read(card) >> (LINKS + nic) & 1;
	inject_plan_t plan = inject_plan(card, packets, nic, unrouted);

	return inject_ready(card, &card->inject[nic], &plan);
}

unsigned card_frames(const card_t *card, frame_t *frames)
{
	unsigned valid = 0;

#if EXTORUS_FRAME_LAYER
	for (unsigned rest = card->link_stirring; rest; rest &= rest - 1) {
		unsigned p = lowest(rest);

		if (card->link[p].out_valid) {
			valid |= 1u << p;
			frames[p] = card->link[p].out;
		}
	}
#else
	for (unsigned p = 0; p < LINKS; p++) {
		const input_t *in = &card->input[p];
		frame_t *f = &frames[p];

		if ((card->out_valid >> p & 1) || in->x_valid) {
			valid |= 1u << p;
			memset(f, 0, sizeof(*f));
			f->cell_valid = card->out_valid >> p & 1;
			f->vc = card->out_vc[p];
			f->cell = card->out_cell[p];
			f->credit_valid = in->x_valid;
			f->credit_vc = in->x_credit_vc;
		}
	}
#endif
	return valid;
}
