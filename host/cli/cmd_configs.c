/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/port_assignment.h"
#include "options/options.h"

enum { LEAST_RADIX = 2, MOST_RADIX = 16 };

typedef struct {
	const char *network;
	unsigned radix;
	bool json;
} options_t;

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;

	if (!o->network || strcmp(o->network, "3dt") != 0) {
		argp_error(state, "say which network: 3dt is the only one whose configurations have letters");
	}
	if (!o->radix) {
		argp_error(state, "say which radix: --k 4");
	}
}

static const xt_option_t option_list[] = {
	{"k", "K", "Radix of the three dimensions", .value = XT_AT(options_t, radix), .min = LEAST_RADIX,
		.max = MOST_RADIX},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.argument = XT_AT(options_t, network),
	.check = check,
	.args_doc = "3dt",
	.doc = "Compares the port configurations A to J of a k x k x k twin torus: of the paths that pass through a "
	       "node, how many cross its internal link.\v"
	       "One path between each ordered pair of nodes, dimensions ascending, a tie to the positive port, is "
	       "walked hop by hop and compared with the published closed form; exit status 1 if they differ.\n\n"
	       "Examples:\n"
	       "  extorus configs 3dt --k 4\n"
	       "  extorus configs 3dt --k 9 --json",
};

/* Turns in a k x k x k torus, one packet between each ordered pair of nodes. */
static int walk(const xt_profile_t *profile, unsigned k, xt_turns_t **turns, xt_diag_t *diag)
{
	xt_traffic_t traffic = xt_traffic_default(profile);
	xt_traffic_matrix_t *matrix = NULL;
	xt_topology_t *torus;
	char spec[48];
	int status;

	snprintf(spec, sizeof(spec), "torus:%ux%ux%u", k, k, k);
	if ((status = xt_topology_parse(spec, profile, &torus, diag)) == XT_OK &&
		(status = xt_traffic_matrix_create(&traffic, profile, k * k * k, &matrix, diag)) == XT_OK) {
		status = xt_turns_of_topology(torus, XT_PATHS_DOR, matrix, turns, diag);
	}
	xt_traffic_matrix_free(matrix);
	xt_topology_free(torus);
	return status;
}

/* Crossings per node with configuration A + `config`. */
static int count(const xt_profile_t *profile, unsigned k, unsigned config, const xt_turns_t *turns, int64_t *crossings,
	xt_diag_t *diag)
{
	xt_topology_t *twin;
	char spec[48];
	int status;

	snprintf(spec, sizeof(spec), "twin:%ux%ux%u,config=%c", k, k, k, 'A' + (int)config);
	if ((status = xt_topology_parse(spec, profile, &twin, diag)) != XT_OK) {
		return status;
	}
	*crossings = (int64_t)(xt_turns_crossings(turns, XT_ALL_STAGES, xt_twin_card0(twin)) / (k * k * k));
	xt_topology_free(twin);
	return XT_OK;
}

static json_t *counts_json(const int64_t *counted)
{
	json_t *object = json_object();

	for (unsigned config = 0; config < XT_TWIN_CONFIGS; config++) {
		char letter[2] = {(char)('A' + config), '\0'};

		json_object_set_new(object, letter, json_integer(counted[config]));
	}
	return object;
}

static int compare(const options_t *o, const int64_t *counted)
{
	int result = XT_EXIT_OK;

	if (!o->json) {
		printf("3dt, radix %u: paths through a node that cross its internal link\n"
		       "config     counted closed form\n",
			o->radix);
	}
	for (unsigned config = 0; config < XT_TWIN_CONFIGS; config++) {
		int64_t closed = xt_twin_crossings_closed_form(config, o->radix);

		if (!o->json) {
			printf("%-6c %11" PRId64 " %11" PRId64 "\n", 'A' + (int)config, counted[config], closed);
		}
		if (counted[config] != closed) {
			fprintf(stderr,
				"extorus configs: configuration %c: %" PRId64 " crossings counted, %" PRId64
				" by the closed form\n",
				'A' + (int)config, counted[config], closed);
			result = XT_EXIT_WRONG;
		}
	}
	return result;
}

static int run(int argc, char **argv)
{
	options_t o = {0};
	const xt_profile_t *profile;
	int64_t counted[XT_TWIN_CONFIGS];
	xt_turns_t *turns = NULL;
	xt_diag_t diag = {""};
	int status, result;

	xt_parse_options(&syntax, argc, argv, &o);
	if ((status = xt_profile_require(XT_DEFAULT_PROFILE, &profile, &diag)) == XT_OK) {
		status = walk(profile, o.radix, &turns, &diag);
	}
	for (unsigned config = 0; status == XT_OK && config < XT_TWIN_CONFIGS; config++) {
		status = count(profile, o.radix, config, turns, &counted[config], &diag);
	}
	xt_turns_free(turns);
	if (status != XT_OK) {
		return xt_report("configs", status, &diag);
	}
	result = compare(&o, counted);
	if (o.json && xt_print_json("configs", counts_json(counted)) != XT_EXIT_OK) {
		return XT_EXIT_USAGE;
	}
	return result;
}

XT_COMMAND(configs, "compare the port configurations of a twin torus", run);
