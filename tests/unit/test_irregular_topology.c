/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks from a file and with failures. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

static void assert_refused(const char *spec, int status, const char *says)
{
	xt_topology_t *topology = (xt_topology_t *)&says;
	xt_diag_t diag = {""};

	assert_int_equal(xt_topology_parse(spec, xt_profile_find("extoll"), &topology, &diag), status);
	assert_null(topology);
	assert_says(&diag, says);
	assert_null(strchr(diag.text, '\n'));
}

TEST(test_wrong_failures)
{
	assert_refused("torus:4x4~", XT_ERR_INVALID, "none of CARD:PORT, CARD and random=N:SEED");
	assert_refused("torus:4x4~5~", XT_ERR_INVALID, "failure \"\"");
	assert_refused("torus:4x4~5x", XT_ERR_INVALID, "failure \"5x\"");
	assert_refused("torus:4x4~:d0+", XT_ERR_INVALID, "failure \":d0+\"");
	assert_refused("torus:4x4~5:", XT_ERR_RANGE, "card 5 has no link port \"\"");
	assert_refused("torus:4x4~5:nic1", XT_ERR_RANGE, "card 5 has no link port \"nic1\"");
	assert_refused("torus:4x4~99999999999999999999", XT_ERR_INVALID, "none of");
	assert_refused("torus:4x4~16", XT_ERR_RANGE, "there is no card 16");
	assert_refused("torus:4x4~5:d0+~6:d0-", XT_ERR_INVALID, "leave out 6:d0-");
	assert_refused("torus:4x4~5~6:d0-", XT_ERR_INVALID, "leave out 6:d0-");
	assert_refused("torus:4x4~random=1:", XT_ERR_INVALID, "~random=N:SEED");
	assert_refused("torus:4x4~random=33:1", XT_ERR_RANGE, "there are 32");
	assert_refused("torus:4x4~random=32:1", XT_ERR_INVALID,
		"from card 0 there is no way to 15 cards, 1 2 3 4 5 6 7 8 ...");
	assert_refused("torus:4~1:d0+~3:d0+", XT_ERR_INVALID, "from card 0 there is no way to 2 cards, 2 3; let fewer");
	assert_refused("torus:1~0", XT_ERR_INVALID, "no card is left");
	assert_refused("torus:4x4x~5", XT_ERR_INVALID, "a radix is missing");
}

TEST(test_failures_have_one_name)
{
	xt_topology_t *t = make_topology("torus:04x4~5:1~007~random=2:9", "extoll");
	const xt_failed_link_t *links;

	assert_string_equal(xt_topology_spec(t), "torus:4x4~5:d0+~7~random=2:9");
	assert_int_equal(xt_topology_failed_links(t, &links), 3);
	assert_int_equal(links[0].card, 5);
	assert_int_equal(links[0].port, 1);
	assert_int_equal(links[0].peer, 6);
	assert_int_equal(links[0].peer_port, 0);
	assert_int_equal(xt_topology_failed_cards(t), 1);
	assert_true(xt_topology_card_failed(t, 7));
	assert_false(xt_topology_card_failed(t, 5));
	assert_false(xt_topology_is_regular(t));
	for (unsigned port = 0; port < 6; port++) {
		assert_int_equal(xt_topology_peer(t, 7, port).card, XT_NO_CARD);
	}
	assert_int_equal(xt_topology_peer(t, 6, 0).card, XT_NO_CARD);
	xt_topology_free(t);
	t = make_topology("torus:4x4", "extoll");
	assert_true(xt_topology_is_regular(t));
	assert_int_equal(xt_topology_failed_links(t, NULL), 0);
	xt_topology_free(t);
	assert_true(xt_topology_is_spec("file:x"));
	assert_true(xt_topology_is_spec("twin:4"));
	assert_false(xt_topology_is_spec("torus.img"));
	assert_false(xt_topology_is_spec("x/torus:4"));
}

/* A file in a folder of its own; the spec of it. */
static const char *write_file(const char *text)
{
	static char spec[64];
	char path[] = "/tmp/xt_graph_XXXXXX";
	int descriptor = mkstemp(path);
	FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	snprintf(spec, sizeof(spec), "file:%s", path);
	return spec;
}

TEST(test_wrong_files)
{
	static const struct {
		const char *text;
		int status;
		const char *says;
	} cases[] = {
		{"", XT_ERR_INVALID, ":1: no nodes and no links"},
		{"{\"cards\": 2,\n\"links\": [[0, 0, 1, 0]}", XT_ERR_INVALID, ":2: column"},
		{"[1]", XT_ERR_INVALID, "not an object"},
		{"{\"cards\": 2, \"name\": 3, \"links\": []}", XT_ERR_INVALID, "\"name\": unknown key"},
		{"{\"cards\": 70000, \"links\": []}", XT_ERR_RANGE, "\"cards\": not a number from 1 to 65536"},
		{"{\"cards\": 2, \"links\": {}}", XT_ERR_INVALID, "\"links\": not a list"},
		{"{\"cards\": 2, \"links\": [[0, 0, 1]]}", XT_ERR_INVALID, "links[0]: not [card, port, card, port]"},
		{"{\"cards\": 2, \"links\": [[0, null, 1, 0]]}", XT_ERR_INVALID, "links[0][1]: the port"},
		{"{\"cards\": 2, \"links\": [[0, 9, 1, 0]]}", XT_ERR_RANGE, "links[0][1]: there is no port 9"},
		{"{\"cards\": 2, \"links\": [[0, 0, 18446744073, 0]]}", XT_ERR_RANGE, "there is no card 18446744073"},
		{"{\"cards\": 2, \"links\": [[0, 0, 1, 0], [1, 0, 0, 1]]}", XT_ERR_INVALID,
			"links[1]: port 0 of card 1"},
		{"{\"cards\": 2, \"links\": [[1, 0, 1, 1]]}", XT_ERR_INVALID, "card 1 is linked to itself"},
		{"{\"cards\": 3, \"links\": [[0, 0, 1, 0]]}", XT_ERR_INVALID, "no way to 1 card, 2; add the links"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *spec = write_file(cases[i].text);

		assert_refused(spec, cases[i].status, cases[i].says);
		unlink(spec + 5);
	}
	assert_refused("file:", XT_ERR_INVALID, "no path");
	assert_refused("file:/none/x.json", XT_ERR_IO, "cannot be read");
	assert_refused("file:a,b", XT_ERR_IO, "a,b: cannot be read");
}

TEST(test_file)
{
	const char *spec = write_file("{\"links\": [[0, 3, 2, 5], [1, 0, 2, 0], [1, 1, 2, 1]], \"cards\": 3}");
	xt_topology_t *t = make_topology(spec, "extoll");
	xt_topology_metrics_t m;

	unlink(spec + 5);
	assert_string_equal(xt_topology_spec(t), spec);
	assert_int_equal(xt_topology_kind(t), XT_TOPOLOGY_FILE);
	assert_int_equal(xt_topology_dimensions(t), 0);
	assert_int_equal(xt_topology_peer(t, 2, 5).card, 0);
	assert_int_equal(xt_topology_peer(t, 2, 5).port, 3);
	assert_int_equal(xt_topology_peer(t, 0, 0).card, XT_NO_CARD);
	assert_string_equal(xt_topology_port_name(t, 0, 3), "p3");
	assert_string_equal(xt_topology_port_name(t, 0, 6), "nic");
	assert_int_equal(xt_topology_metrics(t, &m, NULL), XT_OK);
	assert_int_equal(m.links, 3);
	assert_int_equal(m.degree, 3);
	assert_int_equal(m.diameter, 2);
	xt_topology_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_failures),
		cmocka_unit_test(test_failures_have_one_name),
		cmocka_unit_test(test_wrong_files),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
