/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks by a file of host names, in the forms of Open MPI and MPICH. */
#include "host_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text_line.h"
#include "extorus/topology.h"

enum { MOST_SLOTS = XT_MAX_RANKS };

typedef struct {
	char *name;
	uint32_t next, end; /* PEs of its node */
	uint32_t ranks;     /* on the PE `next` */
} host_t;

typedef struct {
	const xt_map_t *map;
	const xt_image_t *image;
	uint32_t *pe;
	uint32_t ranks, placed;
	host_t *hosts;
	uint32_t host_count;
	uint32_t next_pe; /* of the nodes without a host */
	uint32_t node_pes;
	unsigned long line;
	xt_diag_t *diag;
} hosts_t;

uint32_t xt_map_node_pes(const xt_image_t *image)
{
	uint32_t each = xt_image_pes(image) / xt_image_cards(image);
	xt_topology_t *topology;

	if (xt_image_parse_topology(image, &topology, NULL) == XT_OK) {
		each *= xt_topology_cards_per_node(topology);
		xt_topology_free(topology);
	}
	return each;
}

static int fail(const hosts_t *h, const char *what, const char *name)
{
	return xt_fail(h->diag, XT_ERR_INVALID, "%.200s:%lu: host %.60s: %s", h->map->path, h->line, name, what);
}

/* The next PE in service from *pe on, before `end`. */
static int find_pe(const hosts_t *h, uint32_t *pe, uint32_t end)
{
	while (*pe < end && !xt_image_pe_in_service(h->image, *pe)) {
		++*pe;
	}
	return *pe < end;
}

/* A name that comes the first time gets the next node with a PE in service. */
static int find_host(hosts_t *h, const char *name, host_t **out)
{
	host_t *host;

	for (uint32_t i = 0; i < h->host_count; i++) {
		if (strcmp(h->hosts[i].name, name) == 0) {
			*out = &h->hosts[i];
			return XT_OK;
		}
	}
	if (!find_pe(h, &h->next_pe, xt_image_pes(h->image))) {
		return fail(h, "there is no node left for it", name);
	}
	host = realloc(h->hosts, (h->host_count + 1) * sizeof(*host));
	if (!host) {
		return xt_fail(h->diag, XT_ERR_NOMEM, "out of memory for the hosts");
	}
	h->hosts = host;
	host += h->host_count;
	*host = (host_t){
		.name = strdup(name), .next = h->next_pe, .end = h->next_pe - h->next_pe % h->node_pes + h->node_pes};
	if (!host->name) {
		return xt_fail(h->diag, XT_ERR_NOMEM, "out of memory for the hosts");
	}
	h->host_count++;
	h->next_pe = host->end;
	*out = host;
	return XT_OK;
}

static int place(hosts_t *h, host_t *host, uint64_t slots)
{
	uint32_t each = h->map->tasks_per_pe ? h->map->tasks_per_pe : 1;

	for (; slots && h->placed < h->ranks; slots--) {
		if (host->ranks == each) {
			host->next++;
			host->ranks = 0;
		}
		if (!find_pe(h, &host->next, host->end)) {
			return fail(h, "more ranks than its node's PEs take; raise the tasks per PE", host->name);
		}
		host->ranks++;
		h->pe[h->placed++] = host->next;
	}
	return XT_OK;
}

/* NAME, NAME:N or NAME slots=N, and what else Open MPI has behind these; or nothing before a '#'. */
static int take_line(void *context, unsigned long line, char *text, xt_diag_t *diag)
{
	const char blanks[] = " \t\r";
	hosts_t *h = context;
	char *name = text + strspn(text, blanks), *rest = name + strcspn(name, " \t\r:");
	const char *number = *rest == ':' ? rest + 1 : strstr(rest, "slots=");
	const int has_more = rest[strspn(rest, blanks)] != '\0';
	uint64_t slots = 1;
	host_t *host = NULL;
	int status, bad = 0;

	h->line = line;
	h->diag = diag;
	if (!*name || *name == '#') {
		return XT_OK;
	}
	if (number) {
		number += *number == 's' ? strlen("slots=") : 0;
		bad = xt_number_take(&number, MOST_SLOTS, &slots) != XT_OK || !strchr(blanks, *number);
	}
	*rest = '\0';
	if (bad) {
		return fail(h, "its slots are not a number", name);
	}
	if (!number && has_more) {
		return fail(h, "slots=N or the end of the line is expected", name);
	}
	status = find_host(h, name, &host);
	return status == XT_OK ? place(h, host, slots) : status;
}

int xt_map_hosts(const xt_map_t *map, const xt_image_t *image, uint32_t ranks, uint32_t *pe, xt_diag_t *diag)
{
	hosts_t h = {.map = map, .image = image, .pe = pe, .ranks = ranks, .node_pes = xt_map_node_pes(image)};
	int status = xt_lines_read(map->path, "list of hosts", take_line, &h, diag);

	for (uint32_t i = 0; i < h.host_count; i++) {
		free(h.hosts[i].name);
	}
	free(h.hosts);
	if (status == XT_OK && h.placed < ranks) {
		return xt_fail(diag, XT_ERR_INVALID, "%.200s: slots for %" PRIu32 " of %" PRIu32 " ranks; add hosts",
			map->path, h.placed, ranks);
	}
	return status;
}
