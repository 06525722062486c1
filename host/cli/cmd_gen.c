/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "gen/generate.h"
#include "options.h"

typedef struct {
	const char *profile;
	const char *folder;
	const char *without, *name; /* both or none */
	bool list, json;
} gen_options_t;

enum { KEY_LIST = XT_KEY_COMMAND, KEY_WITHOUT, KEY_NAME };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	gen_options_t *o = state->input;

	switch (key) {
	case XT_KEY_PROFILE:
		o->profile = arg;
		return 0;
	case XT_KEY_JSON:
		o->json = true;
		return 0;
	case KEY_LIST:
		o->list = true;
		return 0;
	case KEY_WITHOUT:
		o->without = arg;
		return 0;
	case KEY_NAME:
		o->name = arg;
		return 0;
	case 'o':
		o->folder = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->folder && !o->list) {
			argp_error(state, "say where to: -o DIR (or --list)");
		}
		if (o->json && !o->list) {
			argp_error(state, "--json goes with --list");
		}
		if (!o->without != !o->name) {
			argp_error(state, "--without and --name go together: another card needs a name of its own");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	XT_OPTION_PROFILE,
	{"output", 'o', "DIR", 0, "Folder for the packages, headers and lists", 0},
	{"without", KEY_WITHOUT, "PARTS", 0, "Leave out link, monitors, ecc, adaptive (joined by commas)", 0},
	{"name", KEY_NAME, "NAME", 0, "Name of the profile with parts left out", 0},
	{"list", KEY_LIST, 0, 0, "List the profiles", 0},
	XT_OPTION_JSON,
	{0},
};

static const struct argp gen_argp = {
	.options = option_list,
	.parser = parse,
	.doc = "Writes the SystemVerilog package, the C header and the register map of a switch profile.\v"
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
			printf("%-10s %s\n", xt_profiles[i]->name,
				xt_profiles[i]->summary ? xt_profiles[i]->summary : "");
		}
	}
	if (!json) {
		json_decref(all);
		return result;
	}
	return xt_print_json("gen", all) == XT_EXIT_OK ? result : XT_EXIT_USAGE;
}

/* Writes a profile, or, if parts of it are left out, the profile that remains. */
static int generate(const gen_options_t *options, const xt_profile_t *profile, xt_diag_t *diag)
{
	xt_profile_t rest = *profile;
	char summary[160];
	int status;

	if (!options->without) {
		return xt_generate(profile, options->folder, diag);
	}
	if ((status = xt_profile_without(&rest, options->without, diag)) != XT_OK) {
		return status;
	}
	snprintf(summary, sizeof(summary), "%.32s without %.64s", profile->name, options->without);
	rest.name = options->name;
	rest.summary = summary;
	return xt_generate(&rest, options->folder, diag);
}

static int run(int argc, char **argv)
{
	gen_options_t options = {.profile = XT_DEFAULT_PROFILE};
	const xt_profile_t *profile;
	xt_diag_t diag = {""};
	int status;

	xt_parse_options(&gen_argp, argc, argv, &options);
	if (options.list) {
		return list_profiles(options.json);
	}
	if ((status = xt_profile_require(options.profile, &profile, &diag)) != XT_OK ||
		(status = generate(&options, profile, &diag)) != XT_OK) {
		return xt_report("gen", status, &diag);
	}
	return XT_EXIT_OK;
}

extern const xt_command_t xt_command_gen;
const xt_command_t xt_command_gen = {"gen", "write SystemVerilog package, C header and register map of a profile", run};
