/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extorus/atomic_file.h"

enum { PATH_SIZE = 1024, FIRST_ROOM = 256, MOST_STEPS = 1 << 24 };

static void folder_of(char *folder, size_t size)
{
	const char *own = getenv("EXTORUS_STATE_DIR"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (own && *own) {
		snprintf(folder, size, "%s", own);
	} else if (state && *state) {
		snprintf(folder, size, "%s/extorus", state);
	} else {
		snprintf(folder, size, "%s/.local/state/extorus", home && *home ? home : "/var/tmp");
	}
}

static void path_of(uint64_t serial, char *path, size_t size)
{
	char folder[PATH_SIZE];

	folder_of(folder, sizeof(folder));
	snprintf(path, size, "%s/%016" PRIx64 ".journal", folder, serial);
}

int xt_journal_add(xt_journal_t *j, uint32_t card, uint32_t address, uint32_t value)
{
	if (j->count == j->room) {
		unsigned room = j->room ? 2 * j->room : FIRST_ROOM;
		xt_journal_step_t *more = realloc(j->steps, room * sizeof(*more));

		if (!more) {
			return XT_ERR_NOMEM;
		}
		j->steps = more;
		j->room = room;
	}
	j->steps[j->count++] = (xt_journal_step_t){card, address, value};
	return XT_OK;
}

void xt_journal_clear(xt_journal_t *j)
{
	free(j->steps);
	j->steps = NULL;
	j->count = j->room = 0;
}

int xt_journal_exists(uint64_t serial)
{
	char path[2 * PATH_SIZE];

	path_of(serial, path, sizeof(path));
	return access(path, F_OK) == 0;
}

void xt_journal_remove(uint64_t serial)
{
	char path[2 * PATH_SIZE];

	path_of(serial, path, sizeof(path));
	unlink(path);
}

int xt_journal_write(const xt_journal_t *j, xt_diag_t *diag)
{
	char folder[PATH_SIZE], path[2 * PATH_SIZE];
	xt_output_t *output;
	FILE *out;
	int status;

	folder_of(folder, sizeof(folder));
	path_of(j->serial, path, sizeof(path));
	status = xt_make_folder(folder, diag);
	if (status == XT_OK) {
		status = xt_output_open(path, &output, diag);
	}
	if (status) {
		return status;
	}
	out = xt_output_stream(output);
	fprintf(out, "extorus-journal 1\nprofile %08" PRIx32 "\nquiesced %d\ncards %u\n", j->profile_hash, j->quiesced,
		j->cards);
	for (unsigned card = 0; card < j->cards; card++) {
		fprintf(out, "%08" PRIx32 "\n", j->quiesce[card]);
	}
	fprintf(out, "steps %u\n", j->count);
	for (unsigned i = 0; i < j->count; i++) {
		const xt_journal_step_t *step = &j->steps[i];

		fprintf(out, "%02" PRIx32 " %04" PRIx32 " %08" PRIx32 "\n", step->card, step->address, step->value);
	}
	fprintf(out, "end\n");
	return xt_output_commit(output, diag);
}

static int parse(FILE *in, xt_journal_t *j)
{
	unsigned count;
	char word[8];

	if (fscanf(in, "extorus-journal 1 profile %8" SCNx32 " quiesced %d cards %4u", &j->profile_hash, &j->quiesced,
		    &j->cards) != 3 ||
		j->cards > XT_JOURNAL_CARDS) {
		return XT_ERR_FORMAT;
	}
	for (unsigned card = 0; card < j->cards; card++) {
		if (fscanf(in, "%8" SCNx32, &j->quiesce[card]) != 1) {
			return XT_ERR_FORMAT;
		}
	}
	if (fscanf(in, " steps %8u", &count) != 1 || count > MOST_STEPS) {
		return XT_ERR_FORMAT;
	}
	for (unsigned i = 0; i < count; i++) {
		uint32_t card, address, value;
		int status;

		if (fscanf(in, "%2" SCNx32 " %4" SCNx32 " %8" SCNx32, &card, &address, &value) != 3 ||
			card >= j->cards) {
			return XT_ERR_FORMAT;
		}
		status = xt_journal_add(j, card, address, value);
		if (status) {
			return status;
		}
	}
	return fscanf(in, "%7s", word) == 1 && strcmp(word, "end") == 0 ? XT_OK : XT_ERR_FORMAT;
}

int xt_journal_read(uint64_t serial, xt_journal_t *out, xt_diag_t *diag)
{
	char path[2 * PATH_SIZE];
	FILE *in;
	int status;

	memset(out, 0, sizeof(*out));
	out->serial = serial;
	path_of(serial, path, sizeof(path));
	in = fopen(path, "r");
	if (!in) {
		return xt_fail(diag, XT_ERR_RANGE, "%.300s: there is no such journal", path);
	}
	status = parse(in, out);
	fclose(in);
	if (status) {
		xt_journal_clear(out);
		return xt_fail(
			diag, status, "%.300s: not a journal of a load; reset the cards and remove the file", path);
	}
	return XT_OK;
}
