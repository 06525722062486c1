/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers of a card behind its AXI4-Lite pins, with the time that an access takes. */
#include "card_registers.h"

#include <string.h>

#include "counter_access.h"
#include "extorus/profiles.h"

enum {
	OKAY = 0,
	SLVERR = 2,
	READ_CYCLES = 4,
	TABLE_CYCLES = TABLE_ECC ? 7 : 5,
	/* Cycles left of a read when what it returns is looked at. */
	AT_TABLE = TABLE_ECC ? 5 : 3,
	AT_SYNDROME = 3,
	AT_PORT = 3,
	AT_SINGLE = 2,
	AT_ANSWER = 1,
};

typedef enum {
	IN_NOTHING,
	IN_SINGLE,
	IN_PORT,
	IN_LATENCY,
	IN_GRT,
	IN_LRT,
} area_t;

typedef struct {
	area_t area;
	unsigned port;   /* or NIC */
	unsigned offset; /* of a register that exists once, or among those of its port */
	unsigned index;  /* table entry, or bin */
} place_t;

static place_t place_of(unsigned address)
{
	unsigned table_index = ((address >> 15 & address >> 14 & 1) << 11) | (address >> 3 & 0x7ff);
	place_t place = {IN_NOTHING, address >> 8 & 0xf, address & 0xff, table_index};

	if (address & 3) {
		return place;
	}
	if (address >> 8 == 0) {
		place.area = IN_SINGLE;
	} else if (address >> 12 == EXTORUS_REG_FREE_CELLS(0) >> 12 && place.port < PORTS) {
		place.area = IN_PORT;
	} else if (LATENCY && address >> 12 == EXTORUS_REG_LATENCY(0, 0) >> 12 && (address >> 6 & 0x3f) < NICS) {
		place.area = IN_LATENCY;
		place.port = address >> 6 & 0x3f;
		place.index = address >> 2 & 0xf;
	} else if (address >> 15 && table_index < EXTORUS_LRT_ENTRIES) {
		place.area = IN_LRT;
	} else if (address >> 14 == 1 && table_index < EXTORUS_GRT_ENTRIES) {
		place.area = IN_GRT;
	}
	return place;
}

static int in_table(const place_t *place)
{
	return place->area == IN_GRT || place->area == IN_LRT;
}

/* Of the registers per TC or VC from `first` on: which, or -1. */
static int item_of(unsigned offset, unsigned first, unsigned items)
{
	first &= 0xff;
	return offset >= first && offset < first + 4 * items ? (int)(offset - first) / 4 : -1;
}

/* Number of the counter, -1: none, -2: one that is always 0 here. */
static int counter_of(const place_t *place)
{
	static const struct {
		uint16_t address, number;
	} per_tc[] = {
		{EXTORUS_REG_RX_PACKETS(0, 0), COUNT_RX_PACKETS},
		{EXTORUS_REG_RX_CELLS(0, 0), COUNT_RX_CELLS},
		{EXTORUS_REG_TX_PACKETS(0, 0), COUNT_TX_PACKETS},
		{EXTORUS_REG_TX_CELLS(0, 0), COUNT_TX_CELLS},
		{EXTORUS_REG_STALLS_CREDIT(0, 0), COUNT_STALLS_CREDIT},
		{EXTORUS_REG_STALLS_GRANT(0, 0), COUNT_STALLS_GRANT},
	};
	const int link = place->port < LINKS;

	if (place->area != IN_PORT) {
		return -1;
	}
	for (unsigned k = 0; k < (MONITORS ? 6 : 4); k++) {
		int tc = item_of(place->offset, per_tc[k].address, TCS);

		if (tc >= 0) {
			return per_tc[k].number + tc;
		}
	}
	switch (place->offset) {
	case EXTORUS_REG_ILLEGAL_ROUTES(0) & 0xff:
		return COUNT_ILLEGAL;
	case EXTORUS_REG_FRAMING_ERRORS(0) & 0xff:
		return link ? -2 : COUNT_FRAMING;
	case EXTORUS_REG_DROPPED(0) & 0xff:
		return link ? COUNT_FRAMING : -2;
	case EXTORUS_REG_POISONED(0) & 0xff:
		return LINK_LAYER ? COUNT_POISONED : -2;
	default:
		if (LINK_LAYER && link) {
			int k = item_of(place->offset, EXTORUS_REG_CRC_ERRORS(0), 5);

			return k >= 0 ? COUNT_CRC_ERRORS + k : -1;
		}
		return -1;
	}
}

void registers_reset(card_t *card)
{
	settings_t *s = &card->settings;

	memset(s, 0, sizeof(*s));
	for (unsigned tc = 0; tc < TCS; tc++) {
		s->address.mask[tc] = (uint32_t)((UINT64_C(1) << EXTORUS_ID_BITS) - 1);
	}
	if (ADAPTIVE) {
		s->low = PACKET_CELLS;
		s->high = 4 * PACKET_CELLS;
		s->patience = 64;
	}
	if (LINK_LAYER) {
		s->link_timeout = 256;
		s->link_retry_limit = 8;
	}
	card->registers.table_ports = ALL_PORTS;
	card->lookup = s->address;
}

static int busy(const registers_t *r)
{
	return r->write || r->read || r->bvalid || r->rvalid || r->awready || r->arready;
}

int registers_active(const card_t *card)
{
	const registers_t *r = &card->registers;

	return busy(r) || r->awvalid || r->wvalid || r->arvalid;
}

/* The state machine has something to do, or pulses to end. */
int registers_wait(const card_t *card)
{
	const registers_t *r = &card->registers;

	return registers_active(card) || r->grt_we || r->lrt_we || r->scrub || r->clear_high_water ||
	       r->clear_latency || r->clear_error || card->settings.link_retrain;
}

/* ---------------------------------------------------------------- writes */

/* The settings are by input, the register is by output. */
static void set_entrants(settings_t *s, unsigned output, unsigned inputs)
{
	for (unsigned i = 0; i < LINKS; i++) {
		s->enters[i] = (uint16_t)((s->enters[i] & ~(1u << output)) | (inputs >> i & 1) << output);
	}
}

static unsigned entrants_of(const settings_t *s, unsigned output)
{
	unsigned inputs = 0;

	for (unsigned i = 0; i < LINKS; i++) {
		inputs |= (s->enters[i] >> output & 1u) << i;
	}
	return inputs;
}

static void write_port(registers_t *r, settings_t *s, const place_t *place, int *hit)
{
	int tc = QOS ? item_of(place->offset, EXTORUS_REG_TC_WEIGHT(0, 0), TCS) : -1;

	if (place->offset == (EXTORUS_REG_ERROR_FLAGS(0) & 0xff)) {
		r->flags[place->port] &= (uint8_t)~r->wdata_q;
	} else if (tc >= 0) {
		s->weight[place->port][tc] = r->wdata_q & 0xf;
		s->weights_set = 1;
	} else if (BUBBLE && place->port < LINKS && place->offset == (EXTORUS_REG_RING(0) & 0xff)) {
		s->ring[place->port] = r->wdata_q & 0xfff;
	} else if (place->port < LINKS && place->offset == (EXTORUS_REG_ENTRANTS(0) & 0xff)) {
		set_entrants(s, place->port, EXTORUS_SHARED_CELLS ? r->wdata_q & ALL_LINKS : 0);
	} else {
		*hit = 0;
	}
}

static void write_single(registers_t *r, settings_t *s, const place_t *place, int *hit)
{
	const uint32_t data = r->wdata_q;
	int tc = item_of(place->offset, EXTORUS_REG_MATCH_MASK(0), TCS);

	if (tc >= 0) {
		s->address.mask[tc] = data & (uint32_t)((UINT64_C(1) << EXTORUS_ID_BITS) - 1);
		return;
	}
	switch (place->offset) {
	case EXTORUS_REG_CARD_ID:
		s->address.own = data & (uint32_t)((UINT64_C(1) << EXTORUS_ID_BITS) - 1);
		return;
	case EXTORUS_REG_ROUTE_ORDER:
		s->address.order = data & ALL_TCS;
		return;
	case EXTORUS_REG_TABLE_PORTS:
		r->table_ports = data & ALL_PORTS;
		return;
	case EXTORUS_REG_TABLE_READ_PORT:
		*hit = data < PORTS;
		r->table_read_port = *hit ? (uint8_t)data : r->table_read_port;
		return;
	case EXTORUS_REG_QUIESCE:
		s->quiesce = data & ALL_PORTS;
		return;
	case EXTORUS_REG_INJECTION:
		s->inject_wait = (uint16_t)data;
		s->inject_room = (uint16_t)(data >> 16);
		return;
	case EXTORUS_REG_OWNER:
		r->owner = data;
		return;
	case EXTORUS_REG_LOAD:
		r->load = data;
		return;
	case EXTORUS_REG_CLEAR:
		r->clear_high_water = MONITORS && (data & 1);
		r->clear_latency = data >> 1 & 1;
		r->clear_error = MONITORS && (data >> 2 & 1);
		return;
	default:
		break;
	}
	if (ADAPTIVE) {
		switch (place->offset) {
		case EXTORUS_REG_ADAPTIVE_SELECT:
			s->select = data & 3;
			return;
		case EXTORUS_REG_ADAPTIVE_THRESHOLDS:
			s->low = (uint16_t)data;
			s->high = (uint16_t)(data >> 16);
			return;
		case EXTORUS_REG_ADAPTIVE_PORTS:
			s->internal = data & ALL_LINKS;
			s->middle = data >> 8 & ALL_LINKS;
			return;
		case EXTORUS_REG_ADAPTIVE_PATIENCE:
			s->patience = (uint16_t)data;
			return;
		default:
			break;
		}
	}
	if (LINK_LAYER) {
		switch (place->offset) {
		case EXTORUS_REG_LINK_DISABLE:
			s->link_disable = data & ALL_LINKS;
			return;
		case EXTORUS_REG_LINK_RETRAIN:
			s->link_retrain = data & ALL_LINKS;
			return;
		case EXTORUS_REG_LINK_TIMING:
			s->link_timeout = (uint16_t)data;
			s->link_retry_limit = (uint8_t)(data >> 16);
			return;
		case EXTORUS_REG_LINK_KEEPALIVE:
			s->link_keepalive = (uint16_t)data;
			return;
		default:
			break;
		}
	}
	if (MONITORS && place->offset == EXTORUS_REG_STALL_TIMEOUT) {
		s->stall_timeout = (uint16_t)data;
	} else if (LATENCY && place->offset == EXTORUS_REG_LATENCY_CONTROL) {
		s->stamp = data & 1;
	} else if (TABLE_ECC && place->offset == EXTORUS_REG_TABLE_FLIP) {
		r->flip = data & 0x7f;
	} else {
		*hit = 0;
	}
}

/* The word that a table write stores, with the bit that TABLE_FLIP asks for. */
static void encode(registers_t *r)
{
	uint64_t data = (uint64_t)r->wdata_q << 32 | r->low;
	unsigned bits = TCS * EXTORUS_ENTRY_TC_BITS;

	if (bits < 64) {
		data &= (UINT64_C(1) << bits % 64) - 1;
	}
	r->wentry = data;
	r->wentry_code = TABLE_ECC ? xt_entry_code(data) : 0;
	if (TABLE_ECC && r->flip) {
		unsigned bit = r->flip - 1u;

		if (bit < bits) {
			r->wentry ^= UINT64_C(1) << bit;
		} else if (bit < bits + XT_ENTRY_CODE_BITS) {
			r->wentry_code ^= (uint8_t)(1u << (bit - bits));
		}
	}
	r->flip = 0;
}

static void carry_out(card_t *card, settings_t *s)
{
	registers_t *r = &card->registers;
	place_t place = place_of(r->addr);
	int hit = 1;

	switch (place.area) {
	case IN_SINGLE:
		write_single(r, s, &place, &hit);
		break;
	case IN_PORT:
		write_port(r, s, &place, &hit);
		break;
	case IN_GRT:
	case IN_LRT:
		if (!(r->addr & 4)) {
			r->low = r->wdata_q;
		} else {
			encode(r);
			*(place.area == IN_GRT ? &r->grt_we : &r->lrt_we) = r->table_ports;
		}
		break;
	default:
		hit = 0;
	}
	r->bresp = hit ? OKAY : SLVERR;
}

static void write_late(common_t *common, const late_write_t *write)
{
	if (common->late_count < LATE_WRITES) {
		common->late[common->late_count++] = *write;
	}
}

/* A table write of the cycle before reaches the memory in this one. */
static void write_tables(card_t *card, common_t *common, uint32_t number)
{
	registers_t *r = &card->registers;
	place_t place = place_of(r->addr);
	late_write_t write = {
		.when = common->now + 1 + LOOKUP_CYCLES,
		.card = number,
		.is_table = 1,
		.ports = (uint16_t)(r->grt_we | r->lrt_we),
		.index = (uint16_t)(r->grt_we ? place.index : EXTORUS_GRT_ENTRIES + place.index),
		.entry = entries_number(&common->entries, r->wentry, r->wentry_code),
	};

	write_late(common, &write);
	r->grt_we = r->lrt_we = 0;
}

/* ---------------------------------------------------------------- reads */

static uint32_t read_single(const card_t *card, const place_t *place, const card_status_t *status, int *hit)
{
	const registers_t *r = &card->registers;
	const settings_t *s = &card->settings;
	int tc = item_of(place->offset, EXTORUS_REG_MATCH_MASK(0), TCS);

	*hit = 1;
	if (tc >= 0) {
		return s->address.mask[tc];
	}
	switch (place->offset) {
	case EXTORUS_REG_MAGIC:
		return EXTORUS_MAGIC_VALUE;
	case EXTORUS_REG_VERSION:
		return EXTORUS_MAP_VERSION;
	case EXTORUS_REG_PROFILE_HASH:
		return EXTORUS_PROFILE_HASH;
	case EXTORUS_REG_SHAPE:
		return (uint32_t)VCS << 24 | (uint32_t)TCS << 16 | (uint32_t)NICS << 8 | LINKS;
	case EXTORUS_REG_FEATURES:
		return EXTORUS_FEATURES;
	case EXTORUS_REG_STATUS:
		return (uint32_t)(card->traffic_quiet == QUIET_CYCLES) << 1 | (card->init == 0);
	case EXTORUS_REG_CARD_ID:
		return s->address.own;
	case EXTORUS_REG_ROUTE_ORDER:
		return s->address.order;
	case EXTORUS_REG_TABLE_PORTS:
		return r->table_ports;
	case EXTORUS_REG_TABLE_READ_PORT:
		return r->table_read_port;
	case EXTORUS_REG_QUIESCE:
		return s->quiesce;
	case EXTORUS_REG_INJECTION:
		return (uint32_t)s->inject_room << 16 | s->inject_wait;
	case EXTORUS_REG_OWNER:
		return r->owner;
	case EXTORUS_REG_LOAD:
		return r->load;
	case EXTORUS_REG_PORT_IDLE:
		return status->port_idle;
	case EXTORUS_REG_CLEAR:
		return 0;
	default:
		break;
	}
	if (ADAPTIVE) {
		switch (place->offset) {
		case EXTORUS_REG_ADAPTIVE_SELECT:
			return s->select;
		case EXTORUS_REG_ADAPTIVE_THRESHOLDS:
			return (uint32_t)s->high << 16 | s->low;
		case EXTORUS_REG_ADAPTIVE_PORTS:
			return (uint32_t)s->middle << 8 | s->internal;
		case EXTORUS_REG_ADAPTIVE_PATIENCE:
			return s->patience;
		default:
			break;
		}
	}
	if (LINK_LAYER) {
		switch (place->offset) {
		case EXTORUS_REG_LINK_DISABLE:
			return s->link_disable;
		case EXTORUS_REG_LINK_RETRAIN:
			return 0;
		case EXTORUS_REG_LINK_TIMING:
			return (uint32_t)s->link_retry_limit << 16 | s->link_timeout;
		case EXTORUS_REG_LINK_KEEPALIVE:
			return s->link_keepalive;
		default:
			break;
		}
	}
	if (MONITORS) {
		switch (place->offset) {
		case EXTORUS_REG_STALL_TIMEOUT:
			return s->stall_timeout;
		case EXTORUS_REG_ERROR_SOURCE:
			return (uint32_t)r->error.port << 4 | (uint32_t)r->error.kind << 1 | r->error.valid;
		case EXTORUS_REG_ERROR_HEADER_LOW:
			return (uint32_t)r->error.header;
		case EXTORUS_REG_ERROR_HEADER_HIGH:
			return (uint32_t)(r->error.header >> 32);
		default:
			break;
		}
	}
	if (LATENCY && place->offset == EXTORUS_REG_LATENCY_CONTROL) {
		return s->stamp;
	}
	if (TABLE_ECC && place->offset == EXTORUS_REG_TABLE_FLIP) {
		return r->flip;
	}
	if (TABLE_ECC && place->offset == EXTORUS_REG_TABLE_ERRORS) {
		return r->table_errors;
	}
	*hit = 0;
	return 0;
}

static uint32_t read_port(const card_t *card, const place_t *place, int *hit)
{
	const unsigned p = place->port;
	int item;

	*hit = 1;
	switch (place->offset) {
	case EXTORUS_REG_FREE_CELLS(0) & 0xff:
		return card->input[p].free;
	case EXTORUS_REG_ERROR_FLAGS(0) & 0xff:
		return card->registers.flags[p];
	default:
		break;
	}
	if (MONITORS && place->offset == (EXTORUS_REG_HIGH_WATER(0) & 0xff)) {
		return card->high_water[p];
	}
	if ((item = item_of(place->offset, EXTORUS_REG_CREDITS_USED(0, 0), VCS)) >= 0) {
		return p < LINKS || item == 0 ? card->credits[p].used[item] : 0;
	}
	if (LINK_LAYER && p < LINKS && place->offset == (EXTORUS_REG_LINK_STATE(0) & 0xff)) {
		return (uint32_t)card->link[p].cause << 2 | card->link[p].state;
	}
	if (QOS && (item = item_of(place->offset, EXTORUS_REG_TC_WEIGHT(0, 0), TCS)) >= 0) {
		return card->settings.weight[p][item];
	}
	if (BUBBLE && p < LINKS && place->offset == (EXTORUS_REG_RING(0) & 0xff)) {
		return card->settings.ring[p];
	}
	if (p < LINKS && place->offset == (EXTORUS_REG_ENTRANTS(0) & 0xff)) {
		return entrants_of(&card->settings, p);
	}
	*hit = counter_of(place) == -2;
	return 0;
}

/* Corrects one wrong bit of the entry that was read, and has it written back. */
static void mend(registers_t *r)
{
	uint8_t syndrome = xt_entry_code(r->entry) ^ r->entry_code;

	if (!TABLE_ECC || !syndrome) {
		return;
	}
	for (unsigned bit = 0; bit < TCS * EXTORUS_ENTRY_TC_BITS; bit++) {
		if (xt_entry_column(bit) == syndrome) {
			r->entry ^= UINT64_C(1) << bit;
			r->scrub = 1;
			return;
		}
	}
	if (__builtin_popcount(syndrome) == 1) {
		r->entry_code ^= syndrome;
		r->scrub = 1;
	}
}

static void look_at_table(card_t *card, const common_t *common, const place_t *place)
{
	registers_t *r = &card->registers;
	const table_t *table = card->tables[r->table_read_port];
	unsigned index = place->area == IN_GRT ? place->index : EXTORUS_GRT_ENTRIES + place->index;
	const entry_t *entry = &common->entries.entries[table ? table->entry[index] : 0];

	r->entry = entry->data;
	r->entry_code = entry->code;
}

static void look(card_t *card, const common_t *common, const card_status_t *status, const place_t *place)
{
	registers_t *r = &card->registers;
	int hit;

	if (r->read == AT_TABLE && in_table(place)) {
		look_at_table(card, common, place);
	}
	if (r->read == AT_SYNDROME && in_table(place)) {
		mend(r);
	}
	if (r->read == AT_PORT) {
		r->port = place->area == IN_PORT ? read_port(card, place, &hit) : 0;
	}
	if (r->read == AT_SINGLE) {
		int port_hit = 0;

		r->single = place->area == IN_SINGLE ? read_single(card, place, status, &hit) : 0;
		r->single_hit = place->area == IN_SINGLE && hit;
		if (place->area == IN_PORT) {
			(void)read_port(card, place, &port_hit);
		}
		r->latency = place->area == IN_LATENCY ? card->histogram[place->port].bins[place->index] : 0;
		r->other_hit = (uint8_t)(port_hit || place->area == IN_LATENCY || in_table(place));
		r->is_counter = counter_of(place) >= 0;
	}
}

/* The port whose table software reads in this cycle if it may, with BlockRamOnly; a bit. */
unsigned registers_table_read(const card_t *card)
{
	place_t place = place_of(card->registers.addr);

	return BLOCK_RAM_ONLY && card->registers.read == TABLE_CYCLES && in_table(&place)
		       ? 1u << card->registers.table_read_port
		       : 0;
}

/* At a link port software waits for a cycle in which no route is looked up. */
static int table_waits(const card_t *card, const packets_t *packets, const arrivals_t *arrivals)
{
	unsigned link = registers_table_read(card) & ALL_LINKS & arrivals->frames, p;
	const input_t *in;

	if (!link) {
		return 0;
	}
	p = lowest(link);
	in = &card->input[p];
	if (!arrivals->frame[p].cell_valid) {
		return 0;
	}
	if (!(card->in_valid >> p & 1)) {
		return !in->in_packet;
	}
	return in->in_packet ? in->left == 1 : packets_header(packets, card->in_cell[p]).len == 0;
}

static void capture_error(card_t *card, const card_status_t *status, int clear)
{
	registers_t *r = &card->registers;

	for (unsigned p = 0; p < PORTS; p++) {
		r->flags[p] |= status->error[p];
	}
	if (!MONITORS) {
		return;
	}
	if (!r->error.valid || clear) {
		r->error = r->failed;
	}
	memset(&r->failed, 0, sizeof(r->failed));
	for (unsigned p = 0; p < PORTS && !r->failed.valid; p++) {
		if (status->error[p]) {
			r->failed.valid = 1;
			r->failed.port = (uint8_t)p;
			r->failed.kind = (uint8_t)(lowest(status->error[p]) + 1);
			r->failed.header = p >= LINKS && (status->error[p] & ERROR_POISON)
						   ? card->eject[p - LINKS].header
						   : card->input[p].header;
		}
	}
}

/* `s` are the settings of the next cycle. */
void registers_step(card_t *card, common_t *common, uint32_t number, const card_status_t *status,
	const arrivals_t *arrivals, settings_t *s)
{
	registers_t *r = &card->registers;
	place_t place = place_of(r->addr);
	const int was_busy = busy(r), waits = table_waits(card, &common->packets, arrivals);
	const int write = r->write, clear_error = r->clear_error, scrub = r->scrub;
	const int counter = counter_of(&place);
	const int answers = card->bank.answer_at == common->now;
	const int answer = r->read == AT_ANSWER && (!r->is_counter || answers);
	const int ask = r->ask && counter >= 0;

	r->scrub = 0;
	r->clear_high_water = r->clear_latency = r->clear_error = 0;
	s->link_retrain = 0;
	if (r->grt_we || r->lrt_we) {
		write_tables(card, common, number);
	}
	if (scrub) {
		*(place.area == IN_GRT ? &r->grt_we : &r->lrt_we) = (uint16_t)(1u << r->table_read_port);
		r->wentry = r->entry;
		r->wentry_code = r->entry_code;
		r->table_errors++;
	}
	if (r->read) {
		look(card, common, status, &place);
	}
	r->awready = r->wready = r->arready = 0;
	r->write = r->ask = 0;
	if (answer) {
		uint64_t entry = in_table(&place) ? r->entry : 0;

		r->rvalid = 1;
		r->rresp = r->single_hit || r->other_hit || r->is_counter ? OKAY : SLVERR;
		r->rdata = r->single | r->port | r->latency | (uint32_t)(r->addr & 4 ? entry >> 32 : entry) |
			   (r->is_counter ? card->bank.value : 0);
	} else if (r->rready) {
		r->rvalid = 0;
	}
	if ((r->read > 1 && !waits) || answer) {
		r->read--;
	}
	if (write) {
		card->settings_changed = 1;
		address_t before = s->address;

		carry_out(card, s);
		r->bvalid = 1;
		if (memcmp(&before, &s->address, sizeof(before)) != 0) {
			late_write_t late = {
				.when = common->now + 1 + LOOKUP_CYCLES, .card = number, .address = s->address};

			write_late(common, &late);
		}
	} else if (r->bready) {
		r->bvalid = 0;
	}
	capture_error(card, status, clear_error);
	if (!was_busy) {
		if (r->awvalid && r->wvalid && !(r->arvalid && r->wrote)) {
			r->wrote = 1;
			r->awready = r->wready = 1;
			r->addr = r->awaddr;
			r->wdata_q = r->wdata;
			r->write = 1;
		} else if (r->arvalid) {
			r->wrote = 0;
			r->arready = 1;
			r->addr = r->araddr;
			r->ask = 1;
			r->read = r->araddr >> 14 ? TABLE_CYCLES : READ_CYCLES;
		}
	}
	counter_bank_read(card, common->now, ask, place.port, (unsigned)(counter >= 0 ? counter : 0));
}
