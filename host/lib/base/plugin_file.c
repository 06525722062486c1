/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding and opening the shared object of a plug-in. */
#include "plugin_file.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MPI "extorus-mpi.so"

/* Where an installation keeps the plug-ins; the build may set it. */
#ifndef XT_PLUGIN_DIR
#define XT_PLUGIN_DIR "/usr/local/lib/extorus"
#endif

enum { PATH_SIZE = XT_PLUGIN_PATH / 2 };

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

/* That of the shared library; "" in a program that contains the library. */
static void library_folder(char *folder)
{
	static const char own;
	struct link_map *map = NULL;
	Dl_info info;
	const char *slash;

	folder[0] = '\0';
	if (!dladdr1(&own, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
		return;
	}
	slash = strrchr(map->l_name, '/');
	if (slash && slash - map->l_name < PATH_SIZE) {
		memcpy(folder, map->l_name, (size_t)(slash - map->l_name));
		folder[slash - map->l_name] = '\0';
	}
}

static const char *kind_of(const char *name)
{
	return strcmp(name, MPI) == 0 ? "plug-in" : "simulator";
}

int xt_plugin_find(const char *name, char *path, size_t size, xt_diag_t *diag)
{
	const char *chosen = getenv("EXTORUS_PLUGIN_DIR");
	const char *kind = kind_of(name);
	const char *target = strcmp(name, MPI) == 0 ? "mpi" : strstr(name, "-trace.so") ? "traces" : "plugins";
	char folder[PATH_SIZE], library[PATH_SIZE];
	/* Beside another program there may be plug-ins of another version. */
	const struct {
		const char *of, *folder;
	} beside[] = {{library, "extorus"}, {library, "plugins"}, {folder, "plugins"}, {folder, "../plugins"},
		{folder, "../lib/extorus"}};

	if (chosen && *chosen) {
		snprintf(path, size, "%s/%s", chosen, name);
		if (access(path, R_OK) == 0) {
			return XT_OK;
		}
		return xt_fail(diag, XT_ERR_NODEVICE,
			"the %s %s is not in EXTORUS_PLUGIN_DIR (%.200s); unset it, or set it to the folder "
			"that "
			"`make` filled",
			kind, name, chosen);
	}
	program_folder(folder);
	library_folder(library);
	for (unsigned i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		snprintf(path, size, "%s/%s/%s", beside[i].of, beside[i].folder, name);
		if (*beside[i].of && access(path, R_OK) == 0) {
			return XT_OK;
		}
	}
	snprintf(path, size, "%s/%s", XT_PLUGIN_DIR, name);
	if (access(path, R_OK) == 0) {
		return XT_OK;
	}
	return xt_fail(diag, XT_ERR_NODEVICE,
		"the %s %s is neither in %.150s/plugins nor in %s; build it with `make %s`, or set "
		"EXTORUS_PLUGIN_DIR to its folder",
		kind, name, folder, XT_PLUGIN_DIR, target);
}

int xt_plugin_enter(const char *name, const char *symbol, const void **out, void **library, char *path, size_t size,
	xt_diag_t *diag)
{
	const void *(*entry)(void);
	int status = xt_plugin_find(name, path, size, diag);

	if (status) {
		return status;
	}
	*library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*library) {
		return xt_fail(diag, XT_ERR_NODEVICE, "cannot open the %s: %.400s", kind_of(name), dlerror());
	}
	/* POSIX promises that this conversion works; ISO C has no way to write it. */
	*(void **)&entry = dlsym(*library, symbol);
	*out = entry ? entry() : NULL;
	return XT_OK;
}
