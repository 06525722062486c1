/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of published comparisons: where they are from, what they claim, and what cannot be run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reproduce.h"

/* The file, put into the command by the build. */
extern const unsigned char xt_experiments_text[];
extern const size_t xt_experiments_size;

static const json_t *find_named(const json_t *experiments, const char *name)
{
	const json_t *experiment;
	size_t index;

	json_array_foreach(experiments, index, experiment)
	{
		if (strcmp(json_string_value(json_object_get(experiment, "name")), name) == 0) {
			return experiment;
		}
	}
	return NULL;
}

/* A group of the other experiment under the conditions of this one; NULL if this one leaves the program out. */
static json_t *group_again(const json_t *experiment, const json_t *group)
{
	const char *name = json_string_value(json_object_get(json_object_get(group, "program"), "name"));
	const json_t *own = json_object_get(json_object_get(experiment, "programs"), name ? name : "");
	const json_t *maps = json_object_get(experiment, "random_maps");
	const int is_taken = own || !json_object_get(experiment, "programs");
	json_t *copy = is_taken ? json_deep_copy(group) : NULL, *claim;
	size_t index;

	if (own) {
		json_object_update(json_object_get(copy, "program"), (json_t *)own);
	}
	if (maps) {
		json_object_set(copy, "random_maps", (json_t *)maps);
	}
	/* A cause is one under the other's conditions. */
	json_array_foreach(json_object_get(copy, "claims"), index, claim)
	{
		json_object_del(claim, "cause");
	}
	return copy;
}

/* An experiment "again" has the claims of another one under other conditions: "programs" says which programs of the
 * other one, and what is other of each. Without it all groups are done again. */
static void fill_again(const json_t *experiments, json_t *experiment)
{
	const json_t *other = find_named(experiments, json_string_value(json_object_get(experiment, "again"))), *group;
	json_t *groups = json_array();
	size_t index;

	json_array_foreach(json_object_get(other, "groups"), index, group)
	{
		json_t *copy = group_again(experiment, group);

		if (copy) {
			json_array_append_new(groups, copy);
		}
	}
	json_object_update_missing(experiment, (json_t *)other);
	json_object_set_new(experiment, "groups", groups);
}

json_t *xt_experiments(void)
{
	json_t *experiments = json_loadb((const char *)xt_experiments_text, xt_experiments_size, 0, NULL), *experiment;
	size_t index;

	json_array_foreach(experiments, index, experiment)
	{
		if (json_object_get(experiment, "again")) {
			fill_again(experiments, experiment);
		}
	}
	return experiments;
}

/* Whether one of the texts, with commas between them, is part of a label. */
static int is_among(const char *label, const char *texts)
{
	char text[128];

	for (; *texts; texts += *texts == ',') {
		size_t length = strcspn(texts, ",");

		snprintf(text, sizeof(text), "%.*s", (int)length, texts);
		if (length && strstr(label, text)) {
			return 1;
		}
		texts += length;
	}
	return 0;
}

xt_reproduce_options_t xt_reproduce_options_of(const xt_reproduce_options_t *options, const json_t *experiment)
{
	xt_reproduce_options_t own = *options;

	const json_t *said = json_object_get(experiment, "switch");

	if (said && !own.device_switch.named) {
		own.device_switch = (xt_device_switch_t){
			.kind = json_string_value(json_object_get(said, "kind")),
			.port_buffer = (uint64_t)json_integer_value(json_object_get(said, "port_buffer")),
			.injection_queues = (uint64_t)json_integer_value(json_object_get(said, "injection_queues")),
			.crossbar_per_vc = json_is_true(json_object_get(said, "crossbar_per_vc")),
			.transit_first = json_is_true(json_object_get(said, "transit_first")),
		};
	} else if (own.device_switch.kind && !own.device_switch.port_buffer) {
		own.device_switch.port_buffer =
			(uint64_t)json_integer_value(json_object_get(experiment, "port_buffer"));
	}
	return own;
}

int xt_reproduce_wants(const json_t *group, const xt_reproduce_options_t *options)
{
	const char *label = json_string_value(json_object_get(group, "label"));

	return (!options->quick || json_is_true(json_object_get(group, "quick"))) &&
	       (!options->only || (label && is_among(label, options->only)));
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

void xt_reproduce_source(const json_t *experiment, char *text, size_t size)
{
	const json_t *source = json_object_get(experiment, "source"), *table;
	size_t used, index;

	used = (size_t)snprintf(
		text, size, "%s", source ? text_of(source, "study") : "nothing is published: measured only");
	json_array_foreach(json_object_get(source, "tables"), index, table)
	{
		if (used < size) {
			used += (size_t)snprintf(
				text + used, size - used, "%s %s", index ? ";" : ":", json_string_value(table));
		}
	}
}

/* The claims of a group of curves. */
static void add_claims(const json_t *group, json_t *list)
{
	const json_t *claim;
	size_t index;

	json_array_foreach(json_object_get(group, "claims"), index, claim)
	{
		xt_claim_t said;
		xt_diag_t diag;

		if (xt_claim_describe(claim, 1, &said, &diag) == XT_OK) {
			json_array_append_new(list,
				json_pack("{s:s, s:s, s:s, s:s}", "group", text_of(group, "label"), "claim", said.text,
					"published", said.published, "table", text_of(claim, "table")));
		}
	}
}

/* The rows of a group of collectives, each with a published latency and time. */
static void add_rows(const json_t *group, json_t *list)
{
	static const char *const metrics[] = {"latency", "time"};
	const json_t *row;
	size_t index;

	json_array_foreach(json_object_get(group, "rows"), index, row)
	{
		for (unsigned m = 0; m < 2; m++) {
			const json_t *pair = json_object_get(row, metrics[m]);

			if (pair) {
				json_array_append_new(list,
					json_pack("{s:s, s:o, s:O, s:s}", "group", text_of(group, "label"), "claim",
						json_sprintf("%s of %d bytes: %s", text_of(row, "collective"),
							(int)json_integer_value(json_object_get(row, "bytes")),
							metrics[m]),
						"published", pair, "table", metrics[m]));
			}
		}
	}
}

json_t *xt_reproduce_entry(const json_t *experiment)
{
	static const char *const copied[] = {"name", "title", "again", "source", "published_for", "published", "ours",
		"needs", "switch", "published_setup"};
	json_t *entry = json_object(), *claims = json_array();
	const json_t *group, *value;
	size_t index;

	for (unsigned i = 0; i < sizeof(copied) / sizeof(copied[0]); i++) {
		if ((value = json_object_get(experiment, copied[i]))) {
			json_object_set_new(entry, copied[i], json_deep_copy(value));
		}
	}
	json_array_foreach(json_object_get(experiment, "groups"), index, group)
	{
		add_claims(group, claims);
		add_rows(group, claims);
	}
	json_object_set_new(entry, "claims", claims);
	return entry;
}

void xt_reproduce_head(const json_t *experiment, const xt_reproduce_options_t *options, const char *quick, FILE *out)
{
	const json_t *value;
	const char *name, *separator = "";
	char source[512];

	xt_reproduce_source(experiment, source, sizeof(source));
	fprintf(out, "# %s\n\nSource: %s.\n\nPublished: %s\n\n", text_of(experiment, "title"), source,
		text_of(experiment, "published"));
	if ((value = json_object_get(experiment, "published_for"))) {
		fprintf(out, "Published for: ");
		json_object_foreach((json_t *)json_object_get(experiment, "published_for"), name, value)
		{
			fprintf(out, "%s%s ", separator, name);
			if (json_is_integer(value)) {
				fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
			} else {
				fprintf(out, "%s", json_string_value(value));
			}
			separator = "; ";
		}
		fprintf(out, ".\n\n");
	}
	fprintf(out, "Here: %s%s\n\n", text_of(experiment, "ours"), options->quick ? quick : "");
	if (options->device_switch.kind) {
		fprintf(out, "Switch: %s, %" PRIu64 " flits per port%s, in the model only; this switch has no RTL.\n\n",
			options->device_switch.kind, xt_switch_buffer(&options->device_switch),
			options->device_switch.crossbar_per_vc ? ", a crossbar input per VC" : "");
	}
}

void xt_reproduce_needs(const json_t *experiment, FILE *out)
{
	const json_t *needs = json_object_get(experiment, "needs"), *need;
	size_t index;

	if (!needs) {
		return;
	}
	fprintf(out, "\n| not run | published | |\n|---|---|---|\n");
	json_array_foreach(needs, index, need)
	{
		fprintf(out, "| %s | %s | %s |\n", text_of(need, "claim"), text_of(need, "published"),
			text_of(need, "needs"));
	}
}
