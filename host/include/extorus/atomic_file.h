/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that appear complete or not at all: written under a temporary name in the same folder, then
 * renamed. */
#ifndef EXTORUS_ATOMIC_FILE_H
#define EXTORUS_ATOMIC_FILE_H

#include <stdio.h>

#include "extorus/error.h"
#include "extorus/export.h"

XT_BEGIN_C

typedef struct xt_output xt_output_t;

/* `path` "-" is standard output; what exists and is no regular file (a pipe, /dev/null) is written to
 * directly. XT_ERR_IO if it cannot be written. Ends with xt_output_commit or xt_output_abort, which free *out. */
XT_API int xt_output_open(const char *path, xt_output_t **out, xt_diag_t *diag);
/* Valid until the commit or abort; write errors may be left to the commit. */
XT_API FILE *xt_output_stream(xt_output_t *output);
/* XT_ERR_IO if anything written was lost; `path` is then as it was before. */
XT_API int xt_output_commit(xt_output_t *output, xt_diag_t *diag);
XT_API void xt_output_abort(xt_output_t *output); /* NULL is allowed */

/* mkdir -p. */
XT_API int xt_make_folder(const char *path, xt_diag_t *diag);

XT_END_C
#endif
