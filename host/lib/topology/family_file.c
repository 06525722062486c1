/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks from a file: which format it has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "network_file.h"
#include "topology_internal.h"

/* Of a file; a network of XT_MAX_CARDS cards takes less in every format. */
enum { MOST_BYTES = 1 << 26 };

static const xt_network_format_t *const formats[] = {
	&xt_network_graphml,
	&xt_network_infiniband,
	&xt_network_slurm,
	&xt_network_dot,
	&xt_network_anynet,
	&xt_network_edge_list,
};

/* The whole file, with a zero behind it; to be freed. Before, *text is NULL and *size 0. */
static int read_whole(const char *path, char **text, size_t *size, xt_diag_t *diag)
{
	size_t room = 0, got = 1;
	FILE *file;
	int status = xt_input_open(path, &file, diag);

	if (status != XT_OK) {
		return status;
	}
	while (status == XT_OK && got > 0) {
		if (*size + 1 >= room) {
			char *larger = realloc(*text, room = room ? 2 * room : 4096);

			if (!larger) {
				status = xt_fail(diag, XT_ERR_NOMEM, "%.200s: out of memory", path);
				break;
			}
			*text = larger;
		}
		errno = 0;
		got = fread(*text + *size, 1, room - *size - 1, file);
		if (ferror(file)) {
			status = xt_fail(diag, XT_ERR_IO, "%.200s: cannot be read: %s", path, xt_input_error(errno));
		}
		if (got && memchr(*text + *size, '\0', got)) {
			status = xt_fail(diag, XT_ERR_INVALID,
				"%.200s:1: a zero byte, so this is no text of a network; save it as UTF-8", path);
		}
		*size += got;
		if (status == XT_OK && *size > MOST_BYTES) {
			status = xt_fail(diag, XT_ERR_RANGE,
				"%.200s: more than %d MiB; take a smaller part of the network", path, MOST_BYTES >> 20);
		}
	}
	if (status == XT_OK) {
		(*text)[*size] = '\0';
	}
	fclose(file);
	return status;
}

static bool has_suffix(const char *path, const char *suffixes)
{
	const char *dot = strrchr(path, '.');
	size_t length = dot ? strlen(dot) : 0;

	for (const char *c = suffixes; length && *c; c += strspn(c, " ")) {
		size_t size = strcspn(c, " ");

		if (size == length && strncmp(c, dot, length) == 0) {
			return true;
		}
		c += size;
	}
	return false;
}

/* By the name of the file, but an edge list may be a .txt, and a .topo or .xml something else. */
static const xt_network_format_t *format_of(const char *path, const char *text)
{
	const xt_network_format_t *named = NULL;

	for (unsigned i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (has_suffix(path, formats[i]->suffixes)) {
			named = formats[i];
		}
	}
	for (unsigned i = 0; !named && i < sizeof(formats) / sizeof(formats[0]); i++) {
		named = formats[i]->recognise(text) ? formats[i] : NULL;
	}
	return named;
}

/* A line of a dump of InfiniBand begins with a bracket too. */
static bool is_json(const char *text)
{
	const char first = text[strspn(text, " \t\r\n")];

	return first == '{' || (first == '[' && !strstr(text, "\"S-"));
}

/* May be wide: see xt_topology_parse_wide. Its cards need not be connected. */
static int read_wiring(
	const char *path, const xt_profile_t *profile, bool may_be_wide, xt_wiring_t **out, xt_diag_t *diag)
{
	xt_network_t network = {.path = path};
	char *found, *text = NULL, *begin;
	size_t size = 0;
	int status;

	*out = NULL;
	if (!*path) {
		return xt_fail(diag, XT_ERR_INVALID, "topology \"file:\": no path; write for example file:net.json");
	}
	found = xt_network_find_path(path);
	status = found ? read_whole(found, &text, &size, diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");
	if (status == XT_OK) {
		begin = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
		size -= (size_t)(begin - text);
		if (is_json(begin) || has_suffix(found, ".json")) {
			status = xt_network_read_json(found, begin, size, profile, out, diag);
		} else {
			network.path = found;
			status = format_of(found, begin)->read(&network, begin, size, diag);
			status = status == XT_OK ? xt_network_wire(&network, profile, may_be_wide, out, diag) : status;
			xt_network_clear(&network);
		}
	}
	free(text);
	free(found);
	return status;
}

static int build(xt_topology_t *t, const char *spec, const char *path, xt_diag_t *diag)
{
	int status = read_wiring(path, t->profile, t->may_be_wide, &t->wiring, diag);

	(void)spec;
	if (status != XT_OK) {
		return status;
	}
	t->nodes = t->wiring->cards;
	if (t->wiring->ports > t->profile->link_ports || t->wiring->terminals > t->profile->nic_ports) {
		t->none = *t->profile;
		t->none.name = "none";
		t->none.link_ports = t->wiring->ports;
		t->none.nic_ports = t->wiring->terminals > t->none.nic_ports ? t->wiring->terminals : t->none.nic_ports;
		t->profile = &t->none;
	}
	return XT_OK;
}

/* The reader has checked the ports. */
static unsigned ports(const xt_topology_t *t)
{
	(void)t;
	return 0;
}

static void lay_out(xt_topology_t *t)
{
	(void)t;
}

const xt_family_t xt_family_file = {
	.name = "file",
	.example = "net.json",
	.kind = XT_TOPOLOGY_FILE,
	.sides = 1,
	.build = build,
	.ports = ports,
	.lay_out = lay_out,
};
