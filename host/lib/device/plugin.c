/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the shared object of a back end. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "card_engine.h"
#include "extorus/profiles.h"

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

/* Opens the shared object `name` and calls its function `symbol`, which returns a pointer; NULL if there is none. */
static int enter(const char *name, const char *symbol, const void **out, void **library, char *path, size_t size,
	xt_diag_t *diag)
{
	const void *(*entry)(void);
	int status = find(name, path, size, diag);

	if (status) {
		return status;
	}
	*library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*library) {
		return xt_fail(diag, XT_ERR_NODEVICE, "cannot open the simulator: %.400s", dlerror());
	}
	/* POSIX promises that this conversion works; ISO C has no way to write it. */
	*(void **)&entry = dlsym(*library, symbol);
	*out = entry ? entry() : NULL;
	return XT_OK;
}

static int is_of(const xt_profile_t *profile, const char *name, uint32_t hash)
{
	if (!profile || !name) {
		return !profile && !name && hash == sizeof(*profile);
	}
	return strcmp(name, profile->name) == 0 && hash == xt_profile_hash(profile);
}

static int stale(void *library, const char *path, const xt_profile_t *profile, xt_diag_t *diag)
{
	dlclose(library);
	return xt_fail(diag, XT_ERR_NODEVICE,
		"%.300s was built for another version of this program%s%s; build it again", path,
		profile ? " or of profile " : "", profile ? profile->name : "");
}

int xt_plugin_load(const char *scheme, const xt_profile_t *profile, int waves, const xt_backend_t **out, void **library,
	xt_diag_t *diag)
{
	char name[96], path[2 * PATH_SIZE];
	const xt_backend_t *backend;
	const void *entered;
	void *object;
	int status;

	snprintf(name, sizeof(name), "extorus-%s%s%s%s.so", scheme, profile ? "-" : "", profile ? profile->name : "",
		waves ? "-trace" : "");
	status = enter(name, "xt_backend_entry", &entered, &object, path, sizeof(path), diag);
	if (status) {
		return status;
	}
	backend = entered;
	if (!backend || backend->abi != XT_BACKEND_ABI || backend->size != sizeof(*backend) ||
		(waves && !backend->waves) || !is_of(profile, backend->profile, backend->profile_hash)) {
		return stale(object, path, profile, diag);
	}
	*out = backend;
	*library = object;
	return XT_OK;
}

int xt_plugin_load_card(
	const char *scheme, const xt_profile_t *profile, const xt_card_engine_t **out, void **library, xt_diag_t *diag)
{
	char name[96], path[2 * PATH_SIZE];
	const xt_card_engine_t *engine;
	const void *entered;
	void *object;
	int status;

	snprintf(name, sizeof(name), "extorus-%s-%s.so", scheme, profile->name);
	status = enter(name, "xt_card_entry", &entered, &object, path, sizeof(path), diag);
	if (status) {
		return status;
	}
	engine = entered;
	if (!engine || engine->abi != XT_CARD_ENGINE_ABI || engine->size != sizeof(*engine) ||
		!is_of(profile, engine->profile, engine->profile_hash)) {
		return stale(object, path, profile, diag);
	}
	*out = engine;
	*library = object;
	return XT_OK;
}
