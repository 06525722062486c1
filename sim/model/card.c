/* SPDX-License-Identifier: Apache-2.0
 *
 * One card: the parts in the order in which a cycle can be computed in place, each before what it reads changes. */
#include "card.h"

#include <string.h>

#include "input_unit.h"
#include "nic.h"
#include "scheduler.h"

enum {
	QUIET_CYCLES = 16,
	LARGER_TABLES = EXTORUS_LRT_ENTRIES << BLOCK_RAM_ONLY > BUFFER_CELLS ? EXTORUS_LRT_ENTRIES << BLOCK_RAM_ONLY
									     : BUFFER_CELLS,
	LARGER_QUEUES = (int)QUEUES > 64 * (int)PORTS ? (int)QUEUES : 64 * (int)PORTS,
	INIT_CYCLES = (int)LARGER_TABLES > (int)LARGER_QUEUES ? (int)LARGER_TABLES : (int)LARGER_QUEUES,
};

void card_reset(card_t *card)
{
	memset(card, 0, sizeof(*card));
	for (unsigned p = 0; p < PORTS; p++) {
		input_t *in = &card->input[p];

		in->free = BUFFER_CELLS;
		in->candidate_above = 0xff;
		memset(in->queue_above, 0xff, sizeof(in->queue_above));
		memset(in->class_above, 0xff, sizeof(in->class_above));
		memset(in->tc_above, 0xff, sizeof(in->tc_above));
		card->grant_above[p] = card->accept_above[p] = 0xffff;
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

/* ---------------------------------------------------------------- what stage X holds */

typedef struct {
	unsigned valid; /* inputs */
	uint8_t first[PORTS], output[PORTS], vc[PORTS], len[PORTS], credit_vc[PORTS];
	token_t cell[PORTS];
} crossbar_t;

static void take_stage_x(const card_t *card, crossbar_t *x)
{
	x->valid = 0;
	for (unsigned rest = card->stirring; rest; rest &= rest - 1) {
		unsigned i = lowest(rest);
		const input_t *in = &card->input[i];

		if (in->x_valid) {
			x->valid |= 1u << i;
			x->first[i] = in->x_first;
			x->output[i] = in->x_output;
			x->vc[i] = in->x_vc;
			x->len[i] = in->x_len;
			x->credit_vc[i] = in->x_credit_vc;
			x->cell[i] = in->x_cell;
		}
	}
}

/* A credit that comes back to an output in this cycle: its VC, or -1. */
static int credit_to(const card_t *card, const arrivals_t *arrivals, unsigned port)
{
	if (port >= LINKS) {
		return card->eject[port - LINKS].credit ? 0 : -1;
	}
	if (LINK_LAYER) {
		return card->link[port].rx_credit_valid ? card->link[port].rx_credit_vc : -1;
	}
	return (arrivals->frames >> port & 1) && arrivals->frame[port].credit_valid ? arrivals->frame[port].credit_vc
										     : -1;
}

/* ---------------------------------------------------------------- outputs */

typedef struct {
	unsigned valid, first; /* outputs */
	uint8_t vc[PORTS];
	token_t cell[PORTS];
	uint8_t start_cells[PORTS], start_vc[PORTS]; /* 0 cells: no packet starts */
} departures_t;

static void cross(card_t *card, packets_t *packets, const crossbar_t *x, departures_t *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned rest = x->valid; rest; rest &= rest - 1) {
		unsigned i = lowest(rest), o = x->output[i], tc;

		if (o == NO_PORT) {
			packets_consume(packets, x->cell[i]);
			continue;
		}
		out->valid |= 1u << o;
		out->vc[o] = x->vc[i];
		out->cell[o] = x->cell[i];
		tc = tc_of_queue(o, x->vc[i]);
		card->counter[o][COUNT_TX_CELLS + tc]++;
		if (x->first[i]) {
			out->first |= 1u << o;
			out->start_cells[o] = (uint8_t)(x->len[i] + 1);
			out->start_vc[o] = x->vc[i];
			card->counter[o][COUNT_TX_PACKETS + tc]++;
		}
	}
}

static void step_weights(card_t *card, const departures_t *out, uint8_t *block)
{
	for (unsigned o = 0; o < PORTS; o++) {
		unsigned wanted = 0;

		for (unsigned i = 0; i < PORTS; i++) {
			wanted |= card->input[i].wanted[o];
		}
		block[o] |= card->weights[o].blocked;
		weights_step(&card->weights[o], card->settings.weight[o], wanted,
			tc_of_queue(o, out->start_vc[o]), out->start_cells[o]);
	}
}

static unsigned holds(const card_t *card)
{
	unsigned hold = card->settings.quiesce;

	for (unsigned p = 0; LINK_LAYER && p < LINKS; p++) {
		hold |= (unsigned)card->link[p].hold << p;
	}
	return hold;
}

static void step_adaptive(card_t *card, unsigned waiting)
{
	const settings_t *s = &card->settings;
	const unsigned internal = s->internal, outside = ~internal & ALL_LINKS;
	const int tick = waiting && !card->tick && card->patience >= s->patience;

	card->patience = (uint16_t)(card->tick || !waiting ? 0 : card->patience + 1);
	card->tick = (uint8_t)tick;
	card->group[0] = ALL_LINKS;
	card->group[1] = card->group[2] = 0;
	if (s->select == 1 || s->select == 2) {
		card->group[0] = (uint8_t)outside;
		card->group[1] = (uint8_t)(s->select == 2 ? internal : 0);
	} else if (s->select == 3) {
		card->group[0] = (uint8_t)(outside & ~s->middle);
		card->group[1] = (uint8_t)(outside & s->middle);
		card->group[2] = (uint8_t)internal;
	}
	for (unsigned tc = 0; tc < TCS; tc++) {
		unsigned vcs = tc_vcs(tc) & EXTORUS_VCS_ADAPTIVE, usable = 0, low = 0;

		for (unsigned p = 0; vcs && p < LINKS; p++) {
			unsigned used = card->credits[p].used[lowest(vcs)];

			usable |= (unsigned)(used < s->high && !card->link[p].down) << p;
			low |= (unsigned)(used < s->low) << p;
		}
		card->usable[tc] = (uint8_t)usable;
		card->low[tc] = (uint8_t)low;
	}
}

/* ---------------------------------------------------------------- marks and watchdogs */

static unsigned step_monitors(card_t *card, unsigned waiting, unsigned served, int clear)
{
	const unsigned limit = card->settings.stall_timeout;
	unsigned timeouts = 0;

	for (unsigned p = 0; p < PORTS; p++) {
		const unsigned used = BUFFER_CELLS - card->input[p].free;

		if (clear || card->high_water_used[p] > card->high_water[p]) {
			card->high_water[p] = card->high_water_used[p];
		}
		card->high_water_used[p] = (uint16_t)used;
		timeouts |= (unsigned)(limit && card->stalled[p] == limit) << p;
		if (!(waiting >> p & 1) || (served >> p & 1)) {
			card->stalled[p] = 0;
			card->stall_said &= (uint16_t)~(1u << p);
		} else if (!(card->stall_said >> p & 1)) {
			card->stall_said |= (uint16_t)((unsigned)(limit && card->stalled[p] == limit) << p);
			card->stalled[p]++;
		}
	}
	return timeouts;
}

/* ---------------------------------------------------------------- links */

static void link_inputs(const card_t *card, const crossbar_t *x, const arrivals_t *arrivals, unsigned waiting, unsigned p,
	link_inputs_t *in)
{
	in->frame = arrivals->frames >> p & 1 ? &arrivals->frame[p] : NULL;
	in->tx_valid = card->out_valid >> p & 1;
	in->tx_cell = card->out_cell[p];
	in->tx_vc = card->out_vc[p];
	in->tx_credit_valid = x->valid >> p & 1;
	in->tx_credit_vc = x->credit_vc[p];
	in->input_empty = !card->init && !(waiting >> p & 1);
	in->retrain = card->settings.link_retrain >> p & 1;
	in->disable = card->settings.link_disable >> p & 1;
	in->timeout = card->settings.link_timeout;
	in->retry_limit = card->settings.link_retry_limit;
	in->keepalive = card->settings.link_keepalive;
}

static void arrive(card_t *card, unsigned port, int valid, unsigned vc, token_t cell)
{
	card->in_valid = (uint16_t)((card->in_valid & ~(1u << port)) | (unsigned)valid << port);
	if (valid) {
		card->in_vc[port] = (uint8_t)vc;
		card->in_cell[port] = cell;
	}
}

#if EXTORUS_FRAME_LAYER

static unsigned step_link(card_t *card, common_t *common, unsigned p, const link_inputs_t *in)
{
	static const uint8_t counters[] = {COUNT_POISONED, COUNT_CRC_ERRORS, COUNT_NACKS, COUNT_REPLAYS,
		COUNT_TIMEOUTS, COUNT_RETRAINS, COUNT_FRAMING};
	link_cell_t cell;
	unsigned events = link_step(&card->link[p], &common->packets, in, &cell);

	arrive(card, p, cell.valid, cell.has_vc ? cell.vc : card->in_vc[p], cell.cell);
	for (unsigned rest = events; rest; rest &= rest - 1) {
		card->counter[p][counters[lowest(rest)]]++;
	}
	if (events & LINK_CUT) {
		card->error[p] |= ERROR_POISON;
	}
	return events;
}

#else

static void step_plain_link(card_t *card, unsigned p, const link_inputs_t *in)
{
	int valid = in->frame && in->frame->cell_valid;

	if (LOOKUP_CYCLES == 2) {
		arrive(card, p, card->early_valid >> p & 1, card->early_vc[p], card->early_cell[p]);
		card->early_valid = (uint16_t)((card->early_valid & ~(1u << p)) | (unsigned)valid << p);
		if (valid) {
			card->early_vc[p] = in->frame->vc;
			card->early_cell[p] = in->frame->cell;
		}
	} else {
		arrive(card, p, valid, valid ? in->frame->vc : 0, valid ? in->frame->cell : 0);
	}
}

#endif

/* Bits 0: the link is busy, 1: active. */
static unsigned link_activity(const card_t *card, unsigned p, const link_inputs_t *in)
{
#if EXTORUS_FRAME_LAYER
	unsigned busy = (unsigned)link_busy(&card->link[p], in, card->in_valid >> p & 1);

	return busy | (busy | (unsigned)link_active(&card->link[p], in)) << 1;
#else
	unsigned busy = in->frame || in->tx_valid || in->tx_credit_valid ||
			((card->in_valid | card->early_valid) >> p & 1);

	return busy * 3;
#endif
}

/* ---------------------------------------------------------------- registers */

static unsigned port_idle(
	const card_t *card, const departures_t *out, unsigned waiting, const uint8_t *activity)
{
	unsigned idle = 0;

	for (unsigned p = 0; p < PORTS; p++) {
		int busy = (waiting | out->valid | card->out_valid | card->in_valid) >> p & 1;

		for (unsigned v = 0; v < VCS; v++) {
			busy |= card->credits[p].used[v] != 0;
		}
		if (p < LINKS) {
			busy |= activity[p] & 1;
		} else {
			busy |= card->inject[p - LINKS].in_packet || eject_active(&card->eject[p - LINKS]) ||
				(card->out_valid >> p & 1);
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
			tables_write(&common->entries, card->tables, late.ports, late.index, late.entry);
		} else {
			card->lookup = late.address;
		}
	}
	common->late_count = kept;
}

/* ---------------------------------------------------------------- one cycle */

static unsigned switch_active(const card_t *card, const arrivals_t *arrivals, const crossbar_t *x)
{
	if (card->in_valid | card->out_valid | x->valid) {
		return 1;
	}
	for (unsigned p = 0; p < PORTS; p++) {
		if (input_active(&card->input[p]) || card->input[p].received || credits_busy(&card->credits[p]) ||
			credit_to(card, arrivals, p) >= 0) {
			return 1;
		}
	}
	return 0;
}

static void step_inputs(card_t *card, common_t *common, const departures_t *out, int weighted)
{
	unsigned request[PORTS] = {0}, busy_outputs = 0, requests = 0;
	uint8_t match[PORTS];
	const int tick = card->tick;

	(void)out;
	memset(card->stalls, 0, sizeof(card->stalls));
	memset(match, NO_PORT, sizeof(match));
	card->stirring |= card->in_valid;
	for (unsigned rest = card->stirring; rest; rest &= rest - 1) {
		unsigned i = lowest(rest);

		request[i] = card->input[i].busy ? 0 : card->input[i].request & ~(unsigned)card->output_busy;
		requests |= request[i];
	}
	if (requests) {
		islip(card, request, match);
	}
	for (unsigned rest = card->stirring; rest; rest &= rest - 1) {
		unsigned i = lowest(rest), stalls;
		input_result_t result = input_step(card, common, i, match[i], tick, weighted, &stalls);

		busy_outputs |= result.busy_outputs;
		card->stalls[i] = (uint16_t)stalls;
		if (result.error) {
			card->error[i] |= (uint8_t)result.error;
			card->counted = 1;
		}
		if (MONITORS && stalls) {
			for (unsigned tc = 0; tc < TCS; tc++) {
				card->counter[i][COUNT_STALLS_CREDIT + tc] += stalls >> tc & 1;
				card->counter[i][COUNT_STALLS_GRANT + tc] += stalls >> (8 + tc) & 1;
			}
			card->counted = 1;
		}
		if (input_rests(&card->input[i])) {
			card->stirring &= (uint16_t)~(1u << i);
		}
	}
	card->output_busy = (uint16_t)busy_outputs;
}

void card_step(card_t *card, common_t *common, uint32_t number, const arrivals_t *arrivals, const pe_pins_t *pes)
{
	crossbar_t x;
	departures_t out;
	link_inputs_t link_in[LINKS];
	uint8_t activity[LINKS], block[PORTS] = {0};
	settings_t settings = card->settings;
	card_status_t status;
	unsigned waiting = 0, table_read = 0, traffic, other, errors = 0, nic_delivered = 0;
	const int counted = card->counted, clear_high_water = card->registers.clear_high_water,
		  clear_latency = card->registers.clear_latency;
	const int register_work = registers_wait(card);

	if (common->late_count) {
		apply_late_writes(card, common, number);
	}
	/* What is true before the edge. */
	take_stage_x(card, &x);
	for (unsigned p = 0; p < PORTS; p++) {
		waiting |= (unsigned)(card->input[p].free != BUFFER_CELLS) << p;
		status.error[p] = card->error[p];
		errors |= card->error[p];
		card->error[p] = 0;
	}
	for (unsigned p = 0; p < LINKS; p++) {
		link_inputs(card, &x, arrivals, waiting, p, &link_in[p]);
	}
	traffic = card->init || switch_active(card, arrivals, &x);
	other = (unsigned)registers_active(card) | (unsigned)counted | (unsigned)counter_bank_busy(&card->bank) |
		card->settings.stamp;
	for (unsigned p = 0; p < LINKS; p++) {
		activity[p] = (uint8_t)link_activity(card, p, &link_in[p]);
		traffic |= activity[p] & 1;
		other |= activity[p] >> 1;
	}
	for (unsigned n = 0; n < NICS; n++) {
		const eject_t *e = &card->eject[n];

		traffic |= (unsigned)inject_active(card, n, &pes[n]) | (unsigned)eject_active(e);
		nic_delivered |= (unsigned)e->delivered << n;
		if (LATENCY) {
			other |= (unsigned)histogram_active(&card->histogram[n], e->delivered, clear_latency);
		}
	}
	cross(card, &common->packets, &x, &out);
	if (register_work || errors) {
		status.port_idle = (uint16_t)port_idle(card, &out, waiting, activity);
		table_read = registers_table_read(card);
		registers_step(card, common, number, &status, arrivals, &settings);
	} else if (counted || counter_bank_busy(&card->bank)) {
		counter_bank_step(card, 0, 0, 0);
	}
	card->counted = out.valid || card->in_valid;

	/* The switch. */
	const unsigned hold = holds(card);
	const int weighted = QOS && card->settings.weights_set;

	if (hold) {
		for (unsigned o = 0; o < PORTS; o++) {
			block[o] = hold >> o & 1 ? ALL_TCS : 0;
		}
	}
	if (weighted) {
		step_weights(card, &out, block);
	}
	if (MONITORS) {
		unsigned late = step_monitors(card, card->init ? 0 : waiting, x.valid, clear_high_water);

		for (; late; late &= late - 1) {
			card->error[lowest(late)] |= ERROR_TIMEOUT;
		}
	}
	step_inputs(card, common, &out, weighted);
	if (ADAPTIVE) {
		step_adaptive(card, waiting);
	}
	for (unsigned o = 0; o < PORTS; o++) {
		int credit = credit_to(card, arrivals, o);
		unsigned down = LINK_LAYER && o < LINKS && card->link[o < LINKS ? o : 0].down;
		unsigned restart = LINK_LAYER && o < LINKS && card->link[o < LINKS ? o : 0].restart;

		credits_step(&card->credits[o], division_of_output(o), (int)restart,
			down ? 0u : out.start_cells[o], o < LINKS ? out.start_vc[o] : 0u, credit >= 0,
			credit >= 0 ? (unsigned)credit : 0u);
	}
	memcpy(card->block, block, sizeof(block));

	/* Links and NICs. */
	for (unsigned n = 0; n < NICS; n++) {
		const unsigned port = LINKS + n;

		if (LATENCY) {
			histogram_step(&card->histogram[n], nic_delivered >> n & 1, card->settings.stamp,
				clear_latency, card->time, card->eject[n].stamp);
		}
		if (inject_step(card, &common->packets, n, table_read >> port & 1, &pes[n], x.valid >> port & 1,
			    x.valid >> port & 1 ? x.credit_vc[port] : 0)) {
			card->counter[port][COUNT_FRAMING]++;
			card->counted = 1;
		}
		if (eject_step(&card->eject[n], &common->packets, card->out_valid >> port & 1,
			    card->out_cell[port], pes[n].ready)) {
			card->error[port] |= ERROR_POISON;
			if (LINK_LAYER) {
				card->counter[port][COUNT_POISONED]++;
			}
			card->counted = 1;
		}
	}
	for (unsigned p = 0; p < LINKS; p++) {
#if EXTORUS_FRAME_LAYER
		card->counted |= step_link(card, common, p, &link_in[p]) != 0;
#else
		step_plain_link(card, p, &link_in[p]);
#endif
	}
	card->out_valid = (uint16_t)out.valid;
	card->out_first = (uint16_t)out.first;
	for (unsigned rest = out.valid; rest; rest &= rest - 1) {
		unsigned o = lowest(rest);

		card->out_vc[o] = out.vc[o];
		card->out_cell[o] = out.cell[o];
	}

	/* The card as a whole. */
	if (card->settings.stamp) {
		card->time++;
	}
	card->traffic_quiet = (uint8_t)(traffic ? 0 : card->traffic_quiet + (card->traffic_quiet != QUIET_CYCLES));
	card->quiet = (uint8_t)(traffic | other ? 0 : card->quiet + (card->quiet != QUIET_CYCLES));
	if (card->init) {
		card->init--;
	}
	if (register_work) {
		card->settings = settings;
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

	for (unsigned p = 0; p < LINKS; p++) {
#if EXTORUS_FRAME_LAYER
		if (card->link[p].out_valid) {
			valid |= 1u << p;
			frames[p] = card->link[p].out;
		}
#else
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
#endif
	}
	return valid;
}
