/* SPDX-License-Identifier: Apache-2.0
 *
 * A back end without cards: registers are memory, and packets fly from NIC to NIC in a fixed time,
 * unless the test asks for something to go wrong. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "device/device_internal.h"
#include "device/simulated_nic.h"
#include "extorus/link_state.h"
#include "extorus/registers.h"
#include "support.h"

enum {
	FAKE_FLIGHT = 10, /* cycles from a packet's last cell to its first one's delivery */
	FAKE_REGISTERS = 0x4000 / 4,
	FAKE_QUEUE = 1024,
};

typedef enum {
	FAKE_FINE,
	FAKE_LOSE, /* the packet that is wrong is dropped */
	FAKE_DUPLICATE,
	FAKE_MISROUTE,
	FAKE_FLIP,  /* a bit of its last cell */
	FAKE_DELAY, /* it comes after the next one to the same PE */
	FAKE_STOP,  /* from it on nothing is delivered */
	FAKE_CUT,   /* its cells from the second on are 0, and it is poisoned */
} fake_wrong_t;

typedef struct {
	uint64_t when;
	unsigned cells;
	int poisoned;
	uint32_t words[32 * 4];
} fake_packet_t;

struct xt_engine {
	const xt_profile_t *profile;
	unsigned cards, ports, words;
	uint32_t *registers; /* [card * FAKE_REGISTERS + address / 4] */
	uint64_t *tables;    /* [(card * ports + port) * entries + index], GRT first */
	unsigned grt_entries, entries;
	uint64_t writes, reads;

	fake_wrong_t wrong;
	unsigned victim; /* the packet that goes wrong, counted as they are sent */
	unsigned packets;
	unsigned faults;
	double error_rate; /* of the last run */
	int never_quiet;   /* as with keepalives */
	struct {
		fake_packet_t queue[FAKE_QUEUE];
		unsigned first, count, cell;
	} * to; /* by PE */
};

static inline uint32_t *fake_register(xt_engine_t *e, unsigned card, uint32_t address)
{
	return &e->registers[card * FAKE_REGISTERS + address / 4];
}

/* The entry that a window address means. */
static inline unsigned fake_entry(const xt_engine_t *e, uint32_t address)
{
	return address < 0x8000 ? (address - 0x4000) / 8 : e->grt_entries + (address - 0x8000) / 8;
}

static inline int fake_read(
	xt_engine_t *e, unsigned card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	(void)diag;
	for (size_t i = 0; i < count; i++, address += 4) {
		e->reads++;
		if (address >= 0x4000) {
			unsigned port = *fake_register(e, card, xt_register_address(XT_REG_TABLE_READ_PORT, 0, 0));
			uint64_t entry = e->tables[(card * e->ports + port) * e->entries + fake_entry(e, address)];

			values[i] = (uint32_t)(address % 8 ? entry >> 32 : entry);
		} else {
			values[i] = *fake_register(e, card, address);
		}
	}
	return XT_OK;
}

static inline int fake_write(
	xt_engine_t *e, unsigned card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	uint32_t ports = *fake_register(e, card, xt_register_address(XT_REG_TABLE_PORTS, 0, 0));

	(void)diag;
	for (size_t i = 0; i < count; i++, address += 4) {
		e->writes++;
		if (address < 0x4000) {
			*fake_register(e, card, address) = values[i];
		} else {
			const unsigned half = address % 8 / 4;

			for (unsigned port = 0; port < e->ports; port++) {
				if (ports >> port & 1) {
					uint64_t *entry = &e->tables[(card * e->ports + port) * e->entries +
								     fake_entry(e, address)];

					*entry = (*entry & ~(UINT64_C(0xffffffff) << 32 * half)) | (uint64_t)values[i]
													   << 32 * half;
				}
			}
		}
	}
	return XT_OK;
}

static inline void fake_queue(xt_engine_t *e, unsigned pe, const uint32_t *words, unsigned cells, uint64_t when)
{
	fake_packet_t *packet = &e->to[pe].queue[(e->to[pe].first + e->to[pe].count++) % FAKE_QUEUE];

	assert_true(e->to[pe].count <= FAKE_QUEUE);
	packet->when = when;
	packet->cells = cells;
	packet->poisoned = 0;
	memcpy(packet->words, words, cells * e->words * sizeof(*words));
}

/* A whole packet has left its NIC. */
static inline void fake_launch(xt_engine_t *e, const uint32_t *words, unsigned cells, uint64_t cycle)
{
	xt_header_layout_t h = xt_profile_header(e->profile);
	/* Without a GRT part an address is a PE number; the destination is the lowest field. */
	unsigned pe = words[0] & ((1u << h.dest_bits) - 1);
	fake_wrong_t wrong = e->packets++ == e->victim ? e->wrong : FAKE_FINE;
	uint32_t copy[32 * 4];

	if (wrong == FAKE_LOSE) {
		return;
	}
	memcpy(copy, words, cells * e->words * sizeof(*words));
	if (wrong == FAKE_FLIP) {
		copy[(cells - 1) * e->words] ^= 0x80000000;
	}
	fake_queue(e, wrong == FAKE_MISROUTE ? (pe + 1) % e->cards : pe, copy, cells,
		cycle + (wrong == FAKE_DELAY ? 4000 : FAKE_FLIGHT));
	if (wrong == FAKE_CUT) {
		fake_packet_t *packet = &e->to[pe].queue[(e->to[pe].first + e->to[pe].count - 1) % FAKE_QUEUE];

		packet->poisoned = 1;
		memset(packet->words + e->words, 0, (cells - 1) * e->words * sizeof(*words));
	}
	if (wrong == FAKE_DUPLICATE) {
		fake_queue(e, pe, copy, cells, cycle + FAKE_FLIGHT);
	}
}

/* The packet that was delayed lets the others pass. */
static inline unsigned fake_next(const xt_engine_t *e, unsigned pe, uint64_t cycle)
{
	unsigned first = e->to[pe].first;

	if (e->to[pe].count > 1 && e->to[pe].cell == 0 && e->to[pe].queue[first % FAKE_QUEUE].when > cycle) {
		fake_packet_t swap = e->to[pe].queue[first % FAKE_QUEUE];

		e->to[pe].queue[first % FAKE_QUEUE] = e->to[pe].queue[(first + 1) % FAKE_QUEUE];
		e->to[pe].queue[(first + 1) % FAKE_QUEUE] = swap;
	}
	return first % FAKE_QUEUE;
}

static inline int fake_deliver(xt_engine_t *e, const xt_client_t *client, uint64_t cycle)
{
	int moved = 0;

	for (unsigned pe = 0; pe < e->cards; pe++) {
		const fake_packet_t *packet;

		if (!e->to[pe].count) {
			continue;
		}
		packet = &e->to[pe].queue[fake_next(e, pe, cycle)];
		if (packet->when > cycle) {
			continue;
		}
		client->received(client->context, pe, cycle, packet->words + e->to[pe].cell * e->words, 1,
			e->to[pe].cell + 1 == packet->cells, e->to[pe].cell + 1 == packet->cells && packet->poisoned);
		moved++;
		if (++e->to[pe].cell == packet->cells) {
			e->to[pe].cell = 0;
			e->to[pe].first = (e->to[pe].first + 1) % FAKE_QUEUE;
			e->to[pe].count--;
		}
	}
	return moved;
}

static inline int fake_run(xt_engine_t *e, const xt_client_t *client, xt_diag_t *diag)
{
	struct {
		const uint32_t *words;
		unsigned cells, next;
	} *from = calloc(client->pes, sizeof(*from));
	uint64_t *port_cells = calloc(e->cards * e->ports, sizeof(*port_cells));
	uint64_t moves = 0;

	(void)diag;
	e->error_rate = client->error_rate;
	for (uint64_t cycle = 0;; cycle++) {
		xt_engine_state_t state = {.cycle = cycle, .moves = moves, .quiet = 1, .port_cells = port_cells};
		int stopped = e->wrong == FAKE_STOP && e->packets > e->victim;

		for (unsigned pe = 0; pe < client->pes; pe++) {
			state.quiet = state.quiet && !from[pe].words && !e->to[pe].count && !e->never_quiet;
		}
		if (client->cycle(client->context, &state)) {
			break;
		}
		for (unsigned pe = 0; pe < client->pes && !stopped; pe++) {
			if (!from[pe].words && client->ready_at[pe] <= cycle) {
				from[pe].words = client->fetch(client->context, pe, cycle, &from[pe].cells);
				from[pe].next = 0;
			}
			if (from[pe].words) {
				client->sent(client->context, pe, cycle, from[pe].next, 1);
				moves++;
				if (++from[pe].next == from[pe].cells) {
					fake_launch(e, from[pe].words, from[pe].cells, cycle);
					from[pe].words = NULL;
				}
			}
		}
		if (!stopped) {
			moves += (uint64_t)fake_deliver(e, client, cycle);
		}
	}
	free(from);
	free(port_cells);
	return XT_OK;
}

static inline uint64_t fake_evaluated(const xt_engine_t *e)
{
	(void)e;
	return 0;
}

static inline int fake_fault(xt_engine_t *e, const xt_fault_t *fault, xt_diag_t *diag)
{
	(void)fault;
	(void)diag;
	e->faults++;
	return XT_OK;
}

static inline uint64_t fake_errors(const xt_engine_t *e)
{
	return e->error_rate > 0.0 ? 42 : 0;
}

static inline unsigned fake_faults_waiting(const xt_engine_t *e)
{
	(void)e;
	return 0;
}

/* Released by fake_close; the wiring is the image's. */
static inline xt_device_t *fake_open(const xt_image_t *image)
{
	static const xt_backend_t backend = {
		.engine = "fake",
		.read = fake_read,
		.write = fake_write,
		.run = fake_run,
		.evaluated = fake_evaluated,
		.errors = fake_errors,
		.fault = fake_fault,
		.faults_waiting = fake_faults_waiting,
	};
	const xt_profile_t *profile = xt_image_profile(image);
	xt_device_t *device = calloc(1, sizeof(*device));
	xt_engine_t *e = calloc(1, sizeof(*e));

	e->profile = device->profile = profile;
	e->cards = device->cards = xt_image_cards(image);
	e->ports = xt_profile_ports(profile);
	e->words = (profile->cell_bits + 31) / 32;
	e->grt_entries = 1u << profile->grt_bits;
	e->entries = xt_device_entries(device);
	e->registers = calloc((size_t)e->cards * FAKE_REGISTERS, sizeof(*e->registers));
	e->tables = calloc((size_t)e->cards * e->ports * e->entries, sizeof(*e->tables));
	e->to = calloc(e->cards, sizeof(*e->to));
	device->backend = &backend;
	device->engine = e;
	device->peers = calloc((size_t)e->cards * profile->link_ports, sizeof(*device->peers));
	device->labels = calloc((size_t)e->cards * e->ports, sizeof(*device->labels));
	device->killed = calloc((size_t)e->cards * profile->link_ports, sizeof(*device->killed));
	device->known = calloc((size_t)e->cards * e->entries, sizeof(*device->known));
	for (unsigned card = 0; card < e->cards; card++) {
		*fake_register(e, card, xt_register_address(XT_REG_STATUS, 0, 0)) = 3;
		for (unsigned port = 0; port < e->ports; port++) {
			snprintf(device->labels[card * e->ports + port].text, sizeof(device->labels->text), "%s",
				xt_image_port_name(image, card, port));
			*fake_register(e, card, xt_register_address(XT_REG_FREE_CELLS, port, 0)) =
				profile->buffer_cells;
			if (port < profile->link_ports) {
				if (profile->replay_cells) {
					*fake_register(e, card, xt_register_address(XT_REG_LINK_STATE, port, 0)) =
						XT_LINK_UP;
				}
				device->peers[card * profile->link_ports + port] = xt_image_peer(image, card, port);
			}
		}
	}
	return device;
}

static inline void fake_close(xt_device_t *device)
{
	xt_simulated_nic_free(device->nic);
	free(device->engine->registers);
	free(device->engine->tables);
	free(device->engine->to);
	free(device->engine);
	free(device->peers);
	free(device->labels);
	free(device->killed);
	free(device->known);
	free(device);
}
