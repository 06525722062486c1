/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40, PATIENCE_S = 2 };

void xt_progress_begin(xt_progress_bar_t *bar, const char *what)
{
	bar->what = what;
	bar->terminal = isatty(STDERR_FILENO);
	bar->shown = -1;
	clock_gettime(CLOCK_MONOTONIC, &bar->start);
}

void xt_progress_step(void *context, uint64_t done, uint64_t total)
{
	xt_progress_bar_t *bar = context;
	struct timespec now;
	int part, full;

	if (!bar->terminal || !total) {
		return;
	}
	part = (int)(1000 * done / total);
	if (part == bar->shown) {
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - bar->start.tv_sec < PATIENCE_S) {
		return;
	}
	bar->shown = part;
	full = part * WIDTH / 1000;
	fprintf(stderr, "\r%s [%.*s%*s] %3d%%", bar->what, full, "########################################",
		WIDTH - full, "", part / 10);
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
