/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

static struct order_object *order_open(PyTypeObject *type,
				       const struct order_settings *settings)
{
	struct order_object *self =
		(struct order_object *)PyType_GenericAlloc(type, 0);
	int ret;

	if (self)
		self->entries = PyDict_New();
	if (!self || !self->entries) {
		Py_XDECREF(self);
		return NULL;
	}
	ret = fw_order_open(&self->order, &settings->config);
	if (ret) {
		Py_DECREF(self);
		raise_errno(ret);
		return NULL;
	}
	Py_XINCREF(settings->cache);
	self->cache = settings->cache;
	return self;
}

static PyObject *order_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct order_settings settings;
	struct order_object *self = NULL;

	if (!order_settings_read(&settings, args, kwargs))
		self = order_open(type, &settings);
	order_settings_free(&settings);
	return (PyObject *)self;
}

static int order_traverse(PyObject *object, visitproc visit, void *arg)
{
	struct order_object *self = (struct order_object *)object;

	Py_VISIT(Py_TYPE(object));
	Py_VISIT(self->cache);
	Py_VISIT(self->entries);
	for (struct entry *e = self->first; e; e = e->next)
		Py_VISIT(e->object);
	return 0;
}

/* Lets all objects go. The order stays, and is empty. */
static int order_clear(PyObject *object)
{
	struct order_object *self = (struct order_object *)object;

	self->last = NULL;
	while (self->first) {
		struct entry *entry = self->first;

		fw_order_remove(self->order, &entry->req);
		if (self->entries)
			entry_leave(self, entry);
		PyErr_Clear();
		entry_free(self, entry);
	}
	return 0;
}

static void order_dealloc(PyObject *object)
{
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
	struct order_object *self = (struct order_object *)object;

	PyObject_GC_UnTrack(object);
	if (self->order)
		order_clear(object);
	fw_order_close(self->order);
	Py_CLEAR(self->entries);
	Py_CLEAR(self->cache);
	release(object);
	Py_DECREF(type);
}

static PyObject *order_add(PyObject *self, PyObject *const *args,
			   Py_ssize_t num)
{
	if (order_queue(order_of(self), args, num))
		return NULL;
	Py_RETURN_NONE;
}

static int add_row(struct order_object *self, PyObject *row)
{
	PyObject *args[ORDER_ADD_MOST];
	Py_ssize_t num = PyTuple_Check(row) ? PyTuple_Size(row) : 0;

	if (num < ORDER_ADD_LEAST || num > ORDER_ADD_MOST) {
		PyErr_SetString(PyExc_TypeError,
				"rows are tuples of three to six");
		return -1;
	}
	for (Py_ssize_t i = 0; i < num; i++)
		args[i] = PyTuple_GetItem(row, i);
	return order_queue(self, args, num);
}

static PyObject *order_add_many(PyObject *self, PyObject *rows)
{
	Py_ssize_t num = PyList_Check(rows) ? PyList_Size(rows) : -1;

	if (num < 0) {
		PyErr_SetString(PyExc_TypeError, "rows are a list");
		return NULL;
	}
	for (Py_ssize_t i = 0; i < num; i++)
		if (add_row(order_of(self), PyList_GetItem(rows, i)))
			return NULL;
	Py_RETURN_NONE;
}

/* 1 when it was queued, 0 when not, -1 with an exception. */
static int take_out(struct order_object *self, PyObject *object)
{
	struct entry *entry = entry_find(self, object);

	if (!entry)
		return PyErr_Occurred() ? -1 : 0;
	if (entry_leave(self, entry))
		return -1;
	fw_order_remove(self->order, &entry->req);
	/* The pass may still take it back. */
	if (entry != self->last)
		entry_free(self, entry);
	return 1;
}

static PyObject *order_remove(PyObject *self, PyObject *object)
{
	int ret = take_out(order_of(self), object);

	return ret < 0 ? NULL : PyBool_FromLong(ret);
}

static PyObject *order_remove_many(PyObject *self, PyObject *objects)
{
	PyObject *iter = PyObject_GetIter(objects), *object;
	long removed = 0;
	int ret = 0;

	if (!iter)
		return NULL;
	while (ret >= 0 && (object = PyIter_Next(iter))) {
		ret = take_out(order_of(self), object);
		removed += ret > 0;
		Py_DECREF(object);
	}
	Py_DECREF(iter);
	return PyErr_Occurred() ? NULL : PyLong_FromLong(removed);
}

static PyObject *order_set_hit(PyObject *self, PyObject *const *args,
			       Py_ssize_t num)
{
	struct entry *entry;
	uint32_t hit;

	if (num != 2) {
		PyErr_SetString(PyExc_TypeError, "set_hit(object, hit)");
		return NULL;
	}
	if (read_u32(args[1], "hit", &hit))
		return NULL;
	entry = entry_find(order_of(self), args[0]);
	if (!entry)
		return PyErr_Occurred() ? NULL : PyBool_FromLong(0);
	return PyBool_FromLong(
		!fw_order_set_hit(order_of(self)->order, &entry->req, hit));
}

static PyObject *order_hit(PyObject *self, PyObject *object)
{
	struct entry *entry = entry_find(order_of(self), object);
	uint32_t hit;

	if (!entry && PyErr_Occurred())
		return NULL;
	if (!entry || fw_order_hit(order_of(self)->order, &entry->req, &hit))
		Py_RETURN_NONE;
	return PyLong_FromUnsignedLong(hit);
}

static Py_ssize_t order_length(PyObject *self)
{
	struct fw_order_stats s = {.size = sizeof(s)};

	fw_order_read_stats(order_of(self)->order, &s);
	return (Py_ssize_t)s.waiting;
}

/* Does it wait? One that is only known has no hit. */
static int waits(struct order_object *self, struct entry *entry)
{
	uint32_t hit;

	return !fw_order_hit(self->order, &entry->req, &hit);
}

static int order_contains(PyObject *self, PyObject *object)
{
	struct entry *entry = entry_find(order_of(self), object);

	if (!entry)
		return PyErr_Occurred() ? -1 : 0;
	return waits(order_of(self), entry);
}

static PyObject *order_withdraw(PyObject *self, PyObject *object)
{
	struct entry *entry = entry_find(order_of(self), object);

	if (!entry && PyErr_Occurred())
		return NULL;
	if (!entry)
		return PyBool_FromLong(0);
	return PyBool_FromLong(
		!fw_order_remove(order_of(self)->order, &entry->req));
}

static PyObject *order_stats(PyObject *self, PyObject *unused)
{
	struct fw_order_stats s = {.size = sizeof(s)};

	(void)unused;
	fw_order_read_stats(order_of(self)->order, &s);
	return Py_BuildValue("{sKsKsKsKsKsKsKsK}", "waiting",
			     (unsigned long long)s.waiting, "passes",
			     (unsigned long long)s.passes, "admitted_fast",
			     (unsigned long long)s.admitted_fast,
			     "admitted_fair",
			     (unsigned long long)s.admitted_fair, "skipped",
			     (unsigned long long)s.skipped, "overtaken",
			     (unsigned long long)s.overtaken, "bound_broken",
			     (unsigned long long)s.bound_broken, "late",
			     (unsigned long long)s.late);
}

#define FAST(function) ((PyCFunction)(void (*)(void))(function)), METH_FASTCALL

static PyMethodDef methods[] = {
	{"add", FAST(order_add),
	 "add(object, length, arrival, keys=None, hit=0, tenant=0, /)\n--\n\n"
	 "Queue an object, or update one that is queued: a prompt of length\n"
	 "tokens, arrived at so many nanoseconds of the caller's clock.\n"
	 "With a cache keys give its hit; else, or where that is more, hit\n"
	 "does. An update may leave the tenant away, but not change it."},
	{"add_many", order_add_many, METH_O,
	 "add_many(rows, /)\n--\n\nadd() for each tuple of a list."},
	{"remove", order_remove, METH_O,
	 "remove(object, /)\n--\n\nTake it out; was it known?"},
	{"withdraw", order_withdraw, METH_O,
	 "withdraw(object, /)\n--\n\n"
	 "Take it out until add() puts it back in its place; did it wait?"},
	{"remove_many", order_remove_many, METH_O,
	 "remove_many(objects, /)\n--\n\nTake them out; how many were queued?"},
	{"set_hit", FAST(order_set_hit),
	 "set_hit(object, hit, /)\n--\n\nCached tokens of it; is it queued?"},
	{"hit", order_hit, METH_O,
	 "hit(object, /)\n--\n\n"
	 "Cached tokens that the next pass counts, None if not queued."},
	{"outside", FAST(order_outside),
	 "outside(hit, left, tenant=0, /)\n--\n\n"
	 "For a guard: a prompt that goes before all that waits, or, with\n"
	 "by_tenant, before all of its tenant."},
	{"begin", FAST(order_begin),
	 "begin(now, budget=4294967295, /)\n--\n\n"
	 "Begin a step's pass, at so many nanoseconds of the caller's clock."},
	{"peek", order_peek, METH_NOARGS,
	 "peek()\n--\n\nWho comes next? None when nobody is left."},
	{"head", order_head, METH_NOARGS,
	 "head()\n--\n\n(hit, cost) of who comes next, or None."},
	{"explain", order_explain, METH_NOARGS,
	 "explain()\n--\n\n"
	 "Why who comes next does, as a dict: its lane (fast or fair), its\n"
	 "position in the pass, the pass's number as step, score, wait in\n"
	 "seconds, hit, tokens left, how many others are waiting, and how\n"
	 "many of those are older. None when nobody is left. O(waiting)."},
	{"admit", FAST(order_admit),
	 "admit(tokens=0, keep=False, /)\n--\n\n"
	 "Who comes next was taken, and waits no more. With keep it is still\n"
	 "known: add() puts it back in its place, remove() forgets it."},
	{"skip", order_skip, METH_NOARGS,
	 "skip()\n--\n\n"
	 "Pass over who comes next, or take the last admission back."},
	{"end", order_end, METH_NOARGS, "end()\n--\n\nEnd the pass."},
	{"stats", order_stats, METH_NOARGS,
	 "stats()\n--\n\nThe counters, as a dict."},
	{NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc,
	 "Order(*, cache=None, weight=4.0, budget=2048, carry='off',"
	 " fair_lane=True, fast='score', guard=0.5, wait_constant=0.0,"
	 " multiplier=3.0, floor=1.0, device=None, table=None,"
	 " by_tenant=False, tenant_weights=None)\n--\n\n"
	 "Which waiting prompt comes next. One thread at a time uses it.\n\n"
	 "cache: a Cache, by which it knows hits.\n"
	 "weight: what a token of the fast lane is charged, beside 1.\n"
	 "budget: tokens that a step computes.\n"
	 "carry: 'off', 'on' or 'long': do the ledgers outlive a step?\n"
	 "fair_lane: is there a lane by arrival as well?\n"
	 "fast: 'score', or 'rest' for the shortest remaining prefill.\n"
	 "guard: the share of its wait in order of arrival by which a request\n"
	 "may wait longer; 0 for no guard.\n"
	 "multiplier, floor: prefill times that make a unit of wait, and the\n"
	 "least unit in seconds. wait_constant: one unit for all, in seconds.\n"
	 "device: one of device_names(); table: or rows of tokens and "
	 "seconds,\n"
	 "both rising. Without either the table is that of an a6000.\n"
	 "by_tenant: each tenant gets its share of the device. "
	 "tenant_weights:\n"
	 "weights from 0.01 to 1000 by a tenant's number; others have 1."},
	{Py_tp_new, order_new},
	{Py_tp_dealloc, order_dealloc},
	{Py_tp_traverse, order_traverse},
	{Py_tp_clear, order_clear},
	{Py_tp_methods, methods},
	{Py_sq_length, order_length},
	{Py_sq_contains, order_contains},
	{0},
};

PyType_Spec order_spec = {
	.name = "fairway._core.Order",
	.basicsize = sizeof(struct order_object),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};
