/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"

#include <stdlib.h>
#include <string.h>

static size_t num_cells(size_t size)
{
	return (size + DOUBLE_CELL - 1) / DOUBLE_CELL;
}

struct double_memory *double_find(const void *ptr, size_t size)
{
	const unsigned char *at = ptr;

	for (struct double_memory *m = double_state.memory; m; m = m->next)
		if (at >= m->ptr && at < m->ptr + m->size &&
		    size <= (size_t)(m->ptr + m->size - at))
			return m;
	return NULL;
}

static bool before(uint32_t actor, uint32_t time,
		   const struct double_clock *clock)
{
	return time <= clock->at[actor];
}

static bool all_before(const struct double_clock *reads,
		       const struct double_clock *clock)
{
	for (uint32_t i = 0; i < DOUBLE_ACTORS; i++)
		if (reads->at[i] > clock->at[i])
			return false;
	return true;
}

bool double_access(const void *ptr, size_t size, bool writes,
		   const struct double_clock *clock, uint32_t actor)
{
	struct double_memory *m = double_find(ptr, size);
	const char *what = writes ? "written" : "read";
	size_t first, last;

	if (!m || !m->live) {
		double_wrong_locked("%s: %s memory", what,
				    m ? "freed" : "unknown");
		return false;
	}
	first = (size_t)((const unsigned char *)ptr - m->ptr) / DOUBLE_CELL;
	last = ((size_t)((const unsigned char *)ptr - m->ptr) + size - 1) /
	       DOUBLE_CELL;
	for (size_t i = first; i <= last; i++) {
		struct double_cell *cell = &m->cells[i];

		if (!before(cell->writer, cell->written, clock) ||
		    (writes && !all_before(&cell->read, clock))) {
			double_wrong_locked("%s without a wait for who used "
					    "it before",
					    what);
			return false;
		}
		if (writes) {
			cell->writer = actor;
			cell->written = clock->at[actor];
		} else {
			cell->read.at[actor] = clock->at[actor];
		}
	}
	return true;
}

bool double_host_reads(const void *ptr, size_t size)
{
	struct double_state *d = &double_state;
	bool ret;

	pthread_mutex_lock(&d->lock);
	ret = double_access(ptr, size, false, &d->host, 0);
	pthread_mutex_unlock(&d->lock);
	return ret;
}

static bool by_stream(const void *ptr, size_t size, bool writes)
{
	struct CUstream_st *s = double_in_stream;
	struct double_memory *m;
	bool ret;

	pthread_mutex_lock(&double_state.lock);
	m = double_find(ptr, size);
	if (m && m->device >= 0 && m->device != s->device)
		double_wrong_locked("memory of another device");
	ret = double_access(ptr, size, writes, &s->clock, s->actor);
	pthread_mutex_unlock(&double_state.lock);
	return ret;
}

bool double_reads(const void *ptr, size_t size)
{
	return by_stream(ptr, size, false);
}

bool double_writes(const void *ptr, size_t size)
{
	return by_stream(ptr, size, true);
}

/* FNV-1a. */
uint64_t double_sum(const void *ptr, size_t size)
{
	const unsigned char *bytes = ptr;
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3;
	return sum;
}

static cudaError_t take(void **ptr, size_t size, int device)
{
	struct double_memory *m = calloc(1, sizeof(*m));

	if (!m)
		return cudaErrorMemoryAllocation;
	*m = (struct double_memory){
		.next = double_state.memory,
		.ptr = malloc(size ? size : 1),
		.size = size,
		.device = device,
		.live = true,
		.cells = calloc(num_cells(size) + 1, sizeof(*m->cells)),
	};
	if (!m->ptr || !m->cells)
		abort();
	/* A device's memory is not zeroed, and must not be taken for it. */
	memset(m->ptr, 0xa5, size);
	double_state.memory = m;
	*ptr = m->ptr;
	return cudaSuccess;
}

static bool used_by(const struct double_op *op, const struct double_memory *m)
{
	return op->kind == DOUBLE_COPY &&
	       (double_find(op->src, op->size) == m ||
		double_find(op->dst, op->size) == m);
}

/* An access that the host was not told the end of, or one that is to come. */
static bool in_use(const struct double_memory *m)
{
	const struct double_state *d = &double_state;

	for (struct CUstream_st *s = d->streams; s; s = s->next)
		for (const struct double_op *op = s->first; op; op = op->next)
			if (used_by(op, m))
				return true;
	for (size_t i = 0; i < num_cells(m->size); i++)
		if (!before(m->cells[i].writer, m->cells[i].written,
			    &d->host) ||
		    !all_before(&m->cells[i].read, &d->host))
			return true;
	return false;
}

/* What a device did that is lost is over. */
static bool any_dead(void)
{
	for (int i = 0; i < DOUBLE_DEVICES; i++)
		if (double_state.dead[i] != cudaSuccess)
			return true;
	return false;
}

static cudaError_t give(const char *name, void *ptr, bool pinned)
{
	struct double_memory *m = ptr ? double_find(ptr, 0) : NULL;

	if (!m || !m->live || m->ptr != ptr || (m->device < 0) != pinned) {
		double_wrong_locked("%s of what is not there", name);
		return cudaErrorInvalidValue;
	}
	if (!any_dead() && in_use(m))
		double_wrong_locked("%s of memory that is in use", name);
	m->live = false;
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **ptr, size_t size)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);

	if (err == cudaSuccess)
		err = take(ptr, size, double_device);
	return double_leave(err);
}

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned int flags)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);

	(void)flags;
	if (err == cudaSuccess)
		err = take(ptr, size, -1);
	return double_leave(err);
}

/* An error that a release returns is that of earlier work: it has released. */
cudaError_t cudaFree(void *ptr)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);
	cudaError_t own = give(__func__, ptr, false);

	return double_leave(err != cudaSuccess ? err : own);
}

cudaError_t cudaFreeHost(void *ptr)
{
	cudaError_t err = double_enter(__func__, DOUBLE_SLOW);
	cudaError_t own = give(__func__, ptr, true);

	return double_leave(err != cudaSuccess ? err : own);
}

void double_memory_end(void)
{
	struct double_memory *m;

	while ((m = double_state.memory)) {
		double_state.memory = m->next;
		if (m->live && !double_state.forgive)
			double_wrong_locked("%zu bytes of %s memory left",
					    m->size,
					    m->device < 0 ? "pinned"
							  : "device");
		free(m->ptr);
		free(m->cells);
		free(m);
	}
}
