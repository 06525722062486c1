/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"
#include "options.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "monotonic.h"

enum {
	WIDTH = 40,
	PATIENCE_S = 2,
	ROUND_THE_BAR = 22, /* spaces, brackets, percent, rate, and the last column */
};

void xt_progress_begin(xt_progress_bar_t *bar, const char *what)
{
	bar->what = what;
	bar->terminal = xt_is_screen(STDERR_FILENO);
	bar->shown = -1;
	bar->start = xt_now_s();
}

/* What is left for the bar in a line of the terminal, which must not be longer than that: a line that is broken is not
 * written over. */
static int bar_width(const char *what)
{
	struct winsize size;
	int room;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
		return WIDTH;
	}
	room = (int)size.ws_col - (int)strlen(what) - ROUND_THE_BAR;
	return room < 0 ? 0 : room < WIDTH ? room : WIDTH;
}

void xt_progress_step(void *context, uint64_t done, uint64_t total)
{
	xt_progress_bar_t *bar = context;
	double seconds;
	int part, width, full;

	if (!bar->terminal || !total) {
		return;
	}
	part = (int)(1000 * done / total);
	if (part == bar->shown) {
		return;
	}
	seconds = xt_now_s() - bar->start;
	if (seconds < PATIENCE_S) {
		return;
	}
	bar->shown = part;
	width = bar_width(bar->what);
	full = part * width / 1000;
	fprintf(stderr, "\r%s [%.*s%*s] %3d%%, %.4g/s\033[K", bar->what, full,
		"########################################", width - full, "", part / 10, (double)done / seconds);
	fflush(stderr);
}

void xt_progress_end(xt_progress_bar_t *bar)
{
	if (bar->shown >= 0) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
		bar->shown = -1;
	}
}

/* ---------------------------------------------------------------- a clock */

static void *tick(void *context)
{
	xt_clock_t *clock = context;
	struct timespec next;
	unsigned seconds = 0;

	/* The condition's clock; a step of the calendar delays a line at worst. */
	clock_gettime(CLOCK_REALTIME, &next);
	pthread_mutex_lock(&clock->lock);
	while (!clock->end) {
		next.tv_sec++;
		while (!clock->end && pthread_cond_timedwait(&clock->ended, &clock->lock, &next) == 0) {
		}
		if (!clock->end && ++seconds >= PATIENCE_S) {
			fprintf(stderr, "\r%s: %u s", clock->what, seconds);
			fflush(stderr);
		}
	}
	pthread_mutex_unlock(&clock->lock);
	if (seconds >= PATIENCE_S) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
	return NULL;
}

void xt_clock_begin(xt_clock_t *clock, const char *what)
{
	*clock = (xt_clock_t){.what = what};
	if (!xt_is_screen(STDERR_FILENO)) {
		return;
	}
	pthread_mutex_init(&clock->lock, NULL);
	pthread_cond_init(&clock->ended, NULL);
	clock->runs = pthread_create(&clock->thread, NULL, tick, clock) == 0;
}

void xt_clock_end(xt_clock_t *clock)
{
	if (!clock->runs) {
		return;
	}
	pthread_mutex_lock(&clock->lock);
	clock->end = true;
	pthread_cond_signal(&clock->ended);
	pthread_mutex_unlock(&clock->lock);
	pthread_join(clock->thread, NULL);
	pthread_cond_destroy(&clock->ended);
	pthread_mutex_destroy(&clock->lock);
	clock->runs = false;
}
