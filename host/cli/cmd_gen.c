/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "gen/arguments.h"
#include "options/options.h"

typedef struct {
	xt_generate_arguments_t generate;
	bool list, json;
} options_t;

static void refuse_argument(struct argp_state *state, char *arg, void *options)
{
	(void)arg;
	(void)options;
	argp_error(state, "Too many arguments");
}

static void check(struct argp_state *state, const void *options)
{
	const options_t *o = options;
	const xt_generate_arguments_t *g = &o->generate;

	if (!g->folder && !o->list) {
		argp_error(state, "say where to: -o DIR (or --list)");
	}
	if (o->list && (g->profile || g->without || g->name || g->folder)) {
		argp_error(state, "--list lists all profiles; leave out --profile, --without, --name and -o");
	}
	if (o->json && !o->list) {
		argp_error(state, "--json goes with --list");
	}
}

static const xt_option_t option_list[] = {
	{"list", NULL, "List the profiles", .mark = XT_AT(options_t, list)},
	XT_OPTION_JSON(options_t),
	{0},
};

static const xt_syntax_t syntax = {
	.options = option_list,
	.take_argument = refuse_argument,
	.check = check,
	.child_argp = &xt_generate_argp,
	.child_offset = offsetof(options_t, generate),
	.doc = "Writes the SystemVerilog package, the C header and the register map of a switch profile. "
	       "The map is written as Markdown, SystemRDL and IP-XACT.\v"
	       "Examples:\n"
	       "  extorus gen --profile extoll -o rtl/generated/extoll\n"
	       "  extorus gen --profile extoll --without link,ecc --name extoll_bare -o FOLDER\n"
	       "  extorus gen --list\n\n"
	       "A profile is added by adding host/params/profile_NAME.c and building again.",
};

static json_t *profile_json(const xt_profile_t *p)
{
	char hash[16];

	snprintf(hash, sizeof(hash), "0x%08x", (unsigned)xt_profile_hash(p));
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "name", p->name, "summary",
		p->summary ? p->summary : "", "hash", hash, "link_ports", (int)p->link_ports, "nic_ports",
		(int)p->nic_ports, "tcs", (int)p->tcs, "vcs", (int)xt_profile_vcs(p), "cell_bits", (int)p->cell_bits,
		"buffer_cells", (int)p->buffer_cells, "packet_cells", (int)p->packet_cells);
}

static int list_profiles(bool json)
{
	json_t *all = json_array();
	xt_diag_t diag;
	int result = XT_EXIT_OK;

	for (unsigned i = 0; xt_profiles[i]; i++) {
		int status = xt_profile_check(xt_profiles[i], &diag);

		if (status != XT_OK) {
			result = xt_report("gen", status, &diag);
		} else if (json) {
			json_array_append_new(all, profile_json(xt_profiles[i]));
		} else {
			printf("%-15s %s\n", xt_profiles[i]->name,
				xt_profiles[i]->summary ? xt_profiles[i]->summary : "");
		}
	}
	if (!json) {
		json_decref(all);
		return result;
	}
	return xt_print_json("gen", all) == XT_EXIT_OK ? result : XT_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	options_t options = {0};
	xt_diag_t diag = {""};
	int status;

	xt_parse_options(&syntax, argc, argv, &options);
	if (options.list) {
		return list_profiles(options.json);
	}
	status = xt_generate_as_told(&options.generate, &diag);
	return status == XT_OK ? XT_EXIT_OK : xt_report("gen", status, &diag);
}

XT_COMMAND(gen, "write SystemVerilog package, C header and register map of a profile", run);
