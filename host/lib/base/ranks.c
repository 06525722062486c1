/* SPDX-License-Identifier: Apache-2.0 */
#include "extorus/ranks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "plugin_file.h"
#include "ranks_plugin.h"
#include "spin_pause.h"

enum {
	/* A thread looks for a message at once, then gives way between looks, and then sleeps. MPI moves a long message
	 * in steps of both sides, each of which would wait for the other side's sleep. */
	EAGER_LOOKS = 500,
	AWAKE_LOOKS = 20000,
	NAP_NANOSECONDS = 20000,
	MOST_BYTES = 0x7fffffff, /* of a message of MPI */
};

struct xt_ranks {
	const xt_ranks_plugin_t *plugin;
	void *library;
	unsigned own, count;
	pthread_mutex_t lock;
};

enum { UNKNOWN = 2 }; /* perhaps more than one */

/* How many processes mpirun or srun says that it has started: Open MPI, MPICH and its kin, and PMIx, which does not say
 * how many. */
static int processes(void)
{
	static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const char *count = getenv(counts[i]);

		if (count) {
			return atoi(count);
		}
	}
	return getenv("PMIX_RANK") ? UNKNOWN : 1;
}

static int start(xt_ranks_t *ranks, int may_be_alone, xt_diag_t *diag)
{
	char path[XT_PLUGIN_PATH];
	const void *entered;
	int status = xt_plugin_enter(
		"extorus-mpi.so", "xt_ranks_entry", &entered, &ranks->library, path, sizeof(path), diag);

	if (status != XT_OK) {
		return status;
	}
	ranks->plugin = entered;
	if (!ranks->plugin || ranks->plugin->abi != XT_RANKS_ABI || ranks->plugin->size != sizeof(*ranks->plugin)) {
		ranks->plugin = NULL;
		return xt_fail(diag, XT_ERR_NODEVICE,
			"%.300s was built for another version of this program; build it again", path);
	}
	if (!ranks->plugin->start(&ranks->own, &ranks->count)) {
		ranks->plugin = NULL;
		return xt_fail(diag, XT_ERR_NODEVICE, "%.300s: MPI does not start", path);
	}
	if (ranks->count < 2 && !may_be_alone) {
		return xt_fail(diag, XT_ERR_NODEVICE,
			"%.300s knows of no other process: it was built for another MPI than this mpirun's; build it "
			"with "
			"`make mpi MPICC=...`",
			path);
	}
	return XT_OK;
}

int xt_ranks_open(xt_ranks_t **out, xt_diag_t *diag)
{
	/* MPI may set these variables. */
	const int may_be_alone = !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE");
	xt_ranks_t *ranks;
	int status;

	*out = NULL;
	if (processes() < 2) {
		return XT_OK;
	}
	ranks = calloc(1, sizeof(*ranks));
	if (!ranks) {
		return xt_fail(diag, XT_ERR_NOMEM, "ranks: out of memory");
	}
	pthread_mutex_init(&ranks->lock, NULL);
	status = start(ranks, may_be_alone, diag);
	if (status != XT_OK || ranks->count < 2) {
		xt_ranks_close(ranks);
		return status;
	}
	*out = ranks;
	return XT_OK;
}

void xt_ranks_close(xt_ranks_t *ranks)
{
	if (ranks) {
		if (ranks->plugin) {
			ranks->plugin->finish();
		}
		/* MPI's library stays: it may have left handlers for the end of the process. */
		pthread_mutex_destroy(&ranks->lock);
		free(ranks);
	}
}

void xt_ranks_abort(xt_ranks_t *ranks, int exit_status)
{
	ranks->plugin->abort(exit_status);
}

unsigned xt_ranks_own(const xt_ranks_t *ranks)
{
	return ranks ? ranks->own : 0;
}

unsigned xt_ranks_count(const xt_ranks_t *ranks)
{
	return ranks ? ranks->count : 1;
}

/* After so many looks in vain: others may need the processor. */
static void rest(unsigned looks)
{
	const struct timespec nap = {.tv_nsec = NAP_NANOSECONDS};

	if (looks < EAGER_LOOKS) {
		xt_spin_pause();
	} else if (looks < AWAKE_LOOKS) {
		sched_yield();
	} else {
		nanosleep(&nap, NULL);
	}
}

int xt_ranks_post(
	xt_ranks_t *ranks, unsigned to, unsigned tag, const void *bytes, size_t size, void **posted, xt_diag_t *diag)
{
	if (size > MOST_BYTES) {
		return xt_fail(
			diag, XT_ERR_RANGE, "ranks: a message of %zu bytes to rank %u is too long for MPI", size, to);
	}
	pthread_mutex_lock(&ranks->lock);
	*posted = ranks->plugin->post(to, tag, bytes, size);
	pthread_mutex_unlock(&ranks->lock);
	return *posted ? XT_OK : xt_fail(diag, XT_ERR_IO, "ranks: rank %u cannot be sent to", to);
}

static int is_done(xt_ranks_t *ranks, void *request)
{
	int done;

	pthread_mutex_lock(&ranks->lock);
	done = ranks->plugin->is_done(request);
	pthread_mutex_unlock(&ranks->lock);
	return done;
}

static int fail_silent(const xt_ranks_t *ranks, unsigned rank, double seconds, xt_diag_t *diag)
{
	return xt_fail(
		diag, XT_ERR_TIMEOUT, "rank %u has heard nothing of rank %u for %g s", ranks->own, rank, seconds);
}

/* Until a request is over whose other side is this rank. */
static int finish(xt_ranks_t *ranks, void *request, unsigned rank, double seconds, xt_diag_t *diag)
{
	const double until = seconds > 0.0 ? xt_now_s() + seconds : 0.0;

	for (unsigned looks = 0; !is_done(ranks, request); looks++) {
		if (until > 0.0 && looks > EAGER_LOOKS && xt_now_s() > until) {
			return fail_silent(ranks, rank, seconds, diag);
		}
		rest(looks);
	}
	return XT_OK;
}

int xt_ranks_finish(xt_ranks_t *ranks, void **posted, unsigned count, double seconds, xt_diag_t *diag)
{
	int status = XT_OK;

	for (unsigned r = 0; r < count && status == XT_OK; r++) {
		status = posted[r] ? finish(ranks, posted[r], r, seconds, diag) : XT_OK;
		posted[r] = status == XT_OK ? NULL : posted[r];
	}
	return status;
}

int xt_ranks_send(
	xt_ranks_t *ranks, unsigned to, unsigned tag, const void *bytes, size_t size, double seconds, xt_diag_t *diag)
{
	void *copy = malloc(size + 1), *posted = NULL;
	int status;

	if (!copy) {
		return xt_fail(diag, XT_ERR_NOMEM, "ranks: out of memory for a message of %zu bytes", size);
	}
	memcpy(copy, bytes, size);
	status = xt_ranks_post(ranks, to, tag, copy, size, &posted, diag);
	if (status == XT_OK) {
		status = finish(ranks, posted, to, seconds, diag);
	}
	/* What MPI may still read stays. */
	if (status != XT_ERR_TIMEOUT) {
		free(copy);
	}
	return status;
}

int xt_ranks_look(xt_ranks_t *ranks, unsigned *from, unsigned tag, size_t *size)
{
	int there;

	pthread_mutex_lock(&ranks->lock);
	there = ranks->plugin->look(from, tag, size);
	pthread_mutex_unlock(&ranks->lock);
	return there;
}

int xt_ranks_wait(xt_ranks_t *ranks, unsigned *from, unsigned tag, size_t *size, double seconds, xt_diag_t *diag)
{
	const double until = seconds > 0.0 ? xt_now_s() + seconds : 0.0;

	for (unsigned looks = 0; !xt_ranks_look(ranks, from, tag, size); looks++) {
		if (until > 0.0 && looks > EAGER_LOOKS && xt_now_s() > until) {
			return fail_silent(ranks, *from, seconds, diag);
		}
		rest(looks);
	}
	return XT_OK;
}

int xt_ranks_take(
	xt_ranks_t *ranks, unsigned from, unsigned tag, void *bytes, size_t size, double seconds, xt_diag_t *diag)
{
	void *request;

	pthread_mutex_lock(&ranks->lock);
	request = ranks->plugin->take(from, tag, bytes, size);
	pthread_mutex_unlock(&ranks->lock);
	return request ? finish(ranks, request, from, seconds, diag)
		       : xt_fail(diag, XT_ERR_IO, "ranks: a message of rank %u cannot be taken", from);
}
