/* SPDX-License-Identifier: Apache-2.0
 *
 * A topology's SPEC with its failures; the first byte chooses the profile. What is accepted must be accepted
 * again in its canonical form, with the same wiring. */
#include "extorus/profiles.h"
#include "extorus/topology.h"
#include "fuzz.h"

static void assert_same(const xt_topology_t *a, const xt_topology_t *b, const xt_profile_t *profile)
{
	FUZZ_ASSERT(strcmp(xt_topology_spec(a), xt_topology_spec(b)) == 0);
	FUZZ_ASSERT(xt_topology_cards(a) == xt_topology_cards(b));
	for (unsigned card = 0; card < xt_topology_cards(a); card++) {
		for (unsigned port = 0; port < profile->link_ports; port++) {
			xt_peer_t here = xt_topology_peer(a, card, port), there = xt_topology_peer(b, card, port);

			FUZZ_ASSERT(here.card == there.card && (here.card == XT_NO_CARD || here.port == there.port));
			FUZZ_ASSERT(here.card == XT_NO_CARD || here.card < xt_topology_cards(a));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xt_topology_t *topology = NULL, *again = NULL;
	const xt_profile_t *profile;
	unsigned profiles = 0;
	xt_diag_t diag = {""};
	char *spec;

	while (xt_profiles[profiles]) {
		profiles++;
	}
	if (size == 0) {
		return 0;
	}
	profile = xt_profiles[data[0] % profiles];
	spec = fuzz_text(data + 1, size - 1);
	/* Files of this machine are no business of a fuzzer. */
	if (strncmp(spec, "file:", 5) != 0 && fuzz_ok(xt_topology_parse(spec, profile, &topology, &diag), &diag)) {
		FUZZ_ASSERT(fuzz_ok(xt_topology_parse(xt_topology_spec(topology), profile, &again, &diag), &diag));
		assert_same(topology, again, profile);
		xt_topology_free(again);
	}
	xt_topology_free(topology);
	free(spec);
	return 0;
}
