/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

#include <string.h>

/*
 * vLLM's map from block hashes to blocks, that tells a cache what comes and
 * goes. It has the methods of vLLM's own map, which every store and every
 * removal of a block goes through. A hash on two blocks maps to a dict of them,
 * so only a hash that was absent, or that is now, is an event.
 *
 * A key is a block's hash and, in the last four bytes, the number of its group
 * of layers. Only the blocks of one group are told.
 */

#define GROUP_BYTES 4

/**
 * struct block_map - fairway._core.BlockMap
 * @blocks: dict of hash to block, or to a dict of block id to block
 * @cache: fairway.Cache
 * @group: the last bytes of the keys that are told
 */
struct block_map {
	PyObject_HEAD PyObject *blocks;
	PyObject *cache;
	unsigned char group[GROUP_BYTES];
};

static PyObject *block_id_name;

static PyObject *map_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = {"blocks", "cache", "group", NULL};
	PyObject *blocks, *cache;
	struct block_map *self;
	PyObject *given = NULL;
	uint32_t group = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!|O", names,
					 &PyDict_Type, &blocks, cache_type,
					 &cache, &given))
		return NULL;
	if (given && read_u32(given, "group", &group))
		return NULL;
	if (!block_id_name)
		block_id_name = PyUnicode_InternFromString("block_id");
	if (!block_id_name)
		return NULL;
	self = (struct block_map *)PyType_GenericAlloc(type, 0);
	if (!self)
		return NULL;
	Py_INCREF(blocks);
	self->blocks = blocks;
	Py_INCREF(cache);
	self->cache = cache;
	for (int i = 0; i < GROUP_BYTES; i++)
		self->group[i] = (unsigned char)(group >> (24 - 8 * i));
	return (PyObject *)self;
}

static int map_traverse(PyObject *object, visitproc visit, void *arg)
{
	struct block_map *self = (struct block_map *)object;

	Py_VISIT(Py_TYPE(object));
	Py_VISIT(self->blocks);
	Py_VISIT(self->cache);
	return 0;
}

static int map_clear(PyObject *object)
{
	struct block_map *self = (struct block_map *)object;

	Py_CLEAR(self->blocks);
	Py_CLEAR(self->cache);
	return 0;
}

static void map_dealloc(PyObject *object)
{
	PyTypeObject *type = Py_TYPE(object);
	freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

	PyObject_GC_UnTrack(object);
	map_clear(object);
	release(object);
	Py_DECREF(type);
}

/* A hash came or went. What is no key of the group concerns nobody. */
static void tell(struct block_map *self, PyObject *key, enum fw_cache_kind kind)
{
	struct fw_cache_event event = {.kind = kind};
	Py_ssize_t size;
	char *bytes;

	if (!PyBytes_Check(key) ||
	    PyBytes_AsStringAndSize(key, &bytes, &size) || size < GROUP_BYTES)
		return;
	size -= GROUP_BYTES;
	if (memcmp(bytes + size, self->group, GROUP_BYTES) ||
	    fw_key_digest(&event.key, bytes, (size_t)size))
		return;
	cache_tell(self->cache, &event);
}

static int wrong_args(const char *usage)
{
	PyErr_SetString(PyExc_TypeError, usage);
	return -1;
}

static PyObject *first_of(PyObject *blocks)
{
	PyObject *key, *value;
	Py_ssize_t pos = 0;

	if (PyDict_Next(blocks, &pos, &key, &value)) {
		Py_INCREF(value);
		return value;
	}
	Py_RETURN_NONE;
}

static PyObject *map_get_one_block(PyObject *object, PyObject *key)
{
	struct block_map *self = (struct block_map *)object;
	PyObject *found = PyDict_GetItemWithError(self->blocks, key);

	if (!found && PyErr_Occurred())
		return NULL;
	if (!found)
		Py_RETURN_NONE;
	if (PyDict_Check(found))
		return first_of(found);
	Py_INCREF(found);
	return found;
}

/* Is @block the one with the id @id? 1, 0, or -1 with an exception. */
static int has_id(PyObject *block, PyObject *id)
{
	PyObject *own = PyObject_GetAttr(block, block_id_name);
	int same;

	if (!own)
		return -1;
	same = PyObject_RichCompareBool(own, id, Py_EQ);
	Py_DECREF(own);
	return same;
}

static PyObject *map_contain(PyObject *object, PyObject *const *args,
			     Py_ssize_t num)
{
	struct block_map *self = (struct block_map *)object;
	PyObject *found;
	int in;

	if (num != 2) {
		wrong_args("contain(key, block_id)");
		return NULL;
	}
	found = PyDict_GetItemWithError(self->blocks, args[0]);
	if (!found)
		return PyErr_Occurred() ? NULL : PyBool_FromLong(0);
	Py_INCREF(found);
	in = PyDict_Check(found) ? PyDict_Contains(found, args[1])
				 : has_id(found, args[1]);
	Py_DECREF(found);
	return in < 0 ? NULL : PyBool_FromLong(in);
}

static int put(PyObject *dict, PyObject *block)
{
	PyObject *id = PyObject_GetAttr(block, block_id_name);
	int ret;

	if (!id)
		return -1;
	ret = PyDict_SetItem(dict, id, block);
	Py_DECREF(id);
	return ret;
}

/* The second block with a hash: both go into a dict. */
static int put_second(struct block_map *self, PyObject *key, PyObject *first,
		      PyObject *block)
{
	PyObject *both = PyDict_New();
	int ret;

	if (!both)
		return -1;
	ret = put(both, first);
	if (!ret)
		ret = put(both, block);
	if (!ret)
		ret = PyDict_SetItem(self->blocks, key, both);
	Py_DECREF(both);
	return ret;
}

static PyObject *map_insert(PyObject *object, PyObject *const *args,
			    Py_ssize_t num)
{
	struct block_map *self = (struct block_map *)object;
	PyObject *found;
	int ret;

	if (num != 2) {
		wrong_args("insert(key, block)");
		return NULL;
	}
	found = PyDict_GetItemWithError(self->blocks, args[0]);
	if (!found) {
		if (PyErr_Occurred() ||
		    PyDict_SetItem(self->blocks, args[0], args[1]))
			return NULL;
		tell(self, args[0], FW_CACHE_SOMEWHERE);
		Py_RETURN_NONE;
	}
	Py_INCREF(found);
	ret = PyDict_Check(found) ? put(found, args[1])
				  : put_second(self, args[0], found, args[1]);
	Py_DECREF(found);
	if (ret)
		return NULL;
	Py_RETURN_NONE;
}

static int drop(struct block_map *self, PyObject *key)
{
	if (PyDict_DelItem(self->blocks, key))
		return -1;
	tell(self, key, FW_CACHE_ABSENT);
	return 0;
}

/* Of the blocks with one hash, take that with the id @id; a new reference. */
static PyObject *pop_of(struct block_map *self, PyObject *key, PyObject *blocks,
			PyObject *id)
{
	PyObject *block = PyDict_GetItemWithError(blocks, id);

	if (!block) {
		if (PyErr_Occurred())
			return NULL;
		block = Py_None;
	}
	Py_INCREF(block);
	if ((block != Py_None && PyDict_DelItem(blocks, id)) ||
	    (!PyDict_Size(blocks) && drop(self, key))) {
		Py_DECREF(block);
		return NULL;
	}
	return block;
}

static PyObject *map_pop(PyObject *object, PyObject *const *args,
			 Py_ssize_t num)
{
	struct block_map *self = (struct block_map *)object;
	PyObject *found, *block = NULL;
	int same;

	if (num != 2) {
		wrong_args("pop(key, block_id)");
		return NULL;
	}
	found = PyDict_GetItemWithError(self->blocks, args[0]);
	if (!found && PyErr_Occurred())
		return NULL;
	if (!found)
		Py_RETURN_NONE;
	Py_INCREF(found);
	if (PyDict_Check(found)) {
		block = pop_of(self, args[0], found, args[1]);
		Py_DECREF(found);
		return block;
	}
	same = has_id(found, args[1]);
	if (same > 0 && !drop(self, args[0]))
		return found;
	Py_DECREF(found);
	if (same)
		return NULL;
	Py_RETURN_NONE;
}

static Py_ssize_t map_length(PyObject *object)
{
	return PyDict_Size(((struct block_map *)object)->blocks);
}

static PyMethodDef methods[] = {
	{"get_one_block", map_get_one_block, METH_O,
	 "get_one_block(key)\n--\n\nAny block with this hash, or None."},
	{"contain", (PyCFunction)(void (*)(void))map_contain, METH_FASTCALL,
	 "contain(key, block_id)\n--\n\nHas this block this hash?"},
	{"insert", (PyCFunction)(void (*)(void))map_insert, METH_FASTCALL,
	 "insert(key, block)\n--\n\nThe block has this hash now."},
	{"pop", (PyCFunction)(void (*)(void))map_pop, METH_FASTCALL,
	 "pop(key, block_id)\n--\n\nTake the block out, or None."},
	{NULL},
};

static PyMemberDef members[] = {
	{"_cache", T_OBJECT_EX, offsetof(struct block_map, blocks), READONLY,
	 "the dict of blocks"},
	{NULL},
};

static PyType_Slot slots[] = {
	{Py_tp_doc, "BlockMap(blocks, cache, group=0)\n--\n\n"
		    "vLLM's map of cached blocks, which tells the cache."},
	{Py_tp_new, map_new},
	{Py_tp_dealloc, map_dealloc},
	{Py_tp_traverse, map_traverse},
	{Py_tp_clear, map_clear},
	{Py_tp_methods, methods},
	{Py_tp_members, members},
	{Py_mp_length, map_length},
	{0},
};

PyType_Spec block_map_spec = {
	.name = "fairway._core.BlockMap",
	.basicsize = sizeof(struct block_map),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
	.slots = slots,
};
