/* SPDX-License-Identifier: Apache-2.0
 *
 * The addresses of a name, within a time that the caller gives. */
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "clock.h"
#include "extorus/number_text.h"

/* The system's resolver knows no time limit, so a thread of its own waits for it. Whoever is last frees. */
typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned users;
	int flags, done, error;
	char host[256], port[8];
	struct addrinfo *list;
} lookup_t;

static void leave(lookup_t *lookup)
{
	unsigned left = --lookup->users;

	pthread_mutex_unlock(&lookup->lock);
	if (!left) {
		if (lookup->list) {
			freeaddrinfo(lookup->list);
		}
		pthread_cond_destroy(&lookup->changed);
		pthread_mutex_destroy(&lookup->lock);
		free(lookup);
	}
}

static void *look_up(void *argument)
{
	lookup_t *lookup = argument;
	const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = lookup->flags};
	struct addrinfo *list = NULL;
	int error = getaddrinfo(lookup->host, lookup->port, &wanted, &list);

	pthread_mutex_lock(&lookup->lock);
	lookup->error = error;
	lookup->list = error ? NULL : list;
	lookup->done = 1;
	pthread_cond_signal(&lookup->changed);
	leave(lookup);
	return NULL;
}

static int resolve_name(
	const char *what, const xt_tcp_place_t *place, int flags, unsigned ms, struct addrinfo **list, xt_diag_t *diag)
{
	lookup_t *lookup = calloc(1, sizeof(*lookup));
	struct timespec end = xt_deadline(ms);
	pthread_condattr_t monotonic;
	pthread_t thread;
	int done, error;

	*list = NULL;
	if (!lookup) {
		return xt_fail(diag, XT_ERR_NOMEM, "%s: out of memory", what);
	}
	pthread_mutex_init(&lookup->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&lookup->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	lookup->users = 2;
	lookup->flags = flags;
	memcpy(lookup->host, place->host, sizeof(lookup->host));
	snprintf(lookup->port, sizeof(lookup->port), "%u", place->port);
	if (pthread_create(&thread, NULL, look_up, lookup) != 0) {
		lookup->users = 1;
		pthread_mutex_lock(&lookup->lock);
		leave(lookup);
		return xt_fail(diag, XT_ERR_NOMEM, "%s: no thread", what);
	}
	pthread_detach(thread);
	pthread_mutex_lock(&lookup->lock);
	while (!lookup->done && pthread_cond_timedwait(&lookup->changed, &lookup->lock, &end) != ETIMEDOUT) {
	}
	done = lookup->done;
	error = lookup->error;
	*list = lookup->list;
	lookup->list = NULL;
	leave(lookup);
	if (!done) {
		return xt_fail(diag, XT_ERR_NODEVICE, "%s: no address for %.100s within %u ms", what, place->host, ms);
	}
	return error ? xt_fail(diag, XT_ERR_NODEVICE, "%s: %.100s port %u: %s", what, place->host, place->port,
			       gai_strerror(error))
		     : XT_OK;
}

/* Literals need no resolver. Nor does this machine, whose name a system without /etc/hosts does not know (RFC 6761). */
int xt_tcp_place_resolve(const char *what, const xt_tcp_place_t *place, int passive, unsigned ms,
	struct addrinfo **list, xt_diag_t *diag)
{
	const int flags = passive ? AI_PASSIVE : 0, is_own = strcasecmp(place->host, "localhost") == 0;
	const struct addrinfo wanted = {
		.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | (is_own ? 0 : flags | AI_NUMERICHOST)};
	char port[8];

	snprintf(port, sizeof(port), "%u", place->port);
	return getaddrinfo(is_own ? NULL : place->host, port, &wanted, list) == 0
		       ? XT_OK
		       : resolve_name(what, place, flags, ms, list, diag);
}
