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

/* Whether the address is the one of a word of an entry: one of up to two TCs has no high word. */
static int is_word(uint32_t address)
{
	return ENTRY_WORDS == 2 || !(address & 4);
}

/* The place of the addressed word in a table. */
static unsigned word_index(const place_t *place, uint32_t address)
{
	const unsigned first = place->area == IN_GRT ? 0 : GRT_WORDS;

	return first + place->index * ENTRY_WORDS + (ENTRY_WORDS == 2 && (address & 4));
}

/* The word that a table write stores, with the bit that TABLE_FLIP asks for. */
static void encode(registers_t *r)
{
	const int last = ENTRY_WORDS == 1 || (r->addr & 4);

	r->written_word = TCS % 2 && last ? r->wdata_q & ((1u << EXTORUS_ENTRY_TC_BITS) - 1) : r->wdata_q;
	r->written_codes = TABLE_ECC ? route_word_codes(r->written_word) : 0;
	if (TABLE_ECC && r->flip) {
		const unsigned stored = EXTORUS_ENTRY_TC_BITS + XT_ENTRY_CODE_BITS;
		const unsigned field = (r->flip - 1u) / stored, bit = (r->flip - 1u) % stored;

		if (field < WORD_TCS && bit < EXTORUS_ENTRY_TC_BITS) {
			r->written_word ^= 1u << (field * EXTORUS_ENTRY_TC_BITS + bit);
		} else if (field < WORD_TCS) {
			r->written_codes ^=
				(uint16_t)(1u << (field * XT_ENTRY_CODE_BITS + bit - EXTORUS_ENTRY_TC_BITS));
		}
	}
	r->flip = 0;
}

static void carry_out(card_t *card, settings_t *s)
{
	registers_t *r = &card->registers;
	place_t place = register_place(r->addr);
	int hit = 1;

	switch (place.area) {
	case IN_SINGLE:
		register_write_single(r, s, &place, &hit);
		break;
	case IN_PORT:
		register_write_port(r, s, &place, &hit);
		break;
	case IN_GRT:
	case IN_LRT:
		if (is_word(r->addr)) {
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
	place_t place = register_place(r->addr);
	late_write_t write = {
		.when = common->now + 1 + LOOKUP_CYCLES,
		.card = number,
		.is_table = 1,
		.ports = (uint16_t)(r->grt_we | r->lrt_we),
		.index = (uint16_t)word_index(&place, r->addr),
		.word = route_words_number(&common->route_words, r->written_word, r->written_codes),
	};

	write_late(common, &write);
	r->grt_we = r->lrt_we = 0;
}

/* Corrects one wrong bit in each field of the word that was read, and has it written back. */
static void mend(registers_t *r)
{
	const unsigned wrong = TABLE_ECC ? route_word_codes(r->word) ^ r->codes : 0;

	for (unsigned i = 0; wrong && i < WORD_TCS; i++) {
		const unsigned syndrome = wrong >> i * XT_ENTRY_CODE_BITS & ((1u << XT_ENTRY_CODE_BITS) - 1);

		for (unsigned bit = 0; bit < EXTORUS_ENTRY_TC_BITS; bit++) {
			if (xt_entry_column(bit) == syndrome) {
				r->word ^= 1u << (i * EXTORUS_ENTRY_TC_BITS + bit);
				r->scrub = 1;
			}
		}
		if (__builtin_popcount(syndrome) == 1) {
			r->codes ^= (uint16_t)(syndrome << i * XT_ENTRY_CODE_BITS);
			r->scrub = 1;
		}
	}
}

static void look_at_table(card_t *card, const common_t *common, const place_t *place)
{
	registers_t *r = &card->registers;
	const table_t *table = card->tables[r->table_read_port];
	const unsigned number = table ? table->word[word_index(place, r->addr)] : 0;
	const route_word_t *word = &common->route_words.words[number];

	r->word = word->data;
	r->codes = word->codes;
}

static void look(card_t *card, const common_t *common, const card_status_t *status, const place_t *place)
{
	registers_t *r = &card->registers;
	int hit;

	if (r->read == AT_TABLE && place_in_table(place)) {
		look_at_table(card, common, place);
	}
	if (r->read == AT_SYNDROME && place_in_table(place)) {
		mend(r);
	}
	if (r->read == AT_PORT) {
		r->port = place->area == IN_PORT ? register_read_port(card, place, common->now, &hit) : 0;
	}
	if (r->read == AT_SINGLE) {
		int port_hit = 0;

		r->single = place->area == IN_SINGLE ? register_read_single(card, place, status, &hit) : 0;
		r->single_hit = place->area == IN_SINGLE && hit;
		if (place->area == IN_PORT) {
			(void)register_read_port(card, place, common->now, &port_hit);
		}
		r->latency = place->area == IN_LATENCY ? card->histogram[place->port].bins[place->index] : 0;
		r->other_hit = (uint8_t)(port_hit || place->area == IN_LATENCY || place_in_table(place));
		r->is_counter = register_counter(place) >= 0;
	}
}

/* The port whose table software reads in this cycle if it may, with BlockRamOnly; a bit. */
unsigned registers_table_read(const card_t *card)
{
	place_t place = register_place(card->registers.addr);

	return BLOCK_RAM_ONLY && card->registers.read == TABLE_CYCLES && place_in_table(&place)
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
	place_t place = register_place(r->addr);
	const int was_busy = busy(r), waits = table_waits(card, &common->packets, arrivals);
	const int write = r->write, clear_error = r->clear_error, scrub = r->scrub;
	const int counter = register_counter(&place);
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
		r->written_word = r->word;
		r->written_codes = r->codes;
		r->table_errors++;
	}
	if (r->read) {
		look(card, common, status, &place);
	}
	r->awready = r->wready = r->arready = 0;
	r->write = r->ask = 0;
	if (answer) {
		const uint32_t word = place_in_table(&place) && is_word(r->addr) ? r->word : 0;

		r->rvalid = 1;
		r->rresp = r->single_hit || r->other_hit || r->is_counter ? OKAY : SLVERR;
		r->rdata = r->single | r->port | r->latency | word | (r->is_counter ? card->bank.value : 0);
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

int registers_step_alone(
	card_t *card, common_t *common, uint32_t number, const arrivals_t *arrivals, const pe_pins_t *pes)
{
	const registers_t *r = &card->registers;
	const card_status_t status = {.port_idle = card->port_idle};
	settings_t settings = card->settings;
	unsigned moves = arrivals->frames | card->in_valid | card->came_credits, access;

	for (unsigned n = 0; n < NICS; n++) {
		moves |= pes[n].valid;
	}
	if (moves || card->errors || card->settings_changed || r->clear_high_water || r->clear_latency ||
		registers_table_read(card)) {
		return 0;
	}
	access = (unsigned)registers_active(card) | (unsigned)counter_bank_busy(&card->bank, common->now);
	counter_bank_collect(card, common->now);
	registers_step(card, common, number, &status, arrivals, &settings);
	card->registers_awake = (uint8_t)registers_wait(card);
	card->quiet = (uint8_t)(access ? 0 : card->quiet + (card->quiet != QUIET_CYCLES));
	card->settings_changed |= memcmp(&card->settings, &settings, sizeof(settings)) != 0;
	card->settings = settings;
	card->rest = card->settings_changed ? 0 : card->rest;
	return 1;
}
