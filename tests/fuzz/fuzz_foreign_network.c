/* SPDX-License-Identifier: Apache-2.0
 *
 * Network files of other programs. The first byte chooses the end of the name, by which the format is known. What is
 * accepted comes back the same through GraphML. */
#include <sys/stat.h>
#include <unistd.h>

#include "extorus/network_export.h"
#include "extorus/profiles.h"
#include "fuzz.h"

static const char *const suffixes[] = {"txt", "graphml", "topo", "conf", "gv", "anynet", "edges"};

enum { SUFFIXES = sizeof(suffixes) / sizeof(suffixes[0]) };

static int parse(const char *path, xt_topology_t **out)
{
	char spec[128];
	xt_diag_t diag = {""};

	snprintf(spec, sizeof(spec), "file:%s", path);
	return fuzz_ok(xt_topology_parse_wide(spec, xt_profile_find("extoll"), out, &diag), &diag);
}

static void write_and_read(const xt_topology_t *topology, const char *path)
{
	xt_topology_t *again = NULL;
	xt_diag_t diag = {""};
	FILE *out = fopen(path, "w");

	FUZZ_ASSERT(out);
	FUZZ_ASSERT(fuzz_ok(xt_topology_write_graphml(topology, out, &diag), &diag));
	fclose(out);
	FUZZ_ASSERT(parse(path, &again));
	FUZZ_ASSERT(xt_topology_cards(again) == xt_topology_cards(topology));
	for (unsigned card = 0; card < xt_topology_cards(topology); card++) {
		for (unsigned port = 0; port < xt_topology_profile(topology)->link_ports; port++) {
			xt_peer_t a = xt_topology_peer(topology, card, port), b = xt_topology_peer(again, card, port);

			FUZZ_ASSERT(a.card == b.card && (a.card == XT_NO_CARD || a.port == b.port));
		}
	}
	xt_topology_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], other[64];
	xt_topology_t *topology = NULL;
	FILE *file;

	if (size == 0) {
		return 0;
	}
	snprintf(path, sizeof(path), "/tmp/fuzz-network-%d.%s", (int)getpid(), suffixes[data[0] % SUFFIXES]);
	snprintf(other, sizeof(other), "/tmp/fuzz-network-%d-again.graphml", (int)getpid());
	file = fopen(path, "wb");
	FUZZ_ASSERT(file && fwrite(data + 1, 1, size - 1, file) == size - 1);
	fclose(file);
	if (parse(path, &topology)) {
		write_and_read(topology, other);
	}
	xt_topology_free(topology);
	unlink(path);
	unlink(other);
	return 0;
}
