/* SPDX-License-Identifier: Apache-2.0 */
#include "generators.h"

#include <limits.h>
#include <stdlib.h>

#include "extorus/registers.h"
#include "link_training.h"
#include "options/monotonic.h"

enum { MOST_COLUMNS = XT_FRAME_TRAFFIC_TABLE_STRIDE / 4 };

/* Of the generators' tables, by what WINDOW says; any board may say anything. */
static unsigned columns_of(uint32_t window)
{
	const unsigned bits = window >> 24;

	return bits == 0 ? 0 : bits < 32 ? 1u << bits : UINT_MAX;
}

static uint32_t address_of(const xt_generator_t *g, unsigned reg)
{
	return reg + g->nic * XT_FRAME_TRAFFIC_STRIDE;
}

int xt_generator_write(const xt_generator_t *g, unsigned reg, const uint32_t *words, unsigned count, xt_diag_t *diag)
{
	return xt_device_write(g->device, g->card, address_of(g, reg), words, count, diag);
}

int xt_generator_set(xt_generator_t *g, unsigned reg, uint32_t value, xt_diag_t *diag)
{
	if (reg == XT_FRAME_REG_TRAFFIC_CONTROL && value & XT_GENERATOR_CLEAR) {
		g->counts = (xt_generator_counts_t){0};
		g->words = (xt_generator_words_t){0};
		g->read_ms = 0;
	}
	return xt_generator_write(g, reg, &value, 1, diag);
}

static uint64_t latency_of(const xt_generator_words_t *w)
{
	return (uint64_t)(w->latency_high & 0xffff) << 32 | w->latency;
}

int xt_generator_read(xt_generator_t *g, xt_diag_t *diag)
{
	const uint64_t latency_mask = (UINT64_C(1) << 48) - 1, now_ms = xt_now_ms();
	const xt_generator_words_t last = g->words;
	xt_generator_words_t now;
	xt_generator_counts_t *c = &g->counts;
	int status = xt_device_read(g->device, g->card, address_of(g, XT_FRAME_REG_TRAFFIC_SENT), &now.sent,
		sizeof(now) / sizeof(now.sent), diag);

	if (status != XT_OK) {
		return status;
	}
	c->sent += (uint32_t)(now.sent - last.sent);
	c->came += (uint32_t)(now.came - last.came);
	c->wrong += (uint32_t)(now.wrong - last.wrong);
	c->stray += (uint32_t)(now.stray - last.stray);
	c->cells += (uint32_t)(now.cells - last.cells);
	c->latency += (latency_of(&now) - latency_of(&last)) & latency_mask;
	c->sent_sum = now.sent_sum;
	c->came_sum = now.came_sum;
	c->range = now.range;
	c->unsure |= g->read_ms && now_ms - g->read_ms > XT_GENERATOR_WRAP_MS;
	g->words = now;
	g->read_ms = now_ms;
	return XT_OK;
}

xt_generator_latency_t xt_generator_latency(const xt_generator_counts_t *c)
{
	const double sum = (double)c->latency;

	return (xt_generator_latency_t){
		.least = (double)(c->range & 0xffff) - XT_FRAME_TRAFFIC_LATENCY_ZERO,
		.mean = sum / (double)c->came - XT_FRAME_TRAFFIC_LATENCY_ZERO,
		.greatest = (double)(c->range >> 16) - XT_FRAME_TRAFFIC_LATENCY_ZERO,
	};
}

/* A register that keeps what is written belongs to a clock. */
static int find_clock(xt_generator_t *g, xt_diag_t *diag)
{
	uint32_t kept = 0;
	int status = xt_generator_set(g, XT_FRAME_REG_TRAFFIC_DRIFT, 1, diag);

	if (status == XT_OK) {
		status = xt_device_read(g->device, g->card, address_of(g, XT_FRAME_REG_TRAFFIC_DRIFT), &kept, 1, diag);
	}
	g->has_clock = kept == 1;
	return status == XT_OK ? xt_generator_set(g, XT_FRAME_REG_TRAFFIC_DRIFT, 0, diag) : status;
}

static int find_of_card(
	xt_device_t *device, const char *uri, unsigned card, xt_generators_t *generators, xt_diag_t *diag)
{
	uint32_t window = 0, id = 0;
	int status = xt_pins_read(device, card, XT_FRAME_REG_WINDOW, 0, &window, diag);

	if (status == XT_OK && (window >> 8 & 0xff) == 0) {
		status = xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%.100s has no traffic generators. Load a bitstream with them, as `make bitstream BOARD=NAME` "
			"makes "
			"for every board but hx8k, or use `extorus inject`",
			uri);
	}
	if (status == XT_OK) {
		status = xt_device_read(device, card, xt_register_address(XT_REG_CARD_ID, 0, 0), &id, 1, diag);
	}
	if (status == XT_OK && columns_of(window) > MOST_COLUMNS) {
		status = xt_fail(diag, XT_ERR_PROTOCOL,
			"%.100s: card %u claims %u columns of a table of destinations; bitstream and program do not go "
			"together",
			uri, card, columns_of(window));
	}
	for (unsigned nic = 0; status == XT_OK && nic < (window >> 8 & 0xff); nic++) {
		xt_generator_t *grown = realloc(generators->all, (generators->count + 1) * sizeof(*grown));

		if (!grown) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
		}
		generators->all = grown;
		grown[generators->count] = (xt_generator_t){.device = device,
			.uri = uri,
			.card = card,
			.nic = nic,
			.address = id + nic,
			.columns = columns_of(window)};
		status = find_clock(&grown[generators->count++], diag);
	}
	return status;
}

int xt_generators_find(const xt_boards_t *boards, xt_generators_t *generators, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned b = 0; b < boards->count && status == XT_OK; b++) {
		for (unsigned card = 0; card < xt_device_cards(boards->devices[b]) && status == XT_OK; card++) {
			status = find_of_card(boards->devices[b], boards->uris[b], card, generators, diag);
		}
	}
	return status;
}
