/* SPDX-License-Identifier: Apache-2.0 */
#include "runs_messages.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_OVER = 0, TAG_ASK = 1, TAG_ITEM = 2 /* and the thread's number */ };

/* With the text of the result behind. */
typedef struct {
	uint32_t thread, item;
	int32_t goes, status;
	xt_diag_t diag;
} ask_t;

int xt_runs_message_send(xt_ranks_t *ranks, xt_runs_message_t *message, xt_diag_t *diag)
{
	const ask_t ask = {message->thread, message->item, message->goes, message->status, message->diag};
	char *text = message->result ? json_dumps(message->result, JSON_COMPACT) : NULL, *bytes;
	const size_t length = text ? strlen(text) : 0;
	int status = XT_OK;

	bytes = malloc(sizeof(ask) + length);
	if (!bytes || (message->result && !text)) {
		status = xt_fail(diag, XT_ERR_NOMEM, "rank %u: out of memory", xt_ranks_own(ranks));
	} else {
		memcpy(bytes, &ask, sizeof(ask));
		memcpy(bytes + sizeof(ask), text ? text : "", length);
		status = xt_ranks_send(ranks, 0, TAG_ASK, bytes, sizeof(ask) + length, 0.0, diag);
	}
	json_decref(message->result);
	message->result = NULL;
	free(text);
	free(bytes);
	return status;
}

int xt_runs_message_take(xt_ranks_t *ranks, xt_runs_message_t *message, xt_diag_t *diag)
{
	unsigned from = XT_RANKS_ANY;
	size_t size = 0;
	ask_t ask;
	int status = xt_ranks_wait(ranks, &from, TAG_ASK, &size, 0.0, diag);
	char *bytes = malloc(size + 1);

	*message = (xt_runs_message_t){.from = from};
	if (status == XT_OK && (!bytes || size < sizeof(ask))) {
		status = xt_fail(diag, XT_ERR_NOMEM, "out of memory for a result of rank %u", from);
	}
	if (status == XT_OK) {
		status = xt_ranks_take(ranks, from, TAG_ASK, bytes, size, 0.0, diag);
	}
	if (status == XT_OK) {
		memcpy(&ask, bytes, sizeof(ask));
		message->thread = ask.thread;
		message->item = ask.item;
		message->goes = ask.goes;
		message->status = ask.status;
		message->diag = ask.diag;
		if (size > sizeof(ask)) {
			message->result = json_loadb(bytes + sizeof(ask), size - sizeof(ask), 0, NULL);
		}
	}
	free(bytes);
	return status;
}

int xt_runs_item_send(xt_ranks_t *ranks, const xt_runs_message_t *asked, uint32_t item, xt_diag_t *diag)
{
	return xt_ranks_send(ranks, asked->from, TAG_ITEM + asked->thread, &item, sizeof(item), 0.0, diag);
}

int xt_runs_item_take(xt_ranks_t *ranks, uint32_t thread, uint32_t *item, xt_diag_t *diag)
{
	unsigned from = 0;
	size_t size;
	int status = xt_ranks_wait(ranks, &from, TAG_ITEM + thread, &size, 0.0, diag);

	return status == XT_OK ? xt_ranks_take(ranks, 0, TAG_ITEM + thread, item, sizeof(*item), 0.0, diag) : status;
}

int xt_runs_over_send(xt_ranks_t *ranks, int over, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned r = 1; r < xt_ranks_count(ranks) && status == XT_OK; r++) {
		status = xt_ranks_send(ranks, r, TAG_OVER, &over, sizeof(over), 0.0, diag);
	}
	return status;
}

int xt_runs_over_take(xt_ranks_t *ranks, int *over, xt_diag_t *diag)
{
	unsigned from = 0;
	size_t size;
	int status = xt_ranks_wait(ranks, &from, TAG_OVER, &size, 0.0, diag);

	return status == XT_OK ? xt_ranks_take(ranks, 0, TAG_OVER, over, sizeof(*over), 0.0, diag) : status;
}
