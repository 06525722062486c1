/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics_server.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options/monotonic.h"
#include "report/counter_report.h"
#include "report/metrics_text.h"

/* For a client to ask, to take the answer and to go; and the age of the text that is given again. */
static const double client_s = 5, fresh_s = 1;

void xt_metrics_server_begin(xt_metrics_server_t *server, xt_device_t *device, const xt_listener_t *listener)
{
	*server = (xt_metrics_server_t){.device = device, .listener = listener};
	for (unsigned i = 0; i < XT_METRICS_CLIENTS; i++) {
		server->clients[i].fd = -1;
	}
}

static void dismiss(xt_metrics_client_t *client)
{
	close(client->fd);
	free(client->answer);
	client->answer = NULL;
	client->fd = -1;
}

void xt_metrics_server_end(xt_metrics_server_t *server)
{
	for (unsigned i = 0; i < XT_METRICS_CLIENTS; i++) {
		if (server->clients[i].fd >= 0) {
			dismiss(&server->clients[i]);
		}
	}
	free(server->text);
}

void xt_metrics_server_await(const xt_metrics_server_t *s, struct pollfd *polled)
{
	for (unsigned i = 0; i < XT_MOST_LISTENERS; i++) {
		polled[i] = (struct pollfd){.fd = i < s->listener->count ? s->listener->fd[i] : -1, .events = POLLIN};
	}
	for (unsigned i = 0; i < XT_METRICS_CLIENTS; i++) {
		const xt_metrics_client_t *client = &s->clients[i];

		polled[XT_MOST_LISTENERS + i] = (struct pollfd){
			.fd = client->fd, .events = client->answer && client->sent < client->size ? POLLOUT : POLLIN};
	}
}

/* If there are too many clients, the one that came first must go. */
static void accept_client(xt_metrics_server_t *s, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	xt_metrics_client_t *place = s->clients;

	if (fd < 0) {
		return;
	}
	for (xt_metrics_client_t *client = s->clients; client < s->clients + XT_METRICS_CLIENTS && place->fd >= 0;
		client++) {
		if (client->fd < 0 || client->since < place->since) {
			place = client;
		}
	}
	if (place->fd >= 0) {
		dismiss(place);
	}
	place->fd = fd;
	place->since = xt_now_s();
	place->received = place->size = place->sent = 0;
}

/* False: no memory, or a card does not answer. */
static bool refresh(xt_metrics_server_t *s)
{
	xt_diag_t diag = {""};
	json_t *counters;
	FILE *out;
	bool good;

	if (s->text && xt_now_s() - s->made < fresh_s) {
		return true;
	}
	free(s->text);
	s->text = NULL;
	counters = xt_counters_json(s->device, 0, xt_device_cards(s->device), &diag);
	if (!counters) {
		fprintf(stderr, "extorus serve: --metrics: %s\n", diag.text);
		return false;
	}
	out = open_memstream(&s->text, &s->size);
	if (out) {
		xt_metrics_write(xt_device_profile(s->device), xt_device_cards(s->device), counters, out);
	}
	json_decref(counters);
	good = out && !ferror(out);
	good = out && fclose(out) == 0 && good;
	if (!good) {
		free(s->text);
		s->text = NULL;
	}
	s->made = xt_now_s();
	return good;
}

static void answer(
	xt_metrics_client_t *client, const char *status, const char *type, const char *body, size_t size, bool head)
{
	FILE *out = open_memstream(&client->answer, &client->size);

	if (!out) {
		dismiss(client);
		return;
	}
	fprintf(out,
		"HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n%s\r\n",
		status, type, size, strncmp(status, "405", 3) == 0 ? "Allow: GET, HEAD\r\n" : "");
	if (!head) {
		fwrite(body, 1, size, out);
	}
	if (fclose(out) != 0) {
		dismiss(client);
	}
}

static void answer_text(xt_metrics_client_t *client, const char *status)
{
	char body[80];
	int size = snprintf(body, sizeof(body), "%s\n", status);

	answer(client, status, "text/plain", body, (size_t)size, false);
}

/* The first line of a request is METHOD PATH HTTP/1.x. */
static void answer_request(xt_metrics_server_t *s, xt_metrics_client_t *client)
{
	char *method = client->request, *path, *version, *end = strpbrk(client->request, "\r\n");
	bool head;

	*end = '\0';
	path = strchr(method, ' ');
	version = path ? strchr(path + 1, ' ') : NULL;
	if (!version || strncmp(version + 1, "HTTP/1.", 7) != 0) {
		answer_text(client, "400 Bad Request");
		return;
	}
	*path++ = *version = '\0';
	path[strcspn(path, "?")] = '\0';
	head = strcmp(method, "HEAD") == 0;
	if (!head && strcmp(method, "GET") != 0) {
		answer_text(client, "405 Method Not Allowed");
	} else if (strcmp(path, "/metrics") != 0) {
		answer_text(client, strcmp(path, "/") == 0 ? "200 OK: the metrics are at /metrics" : "404 Not Found");
	} else if (!refresh(s)) {
		answer_text(client, "503 Service Unavailable");
	} else {
		answer(client, "200 OK", "text/plain; version=0.0.4", s->text, s->size, head);
	}
}

/* Takes what has come; after the answer that is thrown away, until the client goes. */
static void hear(xt_metrics_server_t *s, xt_metrics_client_t *client)
{
	char *to = client->request + (client->answer ? 0 : client->received);
	size_t room = XT_METRICS_REQUEST - 1 - (client->answer ? 0 : client->received);
	ssize_t got = recv(client->fd, to, room, 0);

	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
		dismiss(client);
		return;
	}
	if (got < 0 || client->answer) {
		return;
	}
	client->received += (size_t)got;
	client->request[client->received] = '\0';
	if (strlen(client->request) != client->received) {
		answer_text(client, "400 Bad Request");
	} else if (strstr(client->request, "\r\n\r\n") || strstr(client->request, "\n\n")) {
		answer_request(s, client);
	} else if (client->received == XT_METRICS_REQUEST - 1) {
		answer_text(client, "431 Request Header Fields Too Large");
	}
}

static void tell(xt_metrics_client_t *client)
{
	ssize_t sent = send(client->fd, client->answer + client->sent, client->size - client->sent, MSG_NOSIGNAL);

	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		dismiss(client);
		return;
	}
	client->sent += sent > 0 ? (size_t)sent : 0;
	if (client->sent == client->size) {
		shutdown(client->fd, SHUT_WR);
	}
}

void xt_metrics_server_attend(xt_metrics_server_t *s, const struct pollfd *polled)
{
	for (unsigned i = 0; i < XT_METRICS_CLIENTS; i++) {
		xt_metrics_client_t *client = &s->clients[i];
		const struct pollfd *here = &polled[XT_MOST_LISTENERS + i];

		if (client->fd < 0) {
			continue;
		}
		if (here->fd == client->fd && here->revents) {
			if (client->answer && client->sent < client->size) {
				tell(client);
			} else {
				hear(s, client);
			}
		}
		if (client->fd >= 0 && xt_now_s() - client->since > client_s) {
			dismiss(client);
		}
	}
	for (unsigned i = 0; i < s->listener->count; i++) {
		if (polled[i].revents) {
			accept_client(s, s->listener->fd[i]);
		}
	}
}
