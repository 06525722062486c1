/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules by which components of Open MPI choose the algorithm of a collective. */
#include "collective_rules.h"

#include <string.h>

/* coll_tuned_decision_fixed.c: s bytes, n ranks. The slopes and offsets are measurements of Open MPI's authors. */
static xt_choice_t rule_broadcast(double s, double n, int one)
{
	if (s < 2048 || one) {
		return (xt_choice_t){"binomial", 0};
	}
	if (s < 370728) {
		return (xt_choice_t){"split-binary", 1024};
	}
	if (n < 1.6134e-6 * s + 2.1102) {
		return (xt_choice_t){"pipeline", 128 << 10};
	}
	if (n < 13) {
		return (xt_choice_t){"split-binary", 8 << 10};
	}
	if (n < 2.3679e-6 * s + 1.1787) {
		return (xt_choice_t){"pipeline", 64 << 10};
	}
	return (xt_choice_t){"pipeline", n < 3.2118e-6 * s + 8.7936 ? 16 << 10 : 8 << 10};
}

static xt_choice_t rule_reduce(double s, double n, int one)
{
	if (n < 8 && s < 512) {
		return (xt_choice_t){"linear", 0};
	}
	if ((n < 8 && s < 20480) || s < 2048 || one) {
		return (xt_choice_t){"binomial", 0};
	}
	if (n > 0.6016 / 1024.0 * s + 1.3496) {
		return (xt_choice_t){"binomial", 1024};
	}
	if (n > 0.0410 / 1024.0 * s + 9.7128) {
		return (xt_choice_t){"pipeline", 1024};
	}
	if (n > 0.0422 / 1024.0 * s + 1.1614) {
		return (xt_choice_t){"binary", 32 << 10};
	}
	return (xt_choice_t){"pipeline", n > 0.0033 / 1024.0 * s + 1.6761 ? 32 << 10 : 64 << 10};
}

static xt_choice_t rule_allreduce(uint64_t s, uint64_t n, uint64_t elements)
{
	if (s < 10000) {
		return (xt_choice_t){"recursive-doubling", 0};
	}
	if (elements <= n) {
		return (xt_choice_t){"nonoverlapping", 0};
	}
	return n << 20 >= s ? (xt_choice_t){"ring", 0} : (xt_choice_t){"segmented-ring", 1 << 20};
}

static xt_choice_t rule_gather(uint64_t s, uint64_t n)
{
	if (s > 92160) {
		return (xt_choice_t){"linear-sync", 32768};
	}
	if (s > 6000) {
		return (xt_choice_t){"linear-sync", 1024};
	}
	return n > 60 || (n > 10 && s < 1024) ? (xt_choice_t){"binomial", 0} : (xt_choice_t){"linear", 0};
}

static xt_choice_t rule_allgather(uint64_t s, uint64_t n)
{
	if (n == 2) {
		return (xt_choice_t){"two-proc", 0};
	}
	if (s * n < 50000) {
		return (xt_choice_t){n & (n - 1) ? "bruck" : "recursive-doubling", 0};
	}
	return (xt_choice_t){n % 2 ? "ring" : "neighbor-exchange", 0};
}

static xt_choice_t rule_alltoall(uint64_t s, uint64_t n)
{
	if (n == 2) {
		return (xt_choice_t){"two-proc", 0};
	}
	if (s < 200 && n > 12) {
		return (xt_choice_t){"bruck", 0};
	}
	return (xt_choice_t){s < 3000 ? "linear" : "pairwise", 0};
}

/* The number of ranks above which coll/basic sends along trees, and the algorithms: mca_coll_basic_comm_query. */
static xt_choice_t basic_rule(const xt_collective_t *c)
{
	const uint32_t crossover = 4;

	switch (c->kind) {
	case XT_COLLECTIVE_BROADCAST:
	case XT_COLLECTIVE_REDUCE:
	case XT_COLLECTIVE_BARRIER:
		return (xt_choice_t){c->ranks > crossover ? "binomial" : "linear", 0};
	case XT_COLLECTIVE_ALLREDUCE:
		return (xt_choice_t){"nonoverlapping", 0};
	default:
		return (xt_choice_t){"linear", 0};
	}
}

static xt_choice_t tuned_rule(const xt_collective_t *c)
{
	uint64_t s = c->bytes, n = c->ranks, elements = s / c->element;

	switch (c->kind) {
	case XT_COLLECTIVE_BROADCAST:
		return rule_broadcast((double)s, (double)n, elements <= 1);
	case XT_COLLECTIVE_REDUCE:
		return rule_reduce((double)s, (double)n, elements <= 1);
	case XT_COLLECTIVE_ALLREDUCE:
		return rule_allreduce(s, n, elements);
	case XT_COLLECTIVE_GATHER:
		return rule_gather(s, n);
	case XT_COLLECTIVE_SCATTER:
		return (xt_choice_t){n > 10 && s < 300 ? "binomial" : "linear", 0};
	case XT_COLLECTIVE_ALLGATHER:
		return rule_allgather(s, n);
	case XT_COLLECTIVE_ALLTOALL:
		return rule_alltoall(s, n);
	default:
		return (xt_choice_t){n == 2 ? "two-proc" : n & (n - 1) ? "bruck" : "recursive-doubling", 0};
	}
}

static const struct {
	const char *name, *title;
	xt_choice_t (*choose)(const xt_collective_t *c);
} rule_sets[XT_RULES] = {
	[XT_RULES_TUNED] = {"tuned", "Open MPI 4.0, coll/tuned", tuned_rule},
	[XT_RULES_BASIC] = {"basic", "Open MPI, coll/basic", basic_rule},
};

const char *xt_rules_title(xt_rules_t rules)
{
	return rule_sets[rules].title;
}

int xt_rules_parse(const char *text, xt_rules_t *rules, xt_diag_t *diag)
{
	for (unsigned r = 0; r < XT_RULES; r++) {
		if (strcmp(text, rule_sets[r].name) == 0) {
			*rules = (xt_rules_t)r;
			return XT_OK;
		}
	}
	return xt_fail(diag, XT_ERR_INVALID, "no rules \"%.40s\"; there are tuned and basic", text);
}

xt_choice_t xt_rules_choose(const xt_collective_t *c)
{
	return rule_sets[c->rules].choose(c);
}
