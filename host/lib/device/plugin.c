/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the shared object of a back end. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "base/plugin_file.h"
#include "card_engine.h"
#include "extorus/profiles.h"

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
	char name[96], path[XT_PLUGIN_PATH];
	const xt_backend_t *backend;
	const void *entered;
	void *object;
	int status;

	snprintf(name, sizeof(name), "extorus-%s%s%s%s.so", scheme, profile ? "-" : "", profile ? profile->name : "",
		waves ? "-trace" : "");
	status = xt_plugin_enter(name, "xt_backend_entry", &entered, &object, path, sizeof(path), diag);
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
	char name[96], path[XT_PLUGIN_PATH];
	const xt_card_engine_t *engine;
	const void *entered;
	void *object;
	int status;

	snprintf(name, sizeof(name), "extorus-%s-%s.so", scheme, profile->name);
	status = xt_plugin_enter(name, "xt_card_entry", &entered, &object, path, sizeof(path), diag);
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
