/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in for MPI with a seeded fault: FAULT says which, in the message number TURN of an epoch. HEAD and CARD are
 * places in the messages of an engine. */
#include <stdlib.h>
#include <string.h>

#define xt_ranks_entry sound_entry
#include "mpi/mpi_ranks.c"
#undef xt_ranks_entry

/* Those of the fast model. */
#ifndef HEAD
#define HEAD 40
#define CARD 12
#endif

enum { TAG_EPOCH = 10, TURN = 50 };

static void *take_with_fault(unsigned from, unsigned tag, void *bytes, size_t size)
{
	static unsigned char before[16];
	static int number;
	const char *fault = getenv("FAULT");
	const uint64_t early = 1;
	const uint32_t nobody = 0xfffff;
	char *message = bytes;
	void *request = take(from, tag, bytes, size);

	if (!request || tag != TAG_EPOCH || MPI_Wait(request, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
		return request;
	}
	if (++number >= TURN && size > HEAD + 40 && fault) {
		if (strcmp(fault, "message") == 0) {
			memcpy(message, before, sizeof(before));
		} else if (strcmp(fault, "cell") == 0) {
			memcpy(message + HEAD, &early, sizeof(early));
		} else if (strcmp(fault, "card") == 0) {
			memcpy(message + HEAD + CARD, &nobody, sizeof(nobody));
		}
	}
	memcpy(before, message, sizeof(before));
	return request;
}

const xt_ranks_plugin_t *xt_ranks_entry(void);
const xt_ranks_plugin_t *xt_ranks_entry(void)
{
	static xt_ranks_plugin_t plugin;

	plugin = *sound_entry();
	plugin.take = take_with_fault;
	return &plugin;
}
