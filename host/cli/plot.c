/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "extorus/atomic_file.h"

extern char **environ;

static int run_gnuplot(FILE *script, FILE *picture, xt_diag_t *diag)
{
	char name[] = "gnuplot";
	char *arguments[] = {name, NULL};
	posix_spawn_file_actions_t actions;
	int error, state = 0;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
	error = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		return xt_fail(diag, XT_ERR_IO, "gnuplot cannot be run: %s; install it (apt install gnuplot-nox)",
			strerror(error));
	}
	while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
	}
	if (!WIFEXITED(state) || WEXITSTATUS(state) != 0) {
		return xt_fail(diag, XT_ERR_IO, "gnuplot failed to draw a picture");
	}
	return XT_OK;
}

int xt_plot(const char *path, unsigned width, unsigned height, xt_plot_script_t script, const void *context,
	xt_diag_t *diag)
{
	FILE *commands = tmpfile();
	xt_output_t *output;
	int status;

	if (!commands) {
		return xt_fail(diag, XT_ERR_IO, "no temporary file can be made: %s", strerror(errno));
	}
	fprintf(commands,
		"set terminal svg size %u,%u font 'sans,13' background rgb 'white' linewidth 1.4 noenhanced\n"
		"set grid lc rgb '#dddddd' lt 1\nset border 3 lc rgb '#555555'\nset tics nomirror\n",
		width, height);
	script(context, commands);
	if (fflush(commands) != 0 || ferror(commands) || fseek(commands, 0, SEEK_SET) != 0) {
		fclose(commands);
		return xt_fail(diag, XT_ERR_IO, "writing a temporary file failed: %s", strerror(errno));
	}
	status = xt_output_open(path, &output, diag);
	if (status == XT_OK) {
		status = run_gnuplot(commands, xt_output_stream(output), diag);
		if (status == XT_OK) {
			status = xt_output_commit(output, diag);
		} else {
			xt_output_abort(output);
		}
	}
	fclose(commands);
	return status;
}

void xt_plot_quoted(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text; text++) {
		fputc(*text == '\'' || *text == '\n' ? ' ' : *text, script);
	}
	fputc('\'', script);
}
