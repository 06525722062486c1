/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks and tables for other programs: the formats of --export. */
#pragma once

#include <stdbool.h>

#include "extorus/image.h"
#include "extorus/topology.h"

/* Whether `format`, or the end of `path` where that is NULL, names a format. */
bool xt_export_is_known(const char *path, const char *format);
/* Writes the file, whole or not at all. The format is known. */
int xt_export(
	const char *path, const char *format, const xt_image_t *image, const xt_topology_t *topology, xt_diag_t *diag);
