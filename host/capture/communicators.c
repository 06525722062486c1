/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of a communicator is an attribute of the communicator, and goes with it. A key tells communicators of
 * the same ranks from each other: the calls that made them, which all ranks make in the same order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static int keyval = MPI_KEYVAL_INVALID;
static uint32_t next_number;
static MPI_Group world_group = MPI_GROUP_NULL;

static void free_communicator(xt_communicator_t *c)
{
	if (c) {
		free(c->world);
		free(c->key);
		free(c);
	}
}

void xt_communicator_hold(xt_communicator_t *c)
{
	__atomic_fetch_add(&c->users, 1, __ATOMIC_RELAXED);
}

void xt_communicator_release(xt_communicator_t *c)
{
	if (__atomic_sub_fetch(&c->users, 1, __ATOMIC_ACQ_REL) == 0) {
		free_communicator(c);
	}
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)extra;
	xt_communicator_release(value);
	return MPI_SUCCESS;
}

/* *world is the caller's; NULL when out of memory. */
static int *world_ranks(MPI_Group group, int *size)
{
	int *local, *world;

	PMPI_Group_size(group, size);
	local = malloc(((size_t)*size + 1) * sizeof(*local));
	world = malloc(((size_t)*size + 1) * sizeof(*world));
	for (int i = 0; local && i < *size; i++) {
		local[i] = i;
	}
	if (local && world) {
		PMPI_Group_translate_ranks(group, *size, local, world_group, world);
		for (int i = 0; i < *size; i++) {
			world[i] = world[i] == MPI_UNDEFINED ? -1 : world[i];
		}
	}
	free(local);
	return world;
}

/* Ranks as a-b:step, which is short for most groups. */
static void print_ranks(FILE *out, const int *ranks, int count)
{
	for (int i = 0; i < count;) {
		/* Those started later are no ranks of the trace. */
		if (ranks[i] < 0) {
			i++;
			continue;
		}

		int step = i + 1 < count ? ranks[i + 1] - ranks[i] : 1, end = i + 1;

		while (end < count && step > 0 && ranks[end] - ranks[end - 1] == step) {
			end++;
		}
		fprintf(out, " %d", ranks[i]);
		if (end - i > 1) {
			fprintf(out, "-%d", ranks[end - 1]);
		}
		if (end - i > 1 && step > 1) {
			fprintf(out, ":%d", step);
		}
		i = end;
	}
}

/* Both groups of an intercommunicator, the one with the lower first rank first, are the same text on both sides. */
static void declare(const xt_communicator_t *c, const int *own, int own_size)
{
	int64_t values[2] = {c->number, c->rank};
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	int other_first = c->inter && c->peers && own_size && c->world[0] < own[0];

	if (!out) {
		return;
	}
	fputs(c->key, out);
	if (other_first) {
		print_ranks(out, c->world, c->peers);
	}
	print_ranks(out, own, own_size);
	if (c->inter && !other_first) {
		print_ranks(out, c->world, c->peers);
	}
	fclose(out);
	xt_line('C', 2, values, text);
	free(text);
}

static xt_communicator_t *add(MPI_Comm comm, const char *key)
{
	xt_communicator_t *c = calloc(1, sizeof(*c));
	MPI_Group group;
	int *own, own_size;

	if (!c || !(c->key = strdup(key))) {
		free_communicator(c);
		return NULL;
	}
	PMPI_Comm_test_inter(comm, &c->inter);
	PMPI_Comm_rank(comm, &c->rank);
	PMPI_Comm_size(comm, &c->ranks);
	PMPI_Comm_group(comm, &group);
	own = world_ranks(group, &own_size);
	PMPI_Group_free(&group);
	if (c->inter) {
		PMPI_Comm_remote_group(comm, &group);
		c->world = world_ranks(group, &c->peers);
		PMPI_Group_free(&group);
	} else {
		c->world = own;
		c->peers = own_size;
	}
	for (int i = 0; own && i < own_size; i++) {
		c->foreign |= own[i] < 0;
	}
	c->users = 1;
	c->number = __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
	if (own && c->world) {
		declare(c, own, own_size);
	}
	if (c->inter) {
		free(own);
	}
	if (!c->world || PMPI_Comm_set_attr(comm, keyval, c) != MPI_SUCCESS) {
		free_communicator(c);
		return NULL;
	}
	return c;
}

xt_communicator_t *xt_communicator(MPI_Comm comm)
{
	void *value = NULL;
	int found = 0;

	if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS) {
		return NULL;
	}
	/* Made in a way that is not followed. */
	return found ? value : add(comm, "?");
}

void xt_communicators_begin(void)
{
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
	PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
	add(MPI_COMM_WORLD, "world");
	add(MPI_COMM_SELF, "self");
}

void xt_communicator_made(MPI_Comm parent, MPI_Comm child)
{
	xt_communicator_t *p = xt_communicator(parent);
	char *key = NULL;

	if (p && asprintf(&key, "%s.%u", p->key, p->children++) > 0 && child != MPI_COMM_NULL) {
		add(child, key);
	}
	free(key);
}

void xt_communicator_agreed(const char *how, int number, MPI_Comm child)
{
	char key[64];

	if (child != MPI_COMM_NULL) {
		snprintf(key, sizeof(key), "%s%d", how, number);
		add(child, key);
	}
}
