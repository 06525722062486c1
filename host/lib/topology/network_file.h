/* SPDX-License-Identifier: Apache-2.0
 *
 * The path of a network file, within a spec and without. */
#pragma once

#include <stddef.h>

#include "network_graph.h"

/* Writes `path` into text[0 .. size - 1] so that it can be part of a spec, a CSV line or a drawing: signs that would
 * end it there become %20 and the like. Returns the length of the whole, as snprintf. */
size_t xt_network_encode_path(const char *path, char *text, size_t size);
/* The file that is meant by the path of a spec: ~/ is the home directory, and %20 a space unless there is a file whose
 * name has these three signs. To be freed; NULL: out of memory. */
char *xt_network_find_path(const char *path);
/* Whether there is a file by the path that ends before `end`. */
bool xt_network_exists(const char *path, const char *end);
/* The JSON network of a text that begins with a brace. */
int xt_network_read_json(const char *path, const char *text, size_t size, const xt_profile_t *profile,
	xt_wiring_t **out, xt_diag_t *diag);
