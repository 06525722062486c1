/* SPDX-License-Identifier: Apache-2.0 */
#include "export_formats.h"

#include <string.h>

#include "extorus/forwarding_dump.h"
#include "extorus/network_export.h"
#include "options/options.h"

typedef struct {
	const xt_image_t *image;
	const xt_topology_t *topology;
} source_t;

static int write_opensm(void *context, FILE *out, xt_diag_t *diag)
{
	const source_t *s = context;

	return xt_image_write_opensm(s->image, s->topology, out, diag);
}

static int write_anynet(void *context, FILE *out, xt_diag_t *diag)
{
	const source_t *s = context;

	return xt_topology_write_anynet(s->topology, out, diag);
}

static int write_graphml(void *context, FILE *out, xt_diag_t *diag)
{
	const source_t *s = context;

	return xt_topology_write_graphml(s->topology, out, diag);
}

static int write_csv(void *context, FILE *out, xt_diag_t *diag)
{
	const source_t *s = context;

	return xt_image_write_csv(s->image, out, diag);
}

static const struct {
	const char *name, *suffix;
	xt_write_t write;
} formats[] = {
	{"opensm", ".lft", write_opensm},
	{"anynet", ".anynet", write_anynet},
	{"graphml", ".graphml", write_graphml},
	{"csv", ".csv", write_csv},
};

static xt_write_t find(const char *path, const char *format)
{
	const char *suffix = strrchr(path, '.');

	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (format ? strcmp(format, formats[i].name) == 0 : suffix && strcmp(suffix, formats[i].suffix) == 0) {
			return formats[i].write;
		}
	}
	return NULL;
}

bool xt_export_is_known(const char *path, const char *format)
{
	return find(path, format) != NULL;
}

int xt_export(
	const char *path, const char *format, const xt_image_t *image, const xt_topology_t *topology, xt_diag_t *diag)
{
	source_t source = {image, topology};

	return xt_write_file(path, find(path, format), &source, diag);
}
