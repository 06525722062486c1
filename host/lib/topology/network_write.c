/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/xml_text.h"
#include "extorus/network_export.h"

int xt_topology_write_graphml(const xt_topology_t *t, FILE *out, xt_diag_t *diag)
{
	const bool directed = xt_topology_directed(t);

	(void)diag;
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
		"xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
		"  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n"
		"  <graph id=\"network\" edgedefault=\"%s\">\n",
		directed ? "directed" : "undirected");
	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		const char *name = xt_topology_card_name(t, card);

		fprintf(out, "    <node id=\"%u\"%s", card, name ? "><data key=\"label\">" : "/>\n");
		if (name) {
			xt_xml_text(name, out);
			fputs("</data></node>\n", out);
		}
	}
	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		for (unsigned port = 0; port < xt_topology_profile(t)->link_ports; port++) {
			xt_peer_t peer = xt_topology_peer(t, card, port);

			if (peer.card != XT_NO_CARD && (directed || card < peer.card)) {
				fprintf(out,
					"    <edge source=\"%u\" target=\"%u\" sourceport=\"%u\" targetport=\"%u\"/>\n",
					card, peer.card, port, peer.port);
			}
		}
	}
	fputs("  </graph>\n</graphml>\n", out);
	return XT_OK;
}

static int check_anynet(const xt_topology_t *t, xt_diag_t *diag)
{
	unsigned ports = xt_topology_profile(t)->link_ports;

	if (xt_topology_directed(t)) {
		return xt_fail(diag, XT_ERR_UNSUPPORTED,
			"topology %s: its links go one way, those of anynet both; export it as graphml",
			xt_topology_spec(t));
	}
	for (unsigned card = 0; card < xt_topology_cards(t); card++) {
		for (unsigned i = 0; i < ports * ports; i++) {
			uint32_t a = xt_topology_peer(t, card, i / ports).card,
				 b = xt_topology_peer(t, card, i % ports).card;

			if (i / ports < i % ports && a != XT_NO_CARD && a == b) {
				return xt_fail(diag, XT_ERR_UNSUPPORTED,
					"topology %s: cards %u and %u have two links, anynet has one between two "
					"routers; export it as "
					"graphml",
					xt_topology_spec(t), card, (unsigned)a);
			}
		}
	}
	return XT_OK;
}

int xt_topology_write_anynet(const xt_topology_t *t, FILE *out, xt_diag_t *diag)
{
	const xt_profile_t *p = xt_topology_profile(t);
	int status = check_anynet(t, diag);

	for (unsigned card = 0; card < xt_topology_cards(t) && status == XT_OK; card++) {
		fprintf(out, "router %u", card);
		for (unsigned unit = 0; unit < p->nic_ports; unit++) {
			fprintf(out, " node %u", card * p->nic_ports + unit);
		}
		for (unsigned port = 0; port < p->link_ports; port++) {
			uint32_t peer = xt_topology_peer(t, card, port).card;

			if (peer != XT_NO_CARD && card < peer) {
				fprintf(out, " router %u", (unsigned)peer);
			}
		}
		fputc('\n', out);
	}
	return status;
}
