/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures by other programs: Graphviz, gnuplot. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "extorus/number_text.h"
#include "options/monotonic.h"
#include "plot.h"

enum { MOST_SECONDS = 600 }; /* of a drawing, if EXTORUS_WAIT_SECONDS does not say how many */

extern char **environ;

/* Takes what the program draws. A program may end well although its picture did not fit on the disk, so the picture
 * goes through here. Returns whether it is whole, by then. */
static int copy_picture(int from, FILE *picture, double end_s)
{
	static const char last[] = "</svg>";
	struct pollfd ready = {.fd = from, .events = POLLIN};
	char bytes[4096 + sizeof(last)];
	size_t kept = 0;
	int whole = 0;
	ssize_t got = 1;

	while (got > 0) {
		const double left_s = end_s - xt_now_s();
		int any = left_s > 0 ? poll(&ready, 1, (int)(left_s * 1e3) + 1) : 0;

		if (any < 0 && errno == EINTR) {
			continue;
		}
		if (any == 0) {
			return 0;
		}
		got = read(from, bytes + kept, sizeof(bytes) - 1 - kept);
		if (got > 0) {
			const size_t size = kept + (size_t)got;

			bytes[size] = '\0';
			whole |= strstr(bytes, last) != NULL;
			kept = size < sizeof(last) - 2 ? size : sizeof(last) - 2;
			fwrite(bytes, 1, size - kept, picture);
			memmove(bytes, bytes + size - kept, kept);
		}
	}
	fwrite(bytes, 1, kept, picture);
	return whole;
}

/* Waits for the end of the program; ends it if there is none by then. Returns whether there was, and well. */
static int end_program(pid_t child, double end_s, int *late)
{
	int state = 0;
	pid_t got;

	while ((got = waitpid(child, &state, WNOHANG)) == 0 && xt_now_s() < end_s) {
		xt_sleep_ms(5);
	}
	*late = got == 0;
	if (*late) {
		kill(child, SIGKILL);
		while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
		}
	}
	return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

/* Runs the program from `script` to `picture`. */
static int run_program(const xt_drawing_t *d, FILE *script, FILE *picture, xt_diag_t *diag)
{
	const char *program = d->arguments[0];
	posix_spawn_file_actions_t actions;
	int error, way[2], whole, late;
	unsigned seconds;
	double end_s;
	pid_t child;

	if ((error = xt_wait_seconds(MOST_SECONDS, &seconds, diag)) != XT_OK) {
		return error;
	}
	if (pipe2(way, O_CLOEXEC) != 0) {
		return xt_fail(diag, XT_ERR_IO, "%s cannot be run: %s", program, strerror(errno));
	}
	end_s = xt_now_s() + seconds;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, way[1], STDOUT_FILENO);
	error = posix_spawnp(&child, program, &actions, NULL, (char **)d->arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(way[1]);
	if (error != 0) {
		close(way[0]);
		return xt_fail(
			diag, XT_ERR_IO, "%s cannot be run: %s; install %s", program, strerror(error), d->remedy);
	}
	whole = copy_picture(way[0], picture, end_s);
	/* The pipe closes last: a program that still writes would die of it, and its lateness would be lost. */
	whole &= end_program(child, end_s, &late);
	close(way[0]);
	if (late) {
		return xt_fail(
			diag, XT_ERR_IO, "%s took over %u s; draw less, or set EXTORUS_WAIT_SECONDS", program, seconds);
	}
	return whole ? XT_OK : xt_fail(diag, XT_ERR_IO, "%s failed to draw %s", program, d->failure);
}

int xt_draw(void *drawing, FILE *picture, xt_diag_t *diag)
{
	const xt_drawing_t *d = drawing;
	FILE *script = tmpfile();
	int status;

	if (!script) {
		return xt_fail(diag, XT_ERR_IO, "no temporary file can be made: %s", strerror(errno));
	}
	status = d->write(d->context, script, diag);
	if (status == XT_OK && (fflush(script) != 0 || ferror(script) || fseek(script, 0, SEEK_SET) != 0)) {
		status = xt_fail(diag, XT_ERR_IO, "writing a temporary file failed: %s", strerror(errno));
	}
	if (status == XT_OK) {
		status = run_program(d, script, picture, diag);
	}
	fclose(script);
	return status;
}

static int is_svg(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

int xt_write_graph(const char *path, int svg, const char *program, const char *option, xt_write_t write, void *context,
	xt_diag_t *diag)
{
	xt_drawing_t drawing = {.arguments = {program, "-Tsvg", option},
		.remedy = "Graphviz (apt install graphviz) or write a .dot file instead",
		.failure = "the graph; write a .dot file instead",
		.write = write,
		.context = context};

	return svg || is_svg(path) ? xt_write_file(path, xt_draw, &drawing, diag)
				   : xt_write_file(path, write, context, diag);
}
