/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "load.h"

typedef struct {
	xt_table_difference_visit_t visit;
	void *context;
	uint64_t *held; /* GRT, then LRT, of one input port */
} comparison_t;

static int compare_registers(const comparison_t *c, const xt_load_job_t *job, unsigned card)
{
	xt_load_setting_t settings[XT_LOAD_SETTINGS];
	unsigned count = xt_load_settings_of(job, card, settings);
	int status = XT_OK;

	for (unsigned i = 0; i < count && status == XT_OK; i++) {
		uint32_t value;

		status = xt_device_read(job->device, card, xt_load_setting_address(settings[i]), &value, 1, job->diag);
		if (status == XT_OK && value != settings[i].value) {
			c->visit(c->context, &(xt_table_difference_t){.card = card,
						     .table = xt_registers[settings[i].id].name,
						     .index = settings[i].index,
						     .input = "",
						     .held = value,
						     .wanted = settings[i].value});
		}
	}
	return status;
}

static int compare_tables(const comparison_t *c, const xt_load_job_t *job, unsigned card, unsigned port)
{
	const unsigned entries = job->grt_entries + job->lrt_entries;
	int status = xt_device_read_tables(job->device, card, port, c->held, c->held + job->grt_entries, job->diag);

	for (unsigned i = 0; i < entries && status == XT_OK; i++) {
		uint64_t wanted = xt_load_image_entry(job, card, i);
		int global = i < job->grt_entries;

		if (c->held[i] != wanted) {
			c->visit(c->context, &(xt_table_difference_t){.card = card,
						     .table = global ? "grt" : "lrt",
						     .index = global ? i : i - job->grt_entries,
						     .input = xt_device_port_name(job->device, card, port),
						     .held = c->held[i],
						     .wanted = wanted});
		}
	}
	return status;
}

int xt_device_compare(xt_device_t *device, const xt_image_t *image, xt_table_difference_visit_t visit,
	void *visit_context, xt_progress_t progress, void *progress_context, xt_diag_t *diag)
{
	xt_load_job_t job = xt_load_job(device, image, NULL, NULL, diag);
	comparison_t c = {visit, visit_context, malloc((job.grt_entries + job.lrt_entries) * sizeof(uint64_t))};
	int status =
		c.held ? xt_device_need_all(device, "compare", diag) : xt_fail(diag, XT_ERR_NOMEM, "out of memory");

	if (status == XT_OK) {
		status = xt_load_check_fits(&job);
	}
	for (unsigned card = 0; card < xt_device_cards(device) && status == XT_OK; card++) {
		status = compare_registers(&c, &job, card);
		for (unsigned port = 0; port < job.ports && status == XT_OK; port++) {
			status = compare_tables(&c, &job, card, port);
		}
		if (progress) {
			progress(progress_context, card + 1, xt_device_cards(device));
		}
	}
	free(c.held);
	return status;
}
