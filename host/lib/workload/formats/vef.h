/* SPDX-License-Identifier: Apache-2.0
 *
 * A VEF trace, record by record. */
#pragma once

#include "workload/build.h"
#include "workload/text.h"

/* The numbers of the file. */
typedef enum { XT_VEF_NONE, XT_VEF_SENT, XT_VEF_RECEIVED, XT_VEF_COLLECTIVE, XT_VEF_DEPS } xt_vef_dep_t;

/* A message, or a task's part in a collective. */
typedef struct {
	uint32_t line;
	uint32_t rank, peer;     /* peer: of a message */
	uint32_t task;           /* of a collective */
	uint64_t sent, received; /* bytes */
	uint64_t time;
	uint8_t dep;
	uint32_t on;
	uint32_t event; /* the send; the end of the task's part */
	uint32_t entry; /* the begin of the task's part */
} xt_vef_record_t;

typedef struct {
	uint32_t *ranks; /* by task */
	uint32_t count;
} xt_vef_communicator_t;

enum { XT_VEF_OPERATIONS = 8 };

typedef struct {
	uint32_t line; /* of its first record */
	uint32_t communicator;
	uint8_t operation;
	xt_vef_record_t *parts; /* by task; line 0: not read yet */
} xt_vef_collective_t;

typedef struct {
	xt_text_t text;
	/* As the first line says; globals: collectives, locals: the records of all of them. */
	uint64_t ranks, messages, communicators, globals, locals;
	xt_vef_communicator_t *communicator;
	uint64_t message_count; /* read so far */
} xt_vef_t;

/* The first line and the communicators, of `text`, which has its file, name and diag. Ends with xt_vef_free in any
 * case. */
int xt_vef_begin(xt_vef_t *vef);
void xt_vef_free(xt_vef_t *vef);
/* The message on the line that was begun, whose first word is `id`. */
int xt_vef_message(xt_vef_t *vef, const char *id, xt_vef_record_t *record);
/* The messages of a collective all of whose parts were read, as a workload of its tasks; *out is NULL where none is
 * sent. Refuses sizes that contradict each other. */
int xt_vef_messages(xt_vef_t *vef, const xt_vef_collective_t *collective, xt_workload_t **out);
