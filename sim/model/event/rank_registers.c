/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of cards of several ranks, once a run is over. */
#include "rank_exchange.h"

void rank_registers_close(rank_run_t *run)
{
	rank_registers_t *r = &run->registers;

	for (uint32_t c = 0; r->values && c < run->first_card[run->count]; c++) {
		free(r->values[c]);
	}
	free(r->values);
	free(r->reads);
	free(r->at);
	free(r->next);
	*r = (rank_registers_t){0};
}

static int note_read(rank_registers_t *r, uint32_t address, size_t count)
{
	if (r->read_count == r->read_room) {
		const uint32_t room = r->read_room ? 2 * r->read_room : 64;
		rank_read_t *reads = realloc(r->reads, room * sizeof(*reads));
		size_t *at = reads ? realloc(r->at, room * sizeof(*at)) : NULL;

		r->reads = reads ? reads : r->reads;
		r->at = at ? at : r->at;
		if (!at) {
			return 0;
		}
		r->read_room = room;
	}
	r->at[r->read_count] = r->words;
	r->reads[r->read_count++] = (rank_read_t){address, (uint32_t)count};
	r->words += count;
	return 1;
}

/* Asks a rank for registers of its cards, or has them written. *values points into `bytes`. */
static int ask(rank_run_t *run, unsigned rank, const rank_command_t *command, const void *more, size_t size,
	size_t words, xt_bytes_t *bytes, const uint32_t **values, xt_diag_t *diag)
{
	xt_bytes_reader_t reader;
	const int32_t *said;
	const xt_diag_t *why;
	int status;

	bytes->count = 0;
	status = xt_bytes_add(bytes, command, sizeof(*command)) && xt_bytes_add(bytes, more, size)
			 ? xt_ranks_send(
				   run->ranks, rank, RANK_TAG_COMMAND, bytes->items, bytes->count, run->timeout, diag)
			 : xt_fail(diag, XT_ERR_NOMEM, "out of memory for a message");
	if (status == XT_OK) {
		status = rank_take(run, rank, RANK_TAG_ANSWER, run->timeout, bytes, diag);
	}
	if (status != XT_OK) {
		return status;
	}
	reader = (xt_bytes_reader_t){bytes->items, (const char *)bytes->items + bytes->count};
	said = xt_bytes_next(&reader, sizeof(*said));
	why = said ? xt_bytes_next(&reader, sizeof(*why)) : NULL;
	*values = why ? xt_bytes_next(&reader, words * sizeof(**values)) : NULL;
	if (!*values) {
		return xt_fail(diag, XT_ERR_PROTOCOL, "rank %u: its message is cut off", rank);
	}
	if (*said != XT_OK) {
		*diag = *why;
	}
	return *said;
}

/* All that card 0 was asked for, of all cards of a rank. */
static int fetch(rank_run_t *run, unsigned rank, uint32_t from, xt_diag_t *diag)
{
	rank_registers_t *r = &run->registers;
	const uint32_t first = run->first_card[rank], cards = run->first_card[rank + 1] - first;
	const rank_command_t command = {.kind = RANK_READ, .card = XT_NO_CARD, .count = r->read_count - from};
	const size_t words = r->words - r->at[from];
	const uint32_t *values;
	xt_bytes_t bytes = {0};
	int status = ask(run, rank, &command, &r->reads[from], command.count * sizeof(*r->reads), cards * words, &bytes,
		&values, diag);

	for (uint32_t c = 0; c < cards && status == XT_OK; c++) {
		uint32_t *more = realloc(r->values[first + c], (r->words + 1) * sizeof(*more));

		if (!more) {
			status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for registers");
			break;
		}
		memcpy(&more[r->at[from]], &values[c * words], words * sizeof(*more));
		r->values[first + c] = more;
	}
	free(bytes.items);
	return status;
}

/* What is known already of the values that a card is asked for; NULL: nothing. */
static const uint32_t *find(rank_registers_t *r, uint32_t card, uint32_t address, size_t count)
{
	for (uint32_t i = r->next[card]; i < r->known; i++) {
		if (r->reads[i].address == address && r->reads[i].count == count) {
			r->next[card] = i + 1;
			return &r->values[card][r->at[i]];
		}
	}
	return NULL;
}

static int fetch_all(rank_run_t *run, xt_diag_t *diag)
{
	rank_registers_t *r = &run->registers;
	int status = XT_OK;

	if (r->known == r->read_count) {
		return XT_OK;
	}
	for (unsigned rank = 1; rank < run->count && status == XT_OK; rank++) {
		status = fetch(run, rank, r->known, diag);
	}
	r->known = status == XT_OK ? r->read_count : r->known;
	return status;
}

int rank_read(xt_engine_t *network, uint32_t card, uint32_t address, uint32_t *values, size_t count, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	rank_registers_t *r = &run->registers;
	const rank_command_t command = {.kind = RANK_READ, .card = card, .count = 1};
	const rank_read_t read = {address, (uint32_t)count};
	const uint32_t *found;
	xt_bytes_t bytes = {0};
	int status;

	if (card == 0 && !note_read(r, address, count)) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for registers");
	}
	if (rank_run_has(run, card)) {
		return network_read(network, card, address, values, count, diag);
	}
	r->values = r->values ? r->values : calloc(network->cards, sizeof(*r->values));
	r->next = r->next ? r->next : calloc(network->cards, sizeof(*r->next));
	if (!r->values || !r->next) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory for registers");
	}
	found = find(r, card, address, count);
	status = found ? XT_OK : fetch_all(run, diag);
	if (status == XT_OK && !found) {
		found = find(r, card, address, count);
	}
	if (status == XT_OK && !found) {
		status =
			ask(run, rank_run_owner(run, card), &command, &read, sizeof(read), count, &bytes, &found, diag);
	}
	if (status == XT_OK) {
		memcpy(values, found, count * sizeof(*values));
	}
	free(bytes.items);
	return status;
}

int rank_write(
	xt_engine_t *network, uint32_t card, uint32_t address, const uint32_t *values, size_t count, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	const rank_command_t command = {.kind = RANK_WRITE, .card = card, .address = address, .count = (uint32_t)count};
	const uint32_t *none;
	xt_bytes_t bytes = {0};
	int status;

	rank_registers_close(run);
	if (rank_run_has(run, card)) {
		return network_write(network, card, address, values, count, diag);
	}
	status = ask(run, rank_run_owner(run, card), &command, values, count * sizeof(*values), 0, &bytes, &none, diag);
	free(bytes.items);
	return status;
}

/* ---------------------------------------------------------------- another rank */

/* The values of all reads of one card go behind `out`. */
static int read_card(xt_engine_t *network, uint32_t card, const rank_read_t *reads, uint32_t count, xt_bytes_t *out,
	size_t *words, xt_diag_t *diag)
{
	int status = XT_OK;

	for (uint32_t i = 0; i < count && status == XT_OK; i++) {
		if (!xt_bytes_reserve(out, out->count + (*words + reads[i].count + 2) * sizeof(uint32_t))) {
			return xt_fail(diag, XT_ERR_NOMEM, "out of memory for registers");
		}
		status = network_read(network, card, reads[i].address,
			(uint32_t *)((char *)out->items + out->count) + *words, reads[i].count, diag);
		*words += reads[i].count;
	}
	return status;
}

static int answer(xt_engine_t *network, const rank_command_t *command, xt_bytes_reader_t *reader, xt_bytes_t *out)
{
	const rank_run_t *run = network->rank_run;
	const size_t size = command->count * (command->kind == RANK_READ ? sizeof(rank_read_t) : sizeof(uint32_t));
	const void *more = xt_bytes_next(reader, size);
	const int one = command->card != XT_NO_CARD;
	const uint32_t first = one ? command->card : run->first_card[run->own];
	const uint32_t end = one ? first + 1 : run->first_card[run->own + 1];
	xt_diag_t why = {""};
	int32_t said = more ? XT_OK : XT_ERR_PROTOCOL;
	size_t words = 0;

	out->count = 0;
	if (!xt_bytes_add(out, &said, sizeof(said)) || !xt_bytes_add(out, &why, sizeof(why))) {
		return 0;
	}
	if (more && command->kind == RANK_WRITE) {
		said = network_write(network, command->card, command->address, more, command->count, &why);
	}
	for (uint32_t c = first; c < end && command->kind == RANK_READ && said == XT_OK; c++) {
		said = read_card(network, c, more, command->count, out, &words, &why);
	}
	memcpy(out->items, &said, sizeof(said));
	memcpy((char *)out->items + 8, &why, sizeof(why));
	out->count += xt_bytes_padded(words * sizeof(uint32_t));
	return 1;
}

int rank_serve(xt_engine_t *network, xt_diag_t *diag)
{
	rank_run_t *run = network->rank_run;
	xt_bytes_t in = {0}, out = {0};
	int status;

	while ((status = rank_take(run, 0, RANK_TAG_COMMAND, 0.0, &in, diag)) == XT_OK) {
		xt_bytes_reader_t reader = {in.items, (const char *)in.items + in.count};
		const rank_command_t *command = xt_bytes_next(&reader, sizeof(*command));

		if (!command || command->kind == RANK_END) {
			break;
		}
		status = answer(network, command, &reader, &out)
				 ? xt_ranks_send(run->ranks, 0, RANK_TAG_ANSWER, out.items, out.count, 0.0, diag)
				 : xt_fail(diag, XT_ERR_NOMEM, "out of memory for registers");
		if (status != XT_OK) {
			break;
		}
	}
	free(in.items);
	free(out.items);
	return status;
}
