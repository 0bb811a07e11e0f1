/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <errno.h>

/* Methods of fairway.Order for a pass, and what it is told before. */

PyObject *order_outside(PyObject *self, PyObject *const *args, Py_ssize_t num)
{
	uint64_t tenant = 0;
	uint32_t hit, left;

	if (num < 2 || num > 3) {
		PyErr_SetString(PyExc_TypeError, "outside(hit, left, tenant)");
		return NULL;
	}
	if (read_u32(args[0], "hit", &hit) || read_u32(args[1], "left", &left))
		return NULL;
	if (num > 2 && read_u64(args[2], "tenant", &tenant))
		return NULL;
	fw_order_outside_of(order_of(self)->order, tenant, hit, left);
	Py_RETURN_NONE;
}

PyObject *order_begin(PyObject *self, PyObject *const *args, Py_ssize_t num)
{
	uint32_t budget = UINT32_MAX;
	int64_t now;
	int ret;

	if (num < 1 || num > 2) {
		PyErr_SetString(PyExc_TypeError, "begin(now, budget)");
		return NULL;
	}
	if (read_i64(args[0], "now", &now))
		return NULL;
	if (num > 1 && read_u32(args[1], "budget", &budget))
		return NULL;
	ret = fw_pass_begin(order_of(self)->order, now, budget);
	if (ret)
		return raise_errno(ret);
	entry_forget_last(order_of(self));
	Py_RETURN_NONE;
}

static struct entry *entry_of(struct fw_request *req)
{
	return (struct entry *)req;
}

_Static_assert(offsetof(struct entry, req) == 0, "entry_of() casts");

PyObject *order_peek(PyObject *self, PyObject *unused)
{
	struct order_object *o = order_of(self);
	struct fw_request *req = fw_pass_peek(o->order);
	PyObject *object = req ? entry_of(req)->object : Py_None;

	(void)unused;
	Py_INCREF(object);
	/* Who was peeked can be admitted; who was admitted, not taken back. */
	if (req)
		entry_forget_last(o);
	return object;
}

PyObject *order_head(PyObject *self, PyObject *unused)
{
	uint32_t hit, cost;

	(void)unused;
	if (fw_pass_hit(order_of(self)->order, &hit, &cost))
		Py_RETURN_NONE;
	entry_forget_last(order_of(self));
	return Py_BuildValue("(II)", hit, cost);
}

/* How many that wait came before @first? */
static uint64_t count_older(struct order_object *o,
			    const struct fw_request *first)
{
	uint64_t older = 0;
	uint32_t hit;

	for (struct entry *e = o->first; e; e = e->next)
		older += e->req.arrival < first->arrival &&
			 !fw_order_hit(o->order, &e->req, &hit);
	return older;
}

PyObject *order_explain(PyObject *self, PyObject *unused)
{
	struct order_object *o = order_of(self);
	struct fw_decision why;

	(void)unused;
	if (fw_pass_explain(o->order, &why))
		Py_RETURN_NONE;
	entry_forget_last(o);
	return Py_BuildValue("{ss sI sK sd sd sI sI sK sK}", "lane",
			     why.lane == FW_LANE_NAME_FAIR ? "fair" : "fast",
			     "position", why.position, "step",
			     (unsigned long long)why.step, "score", why.score,
			     "wait", why.wait, "hit", why.hit, "left", why.cost,
			     "waiting", (unsigned long long)why.waiting,
			     "older",
			     (unsigned long long)count_older(o, why.request));
}

/* The arguments of admit(): (tokens, keep). */
static int read_admit(PyObject *const *args, Py_ssize_t num, uint32_t *tokens,
		      int *keep)
{
	*tokens = 0;
	*keep = 0;
	if (num > 2) {
		PyErr_SetString(PyExc_TypeError, "admit(tokens=0, keep=False)");
		return -1;
	}
	if (num > 1)
		*keep = PyObject_IsTrue(args[1]);
	if (*keep < 0)
		return -1;
	return num ? read_u32(args[0], "tokens", tokens) : 0;
}

PyObject *order_admit(PyObject *self, PyObject *const *args, Py_ssize_t num)
{
	struct order_object *o = order_of(self);
	struct entry *before;
	struct fw_request *req;
	uint32_t tokens;
	int ret, keep;

	if (read_admit(args, num, &tokens, &keep))
		return NULL;
	req = fw_pass_peek(o->order);
	if (!req)
		return raise_errno(-ENOENT);
	if (!keep && entry_leave(o, entry_of(req)))
		return NULL;
	ret = fw_pass_admit(o->order, tokens);
	if (ret)
		return raise_errno(ret);
	before = o->last;
	o->last = entry_of(req);
	/* Now: a destructor may call the order, and take @req back. */
	if (before && !before->known)
		entry_free(o, before);
	Py_RETURN_NONE;
}

PyObject *order_skip(PyObject *self, PyObject *unused)
{
	struct order_object *o = order_of(self);
	struct entry *last = o->last;
	int ret;

	(void)unused;
	if (last && last->known)
		last = NULL;
	if (last && entry_enter(o, last))
		return NULL;
	ret = fw_pass_skip(o->order);
	if (ret) {
		if (last)
			entry_leave(o, last);
		return PyErr_Occurred() ? NULL : raise_errno(ret);
	}
	o->last = NULL;
	Py_RETURN_NONE;
}

PyObject *order_end(PyObject *self, PyObject *unused)
{
	int ret = fw_pass_end(order_of(self)->order);

	(void)unused;
	if (ret)
		return raise_errno(ret);
	entry_forget_last(order_of(self));
	Py_RETURN_NONE;
}
