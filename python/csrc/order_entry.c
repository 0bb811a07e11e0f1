/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <string.h>

struct entry *entry_find(struct order_object *self, PyObject *object)
{
	PyObject *address = PyLong_FromVoidPtr(object), *found;

	if (!address)
		return NULL;
	found = PyDict_GetItemWithError(self->entries, address);
	Py_DECREF(address);
	return found ? PyLong_AsVoidPtr(found) : NULL;
}

struct entry *entry_new(struct order_object *self, PyObject *object)
{
	struct entry *entry = PyMem_Calloc(1, sizeof(*entry));

	if (!entry) {
		PyErr_NoMemory();
		return NULL;
	}
	Py_INCREF(object);
	entry->object = object;
	entry->next = self->first;
	if (entry->next)
		entry->next->prev = entry;
	self->first = entry;
	return entry;
}

int entry_enter(struct order_object *self, struct entry *entry)
{
	PyObject *address = PyLong_FromVoidPtr(entry->object);
	PyObject *value = PyLong_FromVoidPtr(entry);
	int ret = -1;

	if (address && value)
		ret = PyDict_SetItem(self->entries, address, value);
	if (!ret)
		entry->known = true;
	Py_XDECREF(address);
	Py_XDECREF(value);
	return ret;
}

int entry_leave(struct order_object *self, struct entry *entry)
{
	PyObject *address = PyLong_FromVoidPtr(entry->object);
	int ret = address ? PyDict_DelItem(self->entries, address) : -1;

	Py_XDECREF(address);
	if (!ret)
		entry->known = false;
	return ret;
}

void entry_free(struct order_object *self, struct entry *entry)
{
	PyObject *object = entry->object;

	if (entry->next)
		entry->next->prev = entry->prev;
	if (entry->prev)
		entry->prev->next = entry->next;
	else
		self->first = entry->next;
	PyMem_Free(entry->keys);
	PyMem_Free(entry);
	/* Last: it may run a destructor, which may call the order. */
	Py_DECREF(object);
}

void entry_forget_last(struct order_object *self)
{
	struct entry *last = self->last;

	self->last = NULL;
	if (last && !last->known)
		entry_free(self, last);
}

/* The arguments of add(), into a request that is not queued or a copy. */
static int read_request(PyObject *const *args, Py_ssize_t num,
			struct fw_request *req, struct fw_key **keys)
{
	if (read_i64(args[2], "arrival", &req->arrival))
		return -1;
	if (read_u32(args[1], "length", &req->len))
		return -1;
	req->hit = 0;
	if (num > 4 && read_u32(args[4], "hit", &req->hit))
		return -1;
	if (num > 5 && read_u64(args[5], "tenant", &req->tenant))
		return -1;
	*keys = NULL;
	req->num_keys = 0;
	if (num > 3 && read_keys(args[3], keys, &req->num_keys))
		return -1;
	req->keys = *keys;
	return 0;
}

static int add_new(struct order_object *self, struct entry *entry)
{
	int ret = fw_order_add(self->order, &entry->req);

	if (ret) {
		raise_errno(ret);
		return -1;
	}
	if (!entry_enter(self, entry))
		return 0;
	fw_order_remove(self->order, &entry->req);
	return -1;
}

static int queue_new(struct order_object *self, PyObject *const *args,
		     Py_ssize_t num)
{
	struct entry *entry = entry_new(self, args[0]);

	if (!entry)
		return -1;
	if (!read_request(args, num, &entry->req, &entry->keys) &&
	    !add_new(self, entry))
		return 0;
	entry_free(self, entry);
	return -1;
}

/* Its old keys stay until the library reads the new ones. */
static int update(struct order_object *self, struct entry *entry,
		  PyObject *const *args, Py_ssize_t num)
{
	struct fw_request *req = &entry->req, old = *req, new = *req;
	struct fw_key *keys;
	int ret;

	if (read_request(args, num, &new, &keys))
		return -1;
	if (new.tenant != old.tenant) {
		PyMem_Free(keys);
		PyErr_SetString(PyExc_ValueError, "it has another tenant");
		return -1;
	}
	*req = new;
	ret = fw_order_add(self->order, req);
	if (ret) {
		req->len = old.len;
		req->arrival = old.arrival;
		req->hit = old.hit;
		req->keys = old.keys;
		req->num_keys = old.num_keys;
		PyMem_Free(keys);
		raise_errno(ret);
		return -1;
	}
	PyMem_Free(entry->keys);
	entry->keys = keys;
	if (self->last == entry && entry->known)
		self->last = NULL;
	return 0;
}

/* What was admitted last comes back: it keeps its rank. */
static int take_back(struct order_object *self, PyObject *const *args,
		     Py_ssize_t num)
{
	struct entry *entry = self->last;

	if (update(self, entry, args, num))
		return -1;
	if (!entry_enter(self, entry)) {
		self->last = NULL;
		return 0;
	}
	fw_order_remove(self->order, &entry->req);
	return -1;
}

int order_queue(struct order_object *self, PyObject *const *args,
		Py_ssize_t num)
{
	struct entry *entry;

	if (num < ORDER_ADD_LEAST || num > ORDER_ADD_MOST) {
		PyErr_SetString(
			PyExc_TypeError,
			"add(object, length, arrival, keys, hit, tenant)");
		return -1;
	}
	entry = entry_find(self, args[0]);
	if (PyErr_Occurred())
		return -1;
	if (entry)
		return update(self, entry, args, num);
	if (self->last && self->last->object == args[0])
		return take_back(self, args, num);
	return queue_new(self, args, num);
}
