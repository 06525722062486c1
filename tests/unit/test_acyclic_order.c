/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of channels refuses exactly those dependencies that close a cycle. */
#include "routing/acyclic_order.h"
#include "support.h"

enum { NONE = 64 };

/* Depth-first search over all dependencies that were accepted. */
static bool leads_to(bool (*follows)[64], unsigned from, unsigned to, bool *seen)
{
	if (from == to) {
		return true;
	}
	seen[from] = true;
	for (unsigned next = 0; next < 64; next++) {
		if (follows[from][next] && !seen[next] && leads_to(follows, next, to, seen)) {
			return true;
		}
	}
	return false;
}

/* The way that a refused dependency would close, backwards from `channel`; `to` NONE: there is none. */
static void check_way(xt_acyclic_order_t *order, bool (*follows)[64], unsigned channel, unsigned next, unsigned to)
{
	uint32_t way[64];
	size_t length = xt_acyclic_order_way(order, channel, next, way);

	assert_int_equal(length != 0, to != NONE);
	if (length) {
		assert_int_equal(way[0], channel);
		assert_int_equal(way[length - 1], to);
	}
	for (size_t i = 1; i < length; i++) {
		assert_true(follows[way[i]][way[i - 1]]);
	}
}

/* All dependencies of 16 cards with 4 ports in random order, some taken away again: exactly those that would close a
 * cycle are refused. */
static void check_channel_order(const char *spec, unsigned least_refused)
{
	xt_topology_t *t = make_topology(spec, "extoll");
	xt_peer_t peer[16 * 4], sender[16 * 4];
	unsigned refused = 0;

	for (unsigned c = 0; c < 64; c++) {
		peer[c] = xt_topology_peer(t, c / 4, c % 4);
		sender[c] = xt_topology_sender(t, c / 4, c % 4);
	}
	for (unsigned seed = 1; seed <= 20; seed++) {
		xt_acyclic_order_t *order = xt_acyclic_order_create(peer, sender, 16, 4);
		bool follows[64][64] = {{false}};
		uint32_t draw = seed;

		assert_non_null(order);
		for (unsigned i = 0; i < 600; i++) {
			unsigned channel, next, to;
			bool seen[64] = {false}, cycle;

			if (i == 300) {
				/* A copy goes on like it. */
				xt_acyclic_order_t *copy = xt_acyclic_order_create(peer, sender, 16, 4);

				assert_non_null(copy);
				xt_acyclic_order_copy(copy, order);
				xt_acyclic_order_free(order);
				order = copy;
			}
			draw = draw * 1664525u + 1013904223u;
			channel = draw >> 8 & 63;
			next = draw >> 16 & 3;
			if (peer[channel].card == XT_NO_CARD ||
				peer[peer[channel].card * 4 + next].card == XT_NO_CARD) {
				continue;
			}
			to = peer[channel].card * 4 + next;
			assert_int_equal(xt_acyclic_order_has(order, channel, next), follows[channel][to]);
			if (draw >> 24 < 40 && follows[channel][to]) {
				xt_acyclic_order_remove(order, channel, next);
				follows[channel][to] = false;
				continue;
			}
			cycle = leads_to(follows, to, channel, seen);
			assert_int_equal(xt_acyclic_order_closes(order, channel, next), cycle);
			check_way(order, follows, channel, next, cycle ? to : NONE);
			assert_int_equal(xt_acyclic_order_add(order, channel, next), !cycle);
			follows[channel][to] |= !cycle;
			refused += cycle;
		}
		xt_acyclic_order_free(order);
	}
	assert_true(refused > least_refused);
	xt_topology_free(t);
}

TEST(test_channel_order)
{
	check_channel_order("torus:4x4", 500);
	check_channel_order("manhattan:4x4", 100);
	xt_acyclic_order_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_channel_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
