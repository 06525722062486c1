/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening the shared object of a back end. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

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

enum { NAME_SIZE = 96 };

static void write_name(const char *scheme, const xt_profile_t *profile, int waves, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "extorus-%s%s%s%s.so", scheme, profile ? "-" : "", profile ? profile->name : "",
		waves ? "-trace" : "");
}

int xt_plugin_load(const char *scheme, const xt_profile_t *profile, int waves, const xt_backend_t **out, void **library,
	xt_diag_t *diag)
{
	char name[NAME_SIZE], path[XT_PLUGIN_PATH];
	const xt_backend_t *backend;
	const void *entered;
	void *object;
	int status;

	write_name(scheme, profile, waves, name);
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
	char name[NAME_SIZE], path[XT_PLUGIN_PATH];
	const xt_card_engine_t *engine;
	const void *entered;
	void *object;
	int status;

	write_name(scheme, profile, 0, name);
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

int xt_simulator_sum(const char *engine, const xt_profile_t *profile, uint32_t *sum, xt_diag_t *diag)
{
	const char *const simulator = strcmp(engine, "rtl") == 0 ? "cosim" : engine;
	const int of_any = strcmp(engine, "input-queued") == 0;
	char name[NAME_SIZE], path[XT_PLUGIN_PATH];
	unsigned char bytes[4096];
	size_t size;
	FILE *file;
	int status, lost;

	*sum = 0;
	write_name(simulator, of_any ? NULL : profile, 0, name);
	if ((status = xt_plugin_find(name, path, sizeof(path), diag)) != XT_OK) {
		return status;
	}
	if (!(file = fopen(path, "rb"))) {
		return xt_fail(diag, XT_ERR_IO, "%.300s: cannot be read: %s", path, strerror(errno));
	}
	while ((size = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		*sum = (uint32_t)crc32_z(*sum, bytes, size);
	}
	lost = ferror(file);
	fclose(file);
	return lost ? xt_fail(diag, XT_ERR_IO, "%.300s: cannot be read", path) : XT_OK;
}
