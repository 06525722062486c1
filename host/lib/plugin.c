/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the shared object of a back end. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/backend.h"
#include "profiles.h"

/* Where an installation keeps the plug-ins; the build may set it. */
#ifndef XT_PLUGIN_DIR
#define XT_PLUGIN_DIR "/usr/local/lib/extorus"
#endif

enum { PATH_SIZE = 4096 };

/* The folder of the running program, without a slash at the end; "" if the system does not say. */
static void program_folder(char *folder)
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
	char *slash;

	folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash) {
		*slash = '\0';
	}
}

static int find(const char *name, char *path, size_t size, xt_diag_t *diag)
{
	static const char *const beside[] = {"plugins", "../plugins", "../lib/extorus"};
	const char *chosen = getenv("EXTORUS_PLUGIN_DIR");
	char folder[PATH_SIZE];
	Dl_info own;

	if (chosen && *chosen) {
		snprintf(path, size, "%s/%s", chosen, name);
		if (access(path, R_OK) == 0) {
			return XT_OK;
		}
		return xt_fail(diag, XT_ERR_NODEVICE,
			"the simulator %s is not in EXTORUS_PLUGIN_DIR (%.200s); unset it, or set it to the folder "
			"that "
			"`make` filled",
			name, chosen);
	}
	program_folder(folder);
	for (unsigned i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		snprintf(path, size, "%s/%s/%s", folder, beside[i], name);
		if (access(path, R_OK) == 0) {
			return XT_OK;
		}
	}
	/* Another program with the shared library: what is installed beside that. */
	if (dladdr(beside, &own) && own.dli_fname && strrchr(own.dli_fname, '/')) {
		snprintf(path, size, "%.*s/extorus/%s", (int)(strrchr(own.dli_fname, '/') - own.dli_fname),
			own.dli_fname, name);
		if (access(path, R_OK) == 0) {
			return XT_OK;
		}
	}
	snprintf(path, size, "%s/%s", XT_PLUGIN_DIR, name);
	if (access(path, R_OK) == 0) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_NODEVICE,
		"the simulator %s is neither in %.150s/plugins nor in %s; build it with `make %s`, or set "
		"EXTORUS_PLUGIN_DIR to its folder",
		name, folder, XT_PLUGIN_DIR, strstr(name, "-trace.so") ? "traces" : "plugins");
}

int xt_plugin_load(const char *scheme, const xt_profile_t *profile, int waves, const xt_backend_t **out, void **library,
	xt_diag_t *diag)
{
	char name[96];
	char path[2 * PATH_SIZE];
	xt_backend_entry_t entry;
	const xt_backend_t *backend;
	void *object;
	int status;

	snprintf(name, sizeof(name), "extorus-%s-%s%s.so", scheme, profile->name, waves ? "-trace" : "");
	status = find(name, path, sizeof(path), diag);
	if (status) {
		return status;
	}
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		return xt_fail(diag, XT_ERR_NODEVICE, "cannot open the simulator: %.400s", dlerror());
	}
	/* POSIX promises that this conversion works; ISO C has no way to write it. */
	*(void **)&entry = dlsym(object, "xt_backend_entry");
	backend = entry ? entry() : NULL;
	if (!backend || backend->abi != XT_BACKEND_ABI || backend->size != sizeof(*backend) ||
		(waves && !backend->waves) || strcmp(backend->profile, profile->name) != 0 ||
		backend->profile_hash != xt_profile_hash(profile)) {
		dlclose(object);
		return xt_fail(diag, XT_ERR_NODEVICE,
			"%.300s was built for another version of this program or of profile %s; build it again", path,
			profile->name);
	}
	*out = backend;
	*library = object;
	return XT_OK;
}
