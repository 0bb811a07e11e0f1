/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PYTHON_CSRC_ORDER_H
#define PYTHON_CSRC_ORDER_H

#include "core.h"

/**
 * struct entry - one queued object and the library's request for it
 * @req: of the library
 * @keys: what req.keys points to; owned
 * @object: owned
 * @known: does the dict hold it, though it may not wait?
 * @next: of all entries
 * @prev: the same
 */
struct entry {
	struct fw_request req;
	struct fw_key *keys;
	PyObject *object;
	bool known;
	struct entry *next;
	struct entry *prev;
};

/**
 * struct order_object - fairway.Order
 * @order: the library's
 * @cache: fairway.Cache, or NULL
 * @entries: dict from the address of an object to that of its entry
 * @first: first of all entries
 * @last: the entry that was admitted last, while it can be taken back. Nobody
 *	else frees it; what is known outlives that
 */
struct order_object {
	PyObject_HEAD struct fw_order *order;
	PyObject *cache;
	PyObject *entries;
	struct entry *first;
	struct entry *last;
};

/* With all that its cache was told. */
static inline struct order_object *order_of(PyObject *object)
{
	struct order_object *self = (struct order_object *)object;

	if (self->cache)
		cache_settle(self->cache);
	return self;
}

/* The entry of an object, NULL when it is not known; or with an exception. */
struct entry *entry_find(struct order_object *self, PyObject *object);

/* One that is in no dict yet; takes a reference to @object. */
struct entry *entry_new(struct order_object *self, PyObject *object);

/* Put it into the dict, or take it out. 0, or -1 with an exception. */
int entry_enter(struct order_object *self, struct entry *entry);
int entry_leave(struct order_object *self, struct entry *entry);

void entry_free(struct order_object *self, struct entry *entry);

/* The last admission can be taken back no more. */
void entry_forget_last(struct order_object *self);

/* add(object, length, arrival, keys=None, hit=0, tenant=0), as an array. */
#define ORDER_ADD_LEAST 3
#define ORDER_ADD_MOST 6
int order_queue(struct order_object *self, PyObject *const *args,
		Py_ssize_t num);

/**
 * struct order_settings - keywords of fairway.Order
 * @config: of the library
 * @cache: fairway.Cache, borrowed; NULL for none
 * @table: what config.table points to; owned
 * @weights: what config.tenant_weights points to; owned
 */
struct order_settings {
	struct fw_order_config config;
	PyObject *cache;
	struct fw_cost_point *table;
	struct fw_tenant_weight *weights;
};

/* 0, or -1 with an exception. To be freed in both cases. */
int order_settings_read(struct order_settings *settings, PyObject *args,
			PyObject *kwargs);
void order_settings_free(struct order_settings *settings);

/* Their rows. 0, or -1 with an exception. */
int order_read_table(PyObject *list, struct order_settings *to);
int order_read_weights(PyObject *mapping, struct order_settings *to);

/* Methods of a pass, and of what it is told before. */
PyObject *order_outside(PyObject *self, PyObject *const *args, Py_ssize_t num);
PyObject *order_begin(PyObject *self, PyObject *const *args, Py_ssize_t num);
PyObject *order_peek(PyObject *self, PyObject *unused);
PyObject *order_head(PyObject *self, PyObject *unused);
PyObject *order_explain(PyObject *self, PyObject *unused);
PyObject *order_admit(PyObject *self, PyObject *const *args, Py_ssize_t num);
PyObject *order_skip(PyObject *self, PyObject *unused);
PyObject *order_end(PyObject *self, PyObject *unused);

#endif
