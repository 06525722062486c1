/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "report/html_page.h"
#include "sweep.h"

static int write_pictures(const xt_sweep_t *s, unsigned pattern, FILE *out, xt_diag_t *diag)
{
	xt_series_t *series;
	int status = xt_sweep_curves(s, pattern, &series, diag);

	if (status != XT_OK) {
		return status;
	}
	status = xt_series_page(series, s->network_count, xt_sweep_pattern(s, pattern), 10 * pattern, out, diag);
	free(series);
	return status;
}

/* The rows of one network and pattern, without what they share. */
static void write_table(const xt_sweep_t *s, const json_t *all, unsigned network, unsigned pattern, FILE *out)
{
	json_t *rows = json_array();
	char caption[XT_NETWORK_NAME + 64];

	for (unsigned l = 0; l < s->load_count; l++) {
		json_t *row =
			json_copy(json_array_get(all, (network * s->pattern_count + pattern) * s->load_count + l));

		json_object_del(row, "network");
		json_object_del(row, "traffic");
		json_array_append_new(rows, row);
	}
	snprintf(caption, sizeof(caption), "%s, %.40s traffic", xt_sweep_network_label(&s->networks[network]),
		xt_sweep_pattern(s, pattern));
	xt_html_rows(out, caption, rows);
	json_decref(rows);
}

static int write_page(void *context, FILE *out, xt_diag_t *diag)
{
	const xt_sweep_page_t *page = context;
	const xt_sweep_t *s = page->sweep;
	json_t *all = xt_sweep_json(s);
	unsigned wrong = 0;
	int status = XT_OK;

	for (unsigned i = 0; i < s->network_count * s->pattern_count * s->load_count * s->seed_count; i++) {
		wrong += !s->points[i].ok;
	}
	xt_html_begin(out, "extorus sweep", page->command_line);
	xt_html_paragraph(
		out, wrong ? "SOMETHING WAS WRONG in the runs that column \"wrong\" counts."
			   : "In every run each packet arrived once, at the right PE, unaltered and in order.");
	xt_html_paragraph(out,
		"Loads are fractions of the NIC bandwidth. Latencies are in cycles. Utilisations are in cells "
		"per cycle. Values are means over the seeds, with 95 % confidence by Student's t.");
	for (unsigned p = 0; p < s->pattern_count && status == XT_OK; p++) {
		char heading[80];

		snprintf(heading, sizeof(heading), "Traffic %.60s", xt_sweep_pattern(s, p));
		xt_html_heading(out, heading);
		status = write_pictures(s, p, out, diag);
		for (unsigned n = 0; n < s->network_count; n++) {
			write_table(s, all, n, p, out);
		}
	}
	xt_html_end(out);
	json_decref(all);
	return status;
}

int xt_sweep_page_write(const xt_sweep_page_t *page, xt_diag_t *diag)
{
	return xt_write_file(page->path, write_page, (void *)page, diag);
}
