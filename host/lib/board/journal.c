/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "extorus/atomic_file.h"

enum {
	PATH_SIZE = 1024,
	FIRST_ROOM = 256,
	MOST_STEPS = 1 << 24,
	MOST_BYTES = 1 << 29,
	CRC_LINE = 13, /* "crc 01234567", and its end */
};

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

static void path_of(uint64_t serial, uint32_t owner, char *path, size_t size)
{
	char folder[PATH_SIZE], of[16] = "";

	folder_of(folder, sizeof(folder));
	if (owner) {
		snprintf(of, sizeof(of), "-%08" PRIx32, owner);
	}
	snprintf(path, size, "%s/%016" PRIx64 "%s.journal", folder, serial, of);
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

int xt_journal_exists(uint64_t serial, uint32_t owner)
{
	char path[2 * PATH_SIZE];

	path_of(serial, owner, path, sizeof(path));
	return access(path, F_OK) == 0;
}

void xt_journal_remove(uint64_t serial, uint32_t owner)
{
	char path[2 * PATH_SIZE];

	path_of(serial, owner, path, sizeof(path));
	unlink(path);
}

static void print(const xt_journal_t *j, FILE *out)
{
	fprintf(out,
		"extorus-journal 2\nserial %016" PRIx64 "\nowner %08" PRIx32 "\ngeneration %08" PRIx32
		"\nprofile %08" PRIx32 "\nquiesced %d\ncards %u\n",
		j->serial, j->owner, j->generation, j->profile_hash, j->quiesced, j->cards);
	for (unsigned card = 0; card < j->cards; card++) {
		fprintf(out, "%08" PRIx32 "\n", j->quiesce[card]);
	}
	fprintf(out, "steps %u\n", j->count);
	for (unsigned i = 0; i < j->count; i++) {
		const xt_journal_step_t *step = &j->steps[i];

		fprintf(out, "%02" PRIx32 " %04" PRIx32 " %08" PRIx32 "\n", step->card, step->address, step->value);
	}
}

int xt_journal_write(const xt_journal_t *j, xt_diag_t *diag)
{
	char folder[PATH_SIZE], path[2 * PATH_SIZE], *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	xt_output_t *output;
	int status;

	if (memory) {
		print(j, memory);
	}
	if (!memory || fclose(memory) != 0) {
		free(text);
		return xt_fail(diag, XT_ERR_NOMEM, "journal: out of memory");
	}
	folder_of(folder, sizeof(folder));
	path_of(j->serial, j->owner, path, sizeof(path));
	status = xt_make_folder(folder, diag);
	if (status == XT_OK) {
		status = xt_output_open(path, &output, diag);
	}
	if (status == XT_OK) {
		fwrite(text, 1, size, xt_output_stream(output));
		fprintf(xt_output_stream(output), "crc %08lx\n", crc32_z(0, (const unsigned char *)text, size));
		status = xt_output_commit(output, diag);
	}
	free(text);
	if (status != XT_OK && diag) {
		const xt_diag_t why = *diag;

		return xt_fail(diag, status, "the state folder, %.200s (EXTORUS_STATE_DIR names another): %s", folder,
			why.text);
	}
	return status;
}

/* Takes what `print` wrote apart. */
static int parse(const char *text, xt_journal_t *j)
{
	unsigned count;
	int used;

	if (sscanf(text,
		    "extorus-journal 2 serial %16" SCNx64 " owner %8" SCNx32 " generation %8" SCNx32
		    " profile %8" SCNx32 " quiesced %1d cards %4u%n",
		    &j->serial, &j->owner, &j->generation, &j->profile_hash, &j->quiesced, &j->cards, &used) != 6 ||
		j->cards > XT_JOURNAL_CARDS) {
		return XT_ERR_FORMAT;
	}
	text += used;
	for (unsigned card = 0; card < j->cards; card++) {
		if (sscanf(text, "%8" SCNx32 "%n", &j->quiesce[card], &used) != 1) {
			return XT_ERR_FORMAT;
		}
		text += used;
	}
	if (sscanf(text, " steps %8u%n", &count, &used) != 1 || count > MOST_STEPS) {
		return XT_ERR_FORMAT;
	}
	text += used;
	for (unsigned i = 0; i < count; i++) {
		uint32_t card, address, value;
		char *end;

		card = (uint32_t)strtoul(text, &end, 16);
		address = (uint32_t)strtoul(end, &end, 16);
		value = (uint32_t)strtoul(end, &end, 16);
		if (end == text || card >= j->cards) {
			return XT_ERR_FORMAT;
		}
		text = end;
		if (xt_journal_add(j, card, address, value) != XT_OK) {
			return XT_ERR_NOMEM;
		}
	}
	return XT_OK;
}

/* All of a file, with a 0 after it; NULL: not to be had. */
static char *read_all(FILE *in, size_t *size)
{
	char *text = NULL;
	long length;

	if (fseek(in, 0, SEEK_END) != 0 || (length = ftell(in)) < 0 || length > MOST_BYTES ||
		fseek(in, 0, SEEK_SET) != 0 || !(text = malloc((size_t)length + 1))) {
		return NULL;
	}
	*size = fread(text, 1, (size_t)length, in);
	text[*size] = '\0';
	return text;
}

/* Ends the text before its last line, which has the sum of the others. */
static int check_sum(char *text, size_t size)
{
	char line[CRC_LINE + 1];

	if (size < CRC_LINE || strlen(text) != size) {
		return XT_ERR_FORMAT;
	}
	size -= CRC_LINE;
	snprintf(line, sizeof(line), "crc %08lx\n", crc32_z(0, (const unsigned char *)text, size));
	if (strcmp(text + size, line) != 0) {
		return XT_ERR_FORMAT;
	}
	text[size] = '\0';
	return XT_OK;
}

int xt_journal_read(uint64_t serial, uint32_t owner, xt_journal_t *out, xt_diag_t *diag)
{
	char path[2 * PATH_SIZE], *text;
	size_t size = 0;
	FILE *in;
	int status = XT_ERR_FORMAT;

	memset(out, 0, sizeof(*out));
	path_of(serial, owner, path, sizeof(path));
	in = fopen(path, "r");
	if (!in) {
		return xt_fail(diag, XT_ERR_RANGE, "%.300s: there is no such journal", path);
	}
	text = read_all(in, &size);
	fclose(in);
	if (text && check_sum(text, size) == XT_OK) {
		status = parse(text, out);
	}
	if (status == XT_OK && (out->serial != serial || out->owner != owner)) {
		status = XT_ERR_FORMAT;
	}
	free(text);
	if (status) {
		xt_journal_clear(out);
		return xt_fail(diag, status,
			"%.300s: not an undamaged journal of a load; reset the cards and remove the file", path);
	}
	return XT_OK;
}
