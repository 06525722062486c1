/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks with failed links and cards. They keep the numbers of their cards and ports; a failed link is no
 * link, and a failed card is one without links. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "extorus/random.h"
#include "topology_internal.h"

enum { WORD_SIZE = 48 };

/* A stream of random numbers that no traffic has. */
static const uint64_t failure_stream = UINT64_C(2) << 32;

const char *xt_failures_of(const char *spec)
{
	const char *slash = strrchr(spec, '/');
	const char *begin = strchr(slash ? slash : spec, '~');

	return begin ? begin : spec + strlen(spec);
}

static xt_peer_t *end_of(xt_wiring_t *w, unsigned card, unsigned port)
{
	return &w->peer[(size_t)card * w->ports + port];
}

static void unplug(xt_wiring_t *w, unsigned card, unsigned port)
{
	xt_peer_t peer = *end_of(w, card, port);

	end_of(w, peer.card, peer.port)->card = XT_NO_CARD;
	end_of(w, card, port)->card = XT_NO_CARD;
}

static void fail_link(xt_wiring_t *w, unsigned card, unsigned port)
{
	xt_peer_t peer = *end_of(w, card, port);

	w->links[w->failed_links++] = (xt_failed_link_t){card, port, peer.card, peer.port};
	unplug(w, card, port);
}

/* What is being read, and what came of it. */
typedef struct {
	xt_wiring_t *wiring;
	const xt_topology_t *topology;
	const char *spec;
	char *text; /* canonical form */
	size_t size, used;
	xt_diag_t *diag;
} job_t;

static void note(job_t *job, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(job_t *job, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(job->used < job->size ? job->text + job->used : NULL,
		job->used < job->size ? job->size - job->used : 0, format, args);
	va_end(args);
	job->used += (size_t)length;
}

/* A decimal number up to the end of `text` or, if `stop` is no '\0', up to there. */
static bool take_number(const char **text, char stop, uint64_t *value)
{
	const char *c = *text;

	*value = 0;
	if (*c < '0' || *c > '9') {
		return false;
	}
	while (*c >= '0' && *c <= '9' && *value < UINT64_MAX / 16) {
		*value = *value * 10 + (uint64_t)(*c++ - '0');
	}
	if (*c != stop) {
		return false;
	}
	*text = stop ? c + 1 : c;
	return true;
}

static int find_port(const job_t *job, unsigned card, const char *name, unsigned *port)
{
	const char *rest = name;
	uint64_t number;

	for (*port = 0; *port < job->wiring->ports; ++*port) {
		if (strcmp(xt_topology_port_name(job->topology, card, *port), name) == 0) {
			return XT_OK;
		}
	}
	if (take_number(&rest, '\0', &number) && number < job->wiring->ports) {
		*port = (unsigned)number;
		return XT_OK;
	}
	return xt_fail(job->diag, XT_ERR_RANGE,
		"topology \"%.80s\": card %u has no link port \"%.20s\"; name it like %s or by its number, 0 to %u",
		job->spec, card, name, xt_topology_port_name(job->topology, card, 0), job->wiring->ports - 1);
}

static int read_link(job_t *job, unsigned card, const char *name)
{
	unsigned port;
	int status;

	if (strcmp(name, "nic") == 0) {
		job->wiring->pes[card] = 0;
		note(job, "~%u:nic", card);
		return XT_OK;
	}
	status = find_port(job, card, name, &port);

	if (status != XT_OK) {
		return status;
	}
	if (end_of(job->wiring, card, port)->card == XT_NO_CARD) {
		return xt_fail(job->diag, XT_ERR_INVALID,
			"topology \"%.80s\": port %s of card %u has no link that could fail, or it has failed already; "
			"leave out %u:%s",
			job->spec, xt_topology_port_name(job->topology, card, port), card, card, name);
	}
	fail_link(job->wiring, card, port);
	note(job, "~%u:%s", card, xt_topology_port_name(job->topology, card, port));
	return XT_OK;
}

static int read_card(job_t *job, unsigned card)
{
	xt_wiring_t *w = job->wiring;

	if (w->failed[card]) {
		return xt_fail(job->diag, XT_ERR_INVALID,
			"topology \"%.80s\": card %u fails twice; leave one of them out", job->spec, card);
	}
	if (w->failed_cards + 1 == w->cards) {
		return xt_fail(job->diag, XT_ERR_INVALID, "topology \"%.80s\": no card is left; let fewer cards fail",
			job->spec);
	}
	for (unsigned port = 0; port < w->ports; port++) {
		if (end_of(w, card, port)->card != XT_NO_CARD) {
			unplug(w, card, port);
		}
	}
	w->failed[card] = 1;
	w->failed_cards++;
	note(job, "~%u", card);
	return XT_OK;
}

/* "N:SEED": N of the links that are left, each set of N with the same probability. */
static int read_random(job_t *job, const char *text)
{
	xt_wiring_t *w = job->wiring;
	size_t ends = (size_t)w->cards * w->ports, links = 0;
	uint64_t count, seed;
	xt_random_t random;
	size_t *left;

	if (!take_number(&text, ':', &count) || !take_number(&text, '\0', &seed)) {
		return xt_fail(job->diag, XT_ERR_INVALID,
			"topology \"%.80s\": random failures are ~random=N:SEED, for example ~random=3:1", job->spec);
	}
	left = malloc(ends * sizeof(*left));
	if (!left) {
		return xt_fail(job->diag, XT_ERR_NOMEM, "out of memory");
	}
	for (size_t end = 0; end < ends; end++) {
		xt_peer_t peer = w->peer[end];

		if (peer.card != XT_NO_CARD && (size_t)peer.card * w->ports + peer.port > end) {
			left[links++] = end;
		}
	}
	if (count > links) {
		free(left);
		return xt_fail(job->diag, XT_ERR_RANGE,
			"topology \"%.80s\": %llu links cannot fail, there are %zu; let fewer fail", job->spec,
			(unsigned long long)count, links);
	}
	xt_random_seed(&random, seed, failure_stream);
	for (uint64_t i = 0; i < count; i++) {
		size_t drawn = xt_random_below(&random, (uint32_t)links);

		fail_link(w, (unsigned)(left[drawn] / w->ports), (unsigned)(left[drawn] % w->ports));
		left[drawn] = left[--links];
	}
	free(left);
	note(job, "~random=%llu:%llu", (unsigned long long)count, (unsigned long long)seed);
	return XT_OK;
}

/* One failure: "CARD", "CARD:PORT" or "random=N:SEED". */
static int read_failure(job_t *job, const char *word)
{
	const char *rest = word;
	bool link = strchr(word, ':') != NULL;
	uint64_t card;

	if (strncmp(word, "random=", 7) == 0) {
		return read_random(job, word + 7);
	}
	if (!take_number(&rest, link ? ':' : '\0', &card)) {
		return xt_fail(job->diag, XT_ERR_INVALID,
			"topology \"%.80s\": failure \"%.40s\" is none of CARD:PORT, CARD and random=N:SEED", job->spec,
			word);
	}
	if (card >= job->wiring->cards) {
		return xt_fail(job->diag, XT_ERR_RANGE,
			"topology \"%.80s\": there is no card %llu that could fail, only 0 to %u", job->spec,
			(unsigned long long)card, job->wiring->cards - 1);
	}
	return link ? read_link(job, (unsigned)card, rest) : read_card(job, (unsigned)card);
}

int xt_wiring_fail(xt_wiring_t *wiring, const xt_topology_t *topology, const char *spec, const char *failures,
	char *text, size_t size, xt_diag_t *diag)
{
	job_t job = {.wiring = wiring, .topology = topology, .spec = spec, .text = text, .size = size, .diag = diag};
	const char *c = failures;

	while (*c == '~') {
		size_t length = strcspn(++c, "~");
		char word[WORD_SIZE];
		int status;

		snprintf(word, sizeof(word), "%.*s", (int)length, c);
		if ((status = read_failure(&job, word)) != XT_OK) {
			return status;
		}
		c += length;
	}
	if (job.used >= size) {
		return xt_fail(diag, XT_ERR_RANGE,
			"topology \"%.80s\": more failures than an image can name; let links fail at random, or "
			"describe what is left in a file",
			spec);
	}
	return XT_OK;
}
