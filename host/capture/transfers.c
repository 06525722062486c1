/* SPDX-License-Identifier: Apache-2.0
 *
 * Transfers that have begun: which request stands for which. MPI may give several sends that are over the same
 * request, which then stands for the oldest of them. */
#include <pthread.h>
#include <stdlib.h>

#include "record.h"

enum { BUCKETS = 4096 };

/* A transfer under way, or a persistent request; its place is its number. */
typedef struct {
	uintptr_t key; /* the request or the message */
	int next;      /* of the bucket, or of the free ones; -1: none */
	int transfer;  /* of a persistent request: the transfer that was started, or -1 */
	uint8_t receives, message, persistent, collective;
	xt_communicator_t *any; /* of a receive from any source: whose ranks the source is one of */
	int peer, tag;          /* of a persistent request */
	MPI_Count count;
	MPI_Datatype type;
	MPI_Comm comm;
} transfer_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static transfer_t *transfers;
static int room, first_free = -1;
static int buckets[BUCKETS]; /* 1 + the first, as none is 0 */

static unsigned bucket_of(uintptr_t key)
{
	return (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 52);
}

/* All below are called with the lock. */

static int take(void)
{
	int i;

	if (first_free < 0) {
		int more = room ? 2 * room : 256;
		transfer_t *larger = realloc(transfers, (size_t)more * sizeof(*larger));

		if (!larger) {
			return -1;
		}
		transfers = larger;
		for (i = more; i-- > room;) {
			transfers[i] = (transfer_t){.next = first_free};
			first_free = i;
		}
		room = more;
	}
	i = first_free;
	first_free = transfers[i].next;
	transfers[i] = (transfer_t){.next = -1, .transfer = -1};
	return i;
}

static void give(int i)
{
	transfers[i].next = first_free;
	first_free = i;
}

/* At the end: the oldest of the same key is found first. */
static void put(int i, uintptr_t key)
{
	int *at = &buckets[bucket_of(key)];

	transfers[i].key = key;
	transfers[i].next = -1;
	while (*at) {
		int next = *at - 1;

		if (transfers[next].next < 0) {
			transfers[next].next = i;
			return;
		}
		next = transfers[next].next;
		while (transfers[next].next >= 0) {
			next = transfers[next].next;
		}
		transfers[next].next = i;
		return;
	}
	*at = i + 1;
}

static int find(uintptr_t key, int message)
{
	int i = buckets[bucket_of(key)] - 1;

	while (i >= 0 && (transfers[i].key != key || transfers[i].message != message)) {
		i = transfers[i].next;
	}
	return i;
}

static void cut(int i)
{
	int *first = &buckets[bucket_of(transfers[i].key)], at = *first - 1;

	if (at == i) {
		*first = transfers[i].next + 1;
		return;
	}
	while (transfers[at].next != i) {
		at = transfers[at].next;
	}
	transfers[at].next = transfers[i].next;
}

/* ---------------------------------------------------------------- messages */

static MPI_Count size_of(MPI_Datatype type)
{
	MPI_Count size = 0;

	PMPI_Type_size_x(type, &size);
	return size < 0 ? 0 : size;
}

/* Its rank in MPI_COMM_WORLD; negative: none. */
static int64_t world_rank(const xt_communicator_t *c, int peer)
{
	return c && peer >= 0 && peer < c->peers ? c->world[peer] : -1;
}

static int begin(int receives)
{
	int i;

	pthread_mutex_lock(&lock);
	i = take();
	if (i >= 0) {
		transfers[i].receives = (uint8_t)receives;
	}
	pthread_mutex_unlock(&lock);
	return i;
}

static int send_line(char letter, int transfer, MPI_Count bytes, int64_t to, int tag, const xt_communicator_t *c)
{
	int64_t values[5] = {transfer, c->number, to, tag, bytes};

	xt_line(letter, 5, values, NULL);
	return transfer;
}

int xt_send(MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	const xt_communicator_t *c = xt_communicator(comm);
	int64_t to = world_rank(c, dest);
	int transfer = to < 0 ? -1 : begin(0);

	return transfer < 0 ? -1 : send_line('S', transfer, count * size_of(type), to, tag, c);
}

void xt_sent(MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	const xt_communicator_t *c = xt_communicator(comm);
	int64_t to = world_rank(c, dest);

	if (to >= 0) {
		send_line('s', -1, count * size_of(type), to, tag, c);
	}
}

int xt_receive(int source, int tag, MPI_Comm comm)
{
	xt_communicator_t *c = xt_communicator(comm);
	int64_t from = world_rank(c, source);
	int transfer = !c || (from < 0 && source != MPI_ANY_SOURCE) ? -1 : begin(1);

	if (transfer >= 0 && from < 0) {
		xt_communicator_hold(c);
		pthread_mutex_lock(&lock);
		transfers[transfer].any = c;
		pthread_mutex_unlock(&lock);
	}
	if (transfer >= 0) {
		int64_t values[4] = {transfer, c->number, from, tag == MPI_ANY_TAG ? -1 : tag};

		xt_line('R', 4, values, NULL);
	}
	return transfer;
}

static int64_t bytes_of(const MPI_Status *status)
{
	MPI_Count bytes = 0;

	PMPI_Get_elements_x((MPI_Status *)(uintptr_t)status, MPI_BYTE, &bytes);
	return bytes == MPI_UNDEFINED ? -1 : bytes;
}

void xt_probed(const MPI_Status *status, MPI_Comm comm)
{
	const xt_communicator_t *c = xt_communicator(comm);
	int64_t from = world_rank(c, status->MPI_SOURCE);

	if (from >= 0) {
		int64_t values[3] = {c->number, from, status->MPI_TAG};

		xt_line('P', 3, values, NULL);
	}
}

void xt_probed_message(const MPI_Status *status, MPI_Comm comm, MPI_Message message)
{
	const xt_communicator_t *c = xt_communicator(comm);
	int64_t from = world_rank(c, status->MPI_SOURCE);
	int transfer = from < 0 ? -1 : begin(1);

	if (transfer >= 0) {
		int64_t values[4] = {transfer, c->number, from, status->MPI_TAG};

		xt_line('M', 4, values, NULL);
		pthread_mutex_lock(&lock);
		transfers[transfer].message = 1;
		put(transfer, (uintptr_t)message);
		pthread_mutex_unlock(&lock);
	}
}

int xt_message(MPI_Message message)
{
	int i;

	pthread_mutex_lock(&lock);
	i = find((uintptr_t)message, 1);
	if (i >= 0) {
		cut(i);
		transfers[i].message = 0;
	}
	pthread_mutex_unlock(&lock);
	return i;
}

/* D, of a receive with source, tag and bytes; X: cancelled. The line is written before another transfer has the
 * number. */
void xt_done(int transfer, const MPI_Status *status)
{
	int64_t values[4] = {transfer, -1, -1, -1};
	transfer_t t;
	int cancelled = 0;

	if (transfer < 0) {
		return;
	}
	pthread_mutex_lock(&lock);
	t = transfers[transfer];
	pthread_mutex_unlock(&lock);
	if (status && !t.collective) {
		PMPI_Test_cancelled(status, &cancelled);
	}
	if (t.receives && status && !cancelled) {
		values[1] = t.any ? world_rank(t.any, status->MPI_SOURCE) : -1;
		values[2] = status->MPI_TAG;
		values[3] = bytes_of(status);
	}
	xt_line(cancelled ? 'X' : 'D', t.receives && !cancelled ? 4 : 1, values, NULL);
	if (t.any) {
		xt_communicator_release(t.any);
	}
	pthread_mutex_lock(&lock);
	give(transfer);
	pthread_mutex_unlock(&lock);
}

int xt_transfer_of_collective(void)
{
	int i = begin(0);

	if (i >= 0) {
		pthread_mutex_lock(&lock);
		transfers[i].collective = 1;
		pthread_mutex_unlock(&lock);
	}
	return i;
}

/* ---------------------------------------------------------------- requests */

void xt_bind(int transfer, MPI_Request request)
{
	if (transfer >= 0) {
		pthread_mutex_lock(&lock);
		put(transfer, (uintptr_t)request);
		pthread_mutex_unlock(&lock);
	}
}

void xt_persistent(int send, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request request)
{
	int i;

	pthread_mutex_lock(&lock);
	i = take();
	if (i >= 0) {
		transfer_t *t = &transfers[i];

		t->persistent = 1;
		t->receives = (uint8_t)!send;
		t->count = send ? count * size_of(type) : 0;
		t->peer = peer;
		t->tag = tag;
		t->comm = comm;
		put(i, (uintptr_t)request);
	}
	pthread_mutex_unlock(&lock);
}

void xt_start(MPI_Request request)
{
	transfer_t t = {0};
	int i, transfer;

	pthread_mutex_lock(&lock);
	i = find((uintptr_t)request, 0);
	if (i >= 0) {
		t = transfers[i];
	}
	pthread_mutex_unlock(&lock);
	if (i < 0 || !t.persistent) {
		return;
	}
	transfer = t.receives ? xt_receive(t.peer, t.tag, t.comm) : xt_send(t.count, MPI_BYTE, t.peer, t.tag, t.comm);
	pthread_mutex_lock(&lock);
	transfers[i].transfer = transfer;
	pthread_mutex_unlock(&lock);
}

void xt_free(MPI_Request request)
{
	int i;

	pthread_mutex_lock(&lock);
	i = find((uintptr_t)request, 0);
	if (i >= 0) {
		cut(i);
		if (transfers[i].persistent && transfers[i].transfer >= 0) {
			give(transfers[i].transfer);
		}
		give(i);
	}
	pthread_mutex_unlock(&lock);
}

void xt_request_done(MPI_Request request, const MPI_Status *status)
{
	int i, transfer;

	if (request == MPI_REQUEST_NULL) {
		return;
	}
	pthread_mutex_lock(&lock);
	i = transfer = find((uintptr_t)request, 0);
	if (i >= 0 && transfers[i].persistent) {
		transfer = transfers[i].transfer;
		transfers[i].transfer = -1;
	} else if (i >= 0) {
		cut(i);
	}
	pthread_mutex_unlock(&lock);
	xt_done(transfer, status);
}
