/* SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <string.h>

#include "extorus/atomic_file.h"

static int write_file(const xt_profile_t *profile, const char *folder, const char *name,
	void (*generate)(const xt_profile_t *, FILE *), xt_diag_t *diag)
{
	char path[4096];
	xt_output_t *output;
	int status;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path)) {
		return xt_fail(diag, XT_ERR_IO, "%.200s...: the path is too long", folder);
	}
	if ((status = xt_output_open(path, &output, diag)) != XT_OK) {
		return status;
	}
	generate(profile, xt_output_stream(output));
	return xt_output_commit(output, diag);
}

int xt_generate(const xt_profile_t *profile, const char *folder, xt_diag_t *diag)
{
	static const struct {
		const char *name;
		void (*generate)(const xt_profile_t *, FILE *);
	} files[] = {
		{"xt_pkg.sv", xt_generate_sv_package},
		{"xt_registers.h", xt_generate_c_header},
		{"registers.md", xt_generate_markdown},
		{"registers.rdl", xt_generate_system_rdl},
		{"registers.xml", xt_generate_ip_xact},
		{"xt_bridge_pkg.sv", xt_generate_bridge_package},
		{"xt_bridge.h", xt_generate_bridge_header},
		{"bridge.md", xt_generate_bridge_markdown},
	};
	int status = xt_profile_check(profile, diag);

	if (status == XT_OK) {
		status = xt_make_folder(folder, diag);
	}
	if (status == XT_OK && profile->model_only) {
		return write_file(profile, folder, "xt_registers.h", xt_generate_c_header, diag);
	}
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]) && status == XT_OK; i++) {
		status = write_file(profile, folder, files[i].name, files[i].generate, diag);
	}
	return status;
}
