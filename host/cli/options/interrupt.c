/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

static volatile sig_atomic_t noted;

static void note(int signal)
{
	noted = signal;
}

void xt_interrupt_begin(void)
{
	/* All that end a process, and that a user, a shell's limits or a job system sends. */
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF};
	struct sigaction before, action = {.sa_handler = note};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* As under nohup: what is ignored stays so. */
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
			sigaction(signals[i], &action, NULL);
		}
	}
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
}

int xt_interrupted(void *context)
{
	(void)context;
	return noted != 0;
}

void xt_interrupt_end(void)
{
	if (noted) {
		fflush(NULL);
		signal(noted, SIG_DFL);
		raise(noted);
	}
}
