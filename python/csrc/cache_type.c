/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

static int read_config(PyObject *args, PyObject *kwargs,
		       struct fw_cache_config *config)
{
	static char *names[] = {"block_tokens", "max_blocks", "dropped",
				"demand",	"max_moved",  NULL};
	PyObject *tokens = NULL, *blocks = NULL, *dropped = NULL, *moved = NULL;
	int demand = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOpO", names,
					 &tokens, &blocks, &dropped, &demand,
					 &moved))
		return -1;
	config->demand = (uint32_t)demand;
	if (read_count(tokens, "block_tokens", &config->block_tokens) ||
	    read_count(blocks, "max_blocks", &config->max_blocks))
		return -1;
	if (dropped && read_u32(dropped, "dropped", &config->dropped))
		return -1;
	return moved ? read_u32(moved, "max_moved", &config->max_moved) : 0;
}

static PyObject *cache_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	struct fw_cache_config config = {.size = sizeof(config)};
	struct cache_object *self;
	int ret;

	if (read_config(args, kwargs, &config))
		return NULL;
	self = (struct cache_object *)PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	ret = fw_cache_open(&self->cache, &config);
	if (!ret)
		return (PyObject *)self;
	Py_DECREF(self);
	return raise_errno(ret);
}

static void cache_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	/* Each order holds a reference, so none is open any more. */
	fw_cache_close(cache_of(self));
	release(self);
	Py_DECREF(type);
}

/* Blocks of one prompt, behind @parent: NULL for its first ones. */
static int store(PyObject *self, PyObject *list, PyObject *parent,
		 enum fw_cache_kind kind)
{
	struct fw_cache_event event = {.kind = kind};
	struct fw_key *keys;
	uint32_t num;

	if (parent && read_key(parent, &event.parent))
		return -1;
	if (read_keys(list, &keys, &num))
		return -1;
	for (uint32_t i = 0; i < num; i++) {
		event.key = keys[i];
		cache_tell(self, &event);
		event.parent = keys[i];
		if (kind == FW_CACHE_FIRST)
			event.kind = FW_CACHE_BEHIND;
	}
	PyMem_Free(keys);
	return 0;
}

static PyObject *cache_store(PyObject *self, PyObject *const *args,
			     Py_ssize_t num)
{
	PyObject *parent = num > 1 && args[1] != Py_None ? args[1] : NULL;

	if (num < 1 || num > 2) {
		PyErr_SetString(PyExc_TypeError, "store(keys, parent=None, /)");
		return NULL;
	}
	if (store(self, args[0], parent,
		  parent ? FW_CACHE_BEHIND : FW_CACHE_FIRST))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *cache_store_somewhere(PyObject *self, PyObject *keys)
{
	if (store(self, keys, NULL, FW_CACHE_SOMEWHERE))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *cache_remove(PyObject *self, PyObject *keys)
{
	if (store(self, keys, NULL, FW_CACHE_GONE))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *cache_forget(PyObject *self, PyObject *keys)
{
	if (store(self, keys, NULL, FW_CACHE_ABSENT))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *cache_clear(PyObject *self, PyObject *unused)
{
	const struct fw_cache_event event = {.kind = FW_CACHE_CLEARED};

	(void)unused;
	cache_tell(self, &event);
	Py_RETURN_NONE;
}

static PyObject *cache_match(PyObject *self, PyObject *list)
{
	struct fw_key *keys;
	uint32_t num, blocks;

	if (read_keys(list, &keys, &num))
		return NULL;
	blocks = fw_cache_match(cache_of(self), keys, num);
	PyMem_Free(keys);
	return PyLong_FromUnsignedLong(blocks);
}

static PyObject *cache_wanted(PyObject *self, PyObject *object)
{
	struct fw_key key;

	if (read_key(object, &key))
		return NULL;
	return PyBool_FromLong(fw_cache_wanted(cache_of(self), &key));
}

static PyObject *index_list(const uint32_t *order, uint32_t num)
{
	PyObject *list = PyList_New(num);

	for (uint32_t i = 0; list && i < num; i++) {
		PyObject *item = PyLong_FromUnsignedLong(order[i]);

		/* It takes the reference, also when it fails. */
		if (!item || PyList_SetItem(list, i, item)) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

static PyObject *cache_unwanted(PyObject *self, PyObject *list)
{
	PyObject *result = NULL;
	struct fw_key *keys;
	uint32_t num, *order;

	if (read_keys(list, &keys, &num))
		return NULL;
	order = PyMem_Malloc((num + 1) * sizeof(*order));
	if (order) {
		fw_cache_unwanted(cache_of(self), keys, num, order);
		result = index_list(order, num);
	} else {
		PyErr_NoMemory();
	}
	PyMem_Free(order);
	PyMem_Free(keys);
	return result;
}

static PyObject *cache_stats(PyObject *self, PyObject *unused)
{
	struct fw_cache_stats s = {.size = sizeof(s)};

	(void)unused;
	fw_cache_read_stats(cache_of(self), &s);
	return Py_BuildValue("{sKsKsKsK}", "blocks",
			     (unsigned long long)s.blocks, "watched",
			     (unsigned long long)s.watched, "moved",
			     (unsigned long long)s.moved, "refused",
			     (unsigned long long)s.refused);
}

static PyMethodDef methods[] = {
	{"store", (PyCFunction)(void (*)(void))cache_store, METH_FASTCALL,
	 "store(keys, parent=None, /)\n--\n\n"
	 "Blocks of one prompt are cached now, each behind the one before. "
	 "The\n"
	 "first of them stands behind parent, or begins a prompt."},
	{"store_somewhere", cache_store_somewhere, METH_O,
	 "store_somewhere(keys, /)\n--\n\n"
	 "Blocks are cached now; it is not said behind which others."},
	{"remove", cache_remove, METH_O,
	 "remove(keys, /)\n--\n\nOne copy of each of these blocks is gone."},
	{"forget", cache_forget, METH_O,
	 "forget(keys, /)\n--\n\nNo copy of these blocks is left."},
	{"clear", cache_clear, METH_NOARGS,
	 "clear()\n--\n\nAll blocks are gone."},
	{"match", cache_match, METH_O,
	 "match(keys, /)\n--\n\nHow many of these first blocks are cached?"},
	{"wanted", cache_wanted, METH_O,
	 "wanted(key, /)\n--\n\n"
	 "Would a waiting request hit this block? Needs demand."},
	{"unwanted", cache_unwanted, METH_O,
	 "unwanted(keys, /)\n--\n\n"
	 "Indexes into keys in the order to evict: first the blocks that no\n"
	 "waiting request would hit, then the others."},
	{"stats", cache_stats, METH_NOARGS,
	 "stats()\n--\n\nblocks, watched, moved, refused as a dict."},
	{NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc,
	 "Cache(*, block_tokens=16, max_blocks=1048576, dropped=0, "
	 "demand=False,"
	 " max_moved=0)\n--\n\n"
	 "What an engine's cache holds, for orders that find hits by "
	 "themselves.\n"
	 "Keys are bytes of 16 or 32: chained hashes of full blocks.\n\n"
	 "dropped: blocks that an engine drops from each hit's end.\n"
	 "demand: is it asked which blocks are wanted?\n"
	 "max_moved: hits that a pass moves at most, 0 for all."},
	{Py_tp_new, cache_new},
	{Py_tp_dealloc, cache_dealloc},
	{Py_tp_methods, methods},
	{0},
};

PyType_Spec cache_spec = {
	.name = "fairway._core.Cache",
	.basicsize = sizeof(struct cache_object),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = slots,
};
