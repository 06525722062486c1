/* SPDX-License-Identifier: Apache-2.0 */
#include "rank_failure.h"

#include <unistd.h>

#include "options/options.h"

enum { PATIENCE = 2 /* seconds */ };

/* The first rank ends the others. Another one gives that rank the time to say first what hinders all of them. */
int xt_ranks_give_up(const char *command, xt_ranks_t *ranks, int status, const xt_diag_t *diag)
{
	const unsigned own = xt_ranks_own(ranks);
	xt_diag_t named = *diag;
	int result;

	if (own > 0) {
		sleep(PATIENCE);
		(void)xt_fail(&named, status, "rank %u: %.400s", own, diag->text);
	}
	result = xt_report(command, status, &named);
	if (ranks) {
		xt_ranks_abort(ranks, result);
	}
	return result;
}
