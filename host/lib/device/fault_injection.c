/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/run.h"

enum { MAX_ARGUMENTS = 4 };

typedef struct {
	const char *name;
	xt_fault_kind_t kind;
	unsigned arguments;
	const char *form;
} form_t;

static const form_t forms[] = {
	{"drop-credit", XT_FAULT_DROP_CREDIT, 3, "drop-credit:CARD,PORT,NTH"},
	{"flip-bit", XT_FAULT_FLIP_BIT, 4, "flip-bit:CARD,PORT,CYCLE,BIT"},
	{"block-nic", XT_FAULT_BLOCK_NIC, 3, "block-nic:CARD,PORT,CYCLE"},
	{"swap-entry", XT_FAULT_SWAP_ENTRY, 3, "swap-entry:CARD,A,B"},
	{"kill-link", XT_FAULT_KILL_LINK, 3, "kill-link:CARD,PORT,CYCLE"},
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* Comma-separated numbers up to the end of `text`; returns how many, or 0. */
static unsigned parse_numbers(const char *text, uint64_t *values)
{
	for (unsigned n = 0; n < MAX_ARGUMENTS; n++) {
		char *end;

		if (*text < '0' || *text > '9') {
			return 0;
		}
		errno = 0;
		values[n] = strtoull(text, &end, 10);
		if (errno || (*end && *end != ',')) {
			return 0;
		}
		if (!*end) {
			return n + 1;
		}
		text = end + 1;
	}
	return 0;
}

int xt_fault_parse(const char *text, xt_fault_t *fault, xt_diag_t *diag)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	uint64_t values[MAX_ARGUMENTS] = {0};

	for (unsigned i = 0; i < FORMS; i++) {
		const form_t *form = &forms[i];

		if (strlen(form->name) != length || strncmp(form->name, text, length) != 0) {
			continue;
		}
		if (!colon || parse_numbers(colon + 1, values) != form->arguments || values[0] > UINT32_MAX ||
			values[1] > UINT32_MAX || values[3] > UINT32_MAX) {
			return xt_fail(diag, XT_ERR_INVALID, "fault \"%.60s\" is not of the form %s", text, form->form);
		}
		memset(fault, 0, sizeof(*fault));
		fault->kind = form->kind;
		fault->card = (uint32_t)values[0];
		if (form->kind == XT_FAULT_SWAP_ENTRY) {
			if (values[2] > UINT32_MAX) {
				return xt_fail(diag, XT_ERR_INVALID, "fault \"%.60s\" is not of the form %s", text,
					form->form);
			}
			fault->entry_a = (uint32_t)values[1];
			fault->entry_b = (uint32_t)values[2];
		} else {
			fault->port = (uint32_t)values[1];
			fault->n = values[2];
			fault->bit = (uint32_t)values[3];
		}
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_INVALID, "fault \"%.60s\" is not known; use %s, %s, %s, %s or %s", text,
		forms[0].form, forms[1].form, forms[2].form, forms[3].form, forms[4].form);
}
