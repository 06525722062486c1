/* SPDX-License-Identifier: Apache-2.0
 *
 * The first difference between the RTL and the model, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "equivalence.h"
#include "extorus/profiles.h"

typedef struct {
	const char *name;
	size_t offset;
	unsigned count;
} field_t;

#define LINK_FIELD(name, count)                               \
	{                                                     \
#name, offsetof(xt_probe_link_t, name), count \
	}
static const field_t link_fields[] = {
	LINK_FIELD(valid, 1),
	LINK_FIELD(ctrl, 1),
	LINK_FIELD(cell_valid, 1),
	LINK_FIELD(cell_seq, 1),
	LINK_FIELD(vc, 1),
	LINK_FIELD(poison, 1),
	LINK_FIELD(cell, XT_PROBE_CELL_WORDS),
	LINK_FIELD(credit_valid, 1),
	LINK_FIELD(credit_seq, 1),
	LINK_FIELD(credit_vc, 1),
	LINK_FIELD(cell_ack, 1),
	LINK_FIELD(cell_nack, 1),
	LINK_FIELD(credit_ack, 1),
	LINK_FIELD(credit_nack, 1),
	{NULL, 0, 0},
};
#define NIC_FIELD(name, count)                               \
	{                                                    \
#name, offsetof(xt_probe_nic_t, name), count \
	}
static const field_t nic_fields[] = {
	NIC_FIELD(accepts, 1),
	NIC_FIELD(valid, 1),
	NIC_FIELD(last, 1),
	NIC_FIELD(poisoned, 1),
	NIC_FIELD(cell, XT_PROBE_CELL_WORDS),
	{NULL, 0, 0},
};

static unsigned print_fields(const field_t *fields, const void *a, const void *b)
{
	unsigned differences = 0;

	for (; fields->name; fields++) {
		for (unsigned i = 0; i < fields->count; i++) {
			uint32_t x, y;

			memcpy(&x, (const char *)a + fields->offset + i * sizeof(x), sizeof(x));
			memcpy(&y, (const char *)b + fields->offset + i * sizeof(y), sizeof(y));
			if (x != y) {
				printf(" %s[%u] RTL %" PRIx32 " model %" PRIx32 ";", fields->name, i, x, y);
				differences++;
			}
		}
	}
	return differences;
}

static void print_word(const char *name, unsigned port, unsigned item, uint32_t rtl, uint32_t model)
{
	if (rtl != model) {
		printf("    port %u %s[%u]: RTL %" PRIu32 ", model %" PRIu32 "\n", port, name, item, rtl, model);
	}
}

void difference_print(const run_t *run, uint64_t cycle, unsigned card, const xt_probe_t *rtl, const xt_probe_t *model)
{
	const xt_profile_t *profile = xt_device_profile(run->device);

	printf("case %" PRIu64 " (%s)\n  card %u, cycle %" PRIu64 ":\n", run->c->number, run->c->text, card, cycle);
	print_word("idle", 0, 0, rtl->idle, model->idle);
	print_word("quiet cycles", 0, 0, rtl->quiet_cycles, model->quiet_cycles);
	for (unsigned p = 0; p < profile->link_ports; p++) {
		if (memcmp(&rtl->link[p], &model->link[p], sizeof(rtl->link[p])) != 0) {
			printf("    port %u (%s) link:", p, xt_device_port_name(run->device, card, p));
			print_fields(link_fields, &rtl->link[p], &model->link[p]);
			printf("\n");
		}
	}
	for (unsigned n = 0; n < profile->nic_ports; n++) {
		if (memcmp(&rtl->nic[n], &model->nic[n], sizeof(rtl->nic[n])) != 0) {
			printf("    port %u NIC:", profile->link_ports + n);
			print_fields(nic_fields, &rtl->nic[n], &model->nic[n]);
			printf("\n");
		}
	}
	for (unsigned p = 0; p < xt_profile_ports(profile); p++) {
		print_word("free cells", p, 0, rtl->free_cells[p], model->free_cells[p]);
		for (unsigned v = 0; v < XT_MAX_VCS; v++) {
			print_word("credits used", p, v, rtl->used[p][v], model->used[p][v]);
		}
		print_word("stalls for credit", p, 0, rtl->stalls_credit[p], model->stalls_credit[p]);
		print_word("stalls for grant", p, 0, rtl->stalls_grant[p], model->stalls_grant[p]);
	}
}
