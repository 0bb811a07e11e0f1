/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_CSRC_CORE_H
#define PYTHON_CSRC_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <structmember.h>

#include <fairway/cache.h>
#include <fairway/order.h>
#include <fairway/runtime.h>

/*
 * The extension module fairway._core, by CPython's stable ABI: one wheel for
 * 3.10 and all that come later.
 *
 * All of it runs under the GIL and never gives it up: each call takes less time
 * than that would. The library calls nothing back, so no Python code runs
 * inside of it. Objects are told apart by identity, so that none of their
 * methods runs either while a structure is half changed.
 */

/* Events that the library gets together, since it fetches their memory so. */
#define CACHE_EVENTS 64

/**
 * struct cache_object - fairway.Cache
 * @cache: the library's; by cache_of(), which tells it all events first
 * @events: those that it was not told yet
 * @num_events: of them
 */
struct cache_object {
	PyObject_HEAD struct fw_cache *cache;
	struct fw_cache_event events[CACHE_EVENTS];
	uint32_t num_events;
};

extern PyTypeObject *cache_type;
extern PyType_Spec cache_spec;
extern PyType_Spec order_spec;
extern PyType_Spec block_map_spec;

/* Tell the library's cache the events that wait. */
static inline void cache_settle(PyObject *object)
{
	struct cache_object *self = (struct cache_object *)object;

	if (!self->num_events)
		return;
	fw_cache_apply(self->cache, self->events, self->num_events);
	self->num_events = 0;
}

/* The library's cache of a fairway.Cache. */
static inline struct fw_cache *cache_of(PyObject *object)
{
	cache_settle(object);
	return ((struct cache_object *)object)->cache;
}

/* An event, which counts before anything else is asked. */
static inline void cache_tell(PyObject *object,
			      const struct fw_cache_event *event)
{
	struct cache_object *self = (struct cache_object *)object;

	if (self->num_events == CACHE_EVENTS)
		cache_settle(object);
	self->events[self->num_events++] = *event;
}

/* Raise what a negative errno of the library means. Returns NULL. */
PyObject *raise_errno(int ret);

/* A whole number of 32 or 64 bits. 0, or -1 with an exception. */
int read_u32(PyObject *object, const char *name, uint32_t *value);
int read_u64(PyObject *object, const char *name, uint64_t *value);
int read_i64(PyObject *object, const char *name, int64_t *value);

/*
 * The same for a setting that is at least 1. In C a 0 asks for the default;
 * here it is out of range, and NULL leaves @value as it is.
 */
int read_count(PyObject *object, const char *name, uint32_t *value);

/* A number in thousandths, at least one. 0, or -1 with an exception. */
int read_thousandths(double value, const char *name, uint32_t *to);

/* Raise ValueError. Returns -1. */
int out_of_range(const char *name);

/* A key from bytes of 16 or 32. 0, or -1 with an exception. */
int read_key(PyObject *object, struct fw_key *key);

/**
 * read_keys() - keys from a list or tuple of bytes
 * @list: the list; None for no keys
 * @keys: allocated, NULL for none; free with PyMem_Free()
 * @num: of them
 *
 * Return: 0, or -1 with an exception.
 */
int read_keys(PyObject *list, struct fw_key **keys, uint32_t *num);

#endif
