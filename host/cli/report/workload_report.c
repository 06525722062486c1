/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_report.h"

#include <inttypes.h>

#include "options/options.h"

json_t *xt_statistics_json(const xt_workload_statistics_t *s)
{
	json_t *sizes = json_array();

	for (unsigned k = 0; k < XT_SIZE_CLASSES; k++) {
		if (s->size_class[k]) {
			json_array_append_new(sizes,
				json_pack("{s:I, s:I}", "from_bytes", (json_int_t)(k ? UINT64_C(1) << (k - 1) : 0),
					"messages", (json_int_t)s->size_class[k]));
		}
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"ranks", (json_int_t)s->ranks, "messages", (json_int_t)s->messages, "bytes", (json_int_t)s->bytes,
		"least_bytes", (json_int_t)s->least, "most_bytes", (json_int_t)s->most, "sizes", sizes, "calculations",
		(json_int_t)s->calculations, "calculation_ns", (json_int_t)s->calculation_ns, "independent_events",
		(json_int_t)s->independent, "dependencies_on_sends", (json_int_t)s->after_send,
		"dependencies_on_receives", (json_int_t)s->after_recv, "dependencies_on_calculations",
		(json_int_t)s->after_calc, "longest_chain", (json_int_t)s->longest_chain, "pairs", (json_int_t)s->pairs,
		"most_sent_bytes", (json_int_t)s->most_sent, "most_sent_rank", (json_int_t)s->most_sent_rank,
		"most_received_bytes", (json_int_t)s->most_received, "most_received_rank",
		(json_int_t)s->most_received_rank);
}

void xt_statistics_print(const xt_workload_statistics_t *s, FILE *out)
{
	fprintf(out,
		"%" PRIu64 " messages of %" PRIu64 " to %" PRIu64 " bytes, %" PRIu64 " bytes in all, between %" PRIu64
		" pairs of %" PRIu32 " ranks\n",
		s->messages, s->least, s->most, s->bytes, s->pairs, s->ranks);
	fprintf(out,
		"most sent: %" PRIu64 " bytes by rank %" PRIu32 "; most received: %" PRIu64 " bytes by rank %" PRIu32
		"\n",
		s->most_sent, s->most_sent_rank, s->most_received, s->most_received_rank);
	fprintf(out, "%" PRIu64 " computations of %" PRIu64 " ns in all\n", s->calculations, s->calculation_ns);
	fprintf(out,
		"dependencies on sends: %" PRIu64 ", on receives: %" PRIu64 ", on computations and joins: %" PRIu64
		"; %" PRIu64 " events wait for nothing\n",
		s->after_send, s->after_recv, s->after_calc, s->independent);
	fprintf(out, "longest chain: %" PRIu32 " messages one after the other\n", s->longest_chain);
	for (unsigned k = 0; k < XT_SIZE_CLASSES; k++) {
		if (s->size_class[k]) {
			uint64_t from = k ? UINT64_C(1) << (k - 1) : 0;

			fprintf(out, "  %12" PRIu64 " to %12" PRIu64 " bytes: %" PRIu64 "\n", from,
				k ? 2 * from - 1 : 0, s->size_class[k]);
		}
	}
}

static int write_svg(void *workload, FILE *out, xt_diag_t *diag)
{
	return xt_workload_matrix_svg(workload, out, diag);
}

int xt_write_matrix(xt_workload_t *workload, const char *path, xt_diag_t *diag)
{
	return xt_write_file(path, write_svg, workload, diag);
}
