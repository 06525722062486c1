/* SPDX-License-Identifier: Apache-2.0
 *
 * The networks of published comparisons, with the rules that they were published for. */
#include <stdio.h>
#include <string.h>

#include "reproduce.h"

/* From the nearest of the objects that has it. */
static const json_t *nearest(const json_t *const *objects, const char *name)
{
	const json_t *value = NULL;

	for (; *objects && !value; objects++) {
		value = json_object_get(*objects, name);
	}
	return value;
}

/* The one place that turns the fields "ties" and "dateline" into a routing: "own" leaves the algorithm its rule. */
static int write_routing(const char *network, const char *ties, const char *dateline, char *text, size_t size)
{
	const char *at = strrchr(network, '@');
	int algorithm = at ? (int)(at - network + 1 + (long)strcspn(at + 1, "+:/")) : (int)strlen(network);
	const int own_ties = !at || strcmp(ties, "own") == 0, own_dateline = !at || strcmp(dateline, "own") == 0;

	return snprintf(text, size, "%.*s%s%s%s%s%s%s%s", algorithm, network, own_ties ? "" : "+", own_ties ? "" : ties,
		       own_ties ? "" : "-ties", own_dateline ? "" : "+", own_dateline ? "" : dateline,
		       own_dateline ? "" : "-dateline", network + algorithm) < (int)size;
}

int xt_reproduce_network(const json_t *const *objects, xt_sweep_network_t *network, xt_diag_t *diag)
{
	const char *spec = json_string_value(nearest(objects, "network"));
	const char *ties = json_string_value(nearest(objects, "ties"));
	const char *dateline = json_string_value(nearest(objects, "dateline"));
	char text[XT_NETWORK_NAME];
	size_t used;
	int status;

	if (!spec || !write_routing(spec, ties ? ties : "own", dateline ? dateline : "own", text, sizeof(text))) {
		return xt_fail(diag, XT_ERR_FORMAT, "experiments: a curve has no network, or one with too long a name");
	}
	if ((status = xt_sweep_network_make(text, NULL, network, diag)) != XT_OK) {
		return status;
	}
	network->label = json_string_value(json_object_get(objects[0], "label"));
	if (json_is_false(nearest(objects, "in_transit_priority"))) {
		network->settings.given |= XT_SETTING_INJECT_WAIT;
		network->settings.inject_wait = 0;
		used = strlen(network->name);
		snprintf(network->name + used, sizeof(network->name) - used, ";inject-wait=0");
	}
	return XT_OK;
}
