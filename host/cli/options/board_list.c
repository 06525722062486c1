/* SPDX-License-Identifier: Apache-2.0 */
#include "board_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"

enum { MOST_LINE = 4096, MOST_CARD = 65535 }; /* characters, with the end of the line */

void xt_take_board(struct argp_state *state, const xt_option_t *option, char *arg, void *boards)
{
	xt_boards_t *b = boards;

	if (b->count == XT_MOST_BOARDS) {
		argp_error(state, "more than %d %ss", XT_MOST_BOARDS, option->name);
	}
	b->uris[b->count++] = arg;
}

void xt_need_boards(struct argp_state *state, const xt_boards_t *boards)
{
	if (!boards->count && !boards->list) {
		argp_error(state, "say which boards, for example --device usb:");
	}
	if (boards->count && boards->list) {
		argp_error(state, "use --device or --devices, not both");
	}
}

/* A line of the list, from the first card on. */
typedef struct {
	unsigned first, line;
	size_t length; /* of the URI as the line has it */
	char *uri;
} entry_t;

/* A comment begins a line, or follows a blank. */
static void cut_comment(char *text)
{
	for (char *c = text; (c = strchr(c, '#')) != NULL; c++) {
		if (c == text || c[-1] == ' ' || c[-1] == '\t') {
			*c = '\0';
			return;
		}
	}
}

/* Whether a URI has an option. */
static bool has_option(const char *uri, const char *name)
{
	for (const char *at = uri; (at = strstr(at, name)) != NULL; at++) {
		if (at > uri && (at[-1] == ':' || at[-1] == ';')) {
			return true;
		}
	}
	return false;
}

static int take_line(xt_boards_t *boards, entry_t *entries, char *text, unsigned line, xt_diag_t *diag)
{
	char *rest, *uri, *end;
	unsigned long first;

	text[strcspn(text, "\r\n")] = '\0';
	cut_comment(text);
	text += strspn(text, " \t");
	if (!*text) {
		return XT_OK;
	}
	errno = 0;
	first = strtoul(text, &rest, 10);
	uri = rest + strspn(rest, " \t");
	end = uri + strcspn(uri, " \t");
	if (*text < '0' || *text > '9' || errno || first > MOST_CARD || rest == uri || !*uri ||
		end[strspn(end, " \t")]) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s:%u: write the number of the board's first card and its URI, as in: 2 usb:serial=0123",
			boards->list, line);
	}
	*end = '\0';
	if (has_option(uri, "first=") || has_option(uri, "wiring=")) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s:%u: the line begins with the first card; leave out first= and wiring= in the URI",
			boards->list, line);
	}
	if (strncmp(uri, "sim:", 4) == 0 || strncmp(uri, "model:", 6) == 0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%.200s:%u: %.100s is no board; a simulated network is one device, for --device", boards->list,
			line, uri);
	}
	for (unsigned b = 0; b < boards->count; b++) {
		if (strlen(uri) == entries[b].length && strncmp(uri, entries[b].uri, entries[b].length) == 0) {
			return xt_fail(diag, XT_ERR_INVALID, "%.200s:%u: line %u names the same board", boards->list,
				line, entries[b].line);
		}
	}
	for (unsigned b = 0; b < boards->count; b++) {
		if (entries[b].first == first) {
			return xt_fail(diag, XT_ERR_INVALID,
				"%.200s:%u: line %u has a board with first card %lu already; mend the number",
				boards->list, line, entries[b].line, first);
		}
	}
	if (boards->count == XT_MOST_BOARDS) {
		return xt_fail(
			diag, XT_ERR_RANGE, "%.200s:%u: more than %d boards", boards->list, line, XT_MOST_BOARDS);
	}
	entries[boards->count] = (entry_t){(unsigned)first, line, strlen(uri), NULL};
	if (asprintf(&entries[boards->count].uri, "%s;first=%lu", uri, first) < 0) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	boards->count++;
	return XT_OK;
}

static int take_lines(xt_boards_t *boards, entry_t *entries, FILE *file, xt_diag_t *diag)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of some editors */
	char text[MOST_LINE + 1];
	unsigned line = 0;
	int status = XT_OK;

	while (status == XT_OK && fgets(text, sizeof(text), file)) {
		const bool long_line = strlen(text) == MOST_LINE && text[MOST_LINE - 1] != '\n';

		if (line++ == 0 && strncmp(text, mark, strlen(mark)) == 0) {
			memmove(text, text + strlen(mark), strlen(text + strlen(mark)) + 1);
		}
		status = long_line ? xt_fail(diag, XT_ERR_INVALID,
					     "%.200s:%u: over %d characters; this is no list of boards", boards->list,
					     line, MOST_LINE - 1)
				   : take_line(boards, entries, text, line, diag);
	}
	return status == XT_OK && ferror(file)
		       ? xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", boards->list, strerror(errno))
		       : status;
}

static int by_card(const void *a, const void *b)
{
	const entry_t *one = a, *other = b;

	return one->first < other->first ? -1 : one->first > other->first;
}

static int read_list(xt_boards_t *boards, entry_t *entries, xt_diag_t *diag)
{
	FILE *file = fopen(boards->list, "r");
	int status;

	if (!file) {
		return xt_fail(diag, XT_ERR_IO, "%.200s: %s", boards->list, strerror(errno));
	}
	status = take_lines(boards, entries, file, diag);
	fclose(file);
	qsort(entries, boards->count, sizeof(*entries), by_card);
	for (unsigned b = 0; b < boards->count; b++) {
		boards->uris[b] = boards->made[b] = entries[b].uri;
		boards->first[b] = entries[b].first;
		boards->lines[b] = entries[b].line;
	}
	if (status == XT_OK && !boards->count) {
		status = xt_fail(diag, XT_ERR_INVALID,
			"%.200s: names no board; write a line for each, as in: 0 usb:serial=0123", boards->list);
	}
	return status;
}

/* Where the cards of a list have gaps, or are there twice. */
static int check_first(const xt_boards_t *boards, unsigned b, unsigned next, xt_diag_t *diag)
{
	if (boards->first[b] == next) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_MISMATCH,
		boards->first[b] > next
			? "%.200s:%u: the board's first card is %u, and no board has card %u; list all boards"
			: "%.200s:%u: the board's first card is %u, but the boards before have all up to %u; "
			  "mend the numbers",
		boards->list, boards->lines[b], boards->first[b], boards->first[b] > next ? next : next - 1);
}

static int open_board(xt_boards_t *boards, unsigned b, xt_diag_t *diag)
{
	int status = xt_interrupted(NULL) ? xt_fail(diag, XT_ERR_INTERRUPTED, "interrupted")
					  : xt_open_device(boards->uris[b], &boards->devices[b], diag);
	const xt_diag_t why = *diag;

	if (status != XT_OK && boards->list) {
		return xt_fail(diag, status, "%.150s:%u: %.300s", boards->list, boards->lines[b], why.text);
	}
	if (status != XT_OK && boards->count > 1) {
		return xt_fail(diag, status, "%.100s: %.400s", boards->uris[b], why.text);
	}
	return status == XT_OK && !xt_device_board(boards->devices[b], NULL)
		       ? xt_fail(diag, XT_ERR_UNSUPPORTED,
				 "%.100s is no board; for simulated networks there is `extorus sim`", boards->uris[b])
		       : status;
}

int xt_boards_open_one(xt_boards_t *boards, unsigned b, int *next, xt_diag_t *diag)
{
	int status = boards->list && *next >= 0 ? check_first(boards, b, (unsigned)*next, diag) : XT_OK;

	if (status == XT_OK) {
		status = open_board(boards, b, diag);
	}
	*next = status == XT_OK ? (int)(boards->first[b] + xt_device_cards(boards->devices[b])) : -1;
	return status;
}

int xt_boards_read(xt_boards_t *boards, xt_diag_t *diag)
{
	entry_t entries[XT_MOST_BOARDS];

	return boards->list ? read_list(boards, entries, diag) : XT_OK;
}

int xt_boards_open(xt_boards_t *boards, xt_diag_t *diag)
{
	int status = xt_boards_read(boards, diag), next = 0;

	for (unsigned b = 0; b < boards->count && status == XT_OK; b++) {
		status = xt_boards_open_one(boards, b, &next, diag);
	}
	return status;
}

int xt_boards_fit(const xt_boards_t *boards, const xt_image_t *image, xt_diag_t *diag)
{
	unsigned cards = 0;

	for (unsigned b = 0; b < boards->count; b++) {
		const xt_profile_t *profile = xt_device_profile(boards->devices[b]);

		if (profile != xt_image_profile(image)) {
			return xt_fail(diag, XT_ERR_MISMATCH, "%.100s has cards of profile %s, the image is for %s",
				boards->uris[b], profile->name, xt_image_profile(image)->name);
		}
		cards += xt_device_cards(boards->devices[b]);
	}
	return cards == xt_image_cards(image) ? XT_OK
					      : xt_fail(diag, XT_ERR_MISMATCH,
							"the boards have %u cards, the image has %u: name every board, "
							"in the order of its cards",
							cards, xt_image_cards(image));
}

int xt_boards_close(xt_boards_t *boards, const char *command, int result)
{
	for (unsigned b = 0; b < boards->count; b++) {
		char where[160];

		snprintf(where, sizeof(where), boards->count > 1 ? "%s: %.120s" : "%s", command, boards->uris[b]);
		result = xt_check_released(where, boards->devices[b], result);
		xt_device_close(boards->devices[b]);
		free(boards->made[b]);
	}
	return result;
}
