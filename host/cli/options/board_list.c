/* SPDX-License-Identifier: Apache-2.0 */
#include "board_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 4096, MOST_CARD = 65535 };

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
		argp_error(state, "name the boards by --device or by --devices");
	}
}

/* A line of the list, from the first card on. */
typedef struct {
	unsigned first, line;
	char *uri;
} entry_t;

static int take_line(xt_boards_t *boards, entry_t *entries, char *text, unsigned line, xt_diag_t *diag)
{
	char *rest, *uri, *end;
	unsigned long first;

	text[strcspn(text, "#\r\n")] = '\0';
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
	if (strncmp(uri, "sim:", 4) == 0 || strncmp(uri, "model:", 6) == 0) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"%.200s:%u: %.100s is no board; a simulated network is one device, for --device", boards->list,
			line, uri);
	}
	if (strstr(uri, "first=")) {
		return xt_fail(diag, XT_ERR_INVALID,
			"%.200s:%u: the line begins with the first card; leave out first= in the URI", boards->list,
			line);
	}
	if (boards->count == XT_MOST_BOARDS) {
		return xt_fail(
			diag, XT_ERR_RANGE, "%.200s:%u: more than %d boards", boards->list, line, XT_MOST_BOARDS);
	}
	entries[boards->count] = (entry_t){(unsigned)first, line, NULL};
	if (asprintf(&entries[boards->count].uri, "%s;first=%lu", uri, first) < 0) {
		return xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	}
	boards->count++;
	return XT_OK;
}

static int take_lines(xt_boards_t *boards, entry_t *entries, FILE *file, xt_diag_t *diag)
{
	char text[MOST_LINE];
	unsigned line = 0;
	int status = XT_OK;

	while (status == XT_OK && fgets(text, sizeof(text), file)) {
		line++;
		status = strlen(text) + 1 == sizeof(text)
				 ? xt_fail(diag, XT_ERR_INVALID,
					   "%.200s:%u: over %d characters; this is no list of boards", boards->list,
					   line, MOST_LINE - 2)
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
	}
	if (status == XT_OK && !boards->count) {
		status = xt_fail(diag, XT_ERR_INVALID,
			"%.200s: names no board; write a line for each, as in: 0 usb:serial=0123", boards->list);
	}
	return status;
}

/* Where the cards of a list have gaps, or are there twice. */
static int check_first(const xt_boards_t *boards, const entry_t *entry, unsigned next, xt_diag_t *diag)
{
	if (entry->first == next) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_MISMATCH,
		entry->first > next
			? "%.200s:%u: the board's first card is %u, and no board has card %u; list all boards"
			: "%.200s:%u: the board's first card is %u, but the boards before have all up to %u; "
			  "mend the numbers",
		boards->list, entry->line, entry->first, entry->first > next ? next : next - 1);
}

static int open_board(xt_boards_t *boards, unsigned b, xt_diag_t *diag)
{
	int status = xt_open_device(boards->uris[b], &boards->devices[b], diag);

	if (status != XT_OK && boards->count > 1) {
		const xt_diag_t why = *diag;

		return xt_fail(diag, status, "%.100s: %.400s", boards->uris[b], why.text);
	}
	return status == XT_OK && !xt_device_board(boards->devices[b], NULL)
		       ? xt_fail(diag, XT_ERR_UNSUPPORTED,
				 "%.100s is no board; for simulated networks there is `extorus sim`", boards->uris[b])
		       : status;
}

int xt_boards_open(xt_boards_t *boards, xt_diag_t *diag)
{
	entry_t entries[XT_MOST_BOARDS];
	unsigned next = 0;
	int status = boards->list ? read_list(boards, entries, diag) : XT_OK;

	for (unsigned b = 0; b < boards->count && status == XT_OK; b++) {
		status = boards->list ? check_first(boards, &entries[b], next, diag) : XT_OK;
		if (status == XT_OK) {
			status = open_board(boards, b, diag);
		}
		next += status == XT_OK ? xt_device_cards(boards->devices[b]) : 0;
	}
	return status;
}

int xt_boards_close(xt_boards_t *boards, const char *command, int result)
{
	for (unsigned b = 0; b < boards->count; b++) {
		result = xt_check_released(command, boards->devices[b], result);
		xt_device_close(boards->devices[b]);
		free(boards->made[b]);
	}
	return result;
}
