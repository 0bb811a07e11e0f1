/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

#include <errno.h>

#define THOUSANDTHS 1000.0

PyObject *raise_errno(int ret)
{
	switch (-ret) {
	case ENOMEM:
		return PyErr_NoMemory();
	case EINVAL:
		PyErr_SetString(PyExc_ValueError, "a value is out of range");
		break;
	case ENODEV:
		PyErr_SetString(PyExc_ValueError, "unknown device");
		break;
	case ENOENT:
		PyErr_SetString(PyExc_LookupError, "there is none");
		break;
	case EBUSY:
		PyErr_SetString(PyExc_RuntimeError, "it is in use");
		break;
	default:
		errno = -ret;
		PyErr_SetFromErrno(PyExc_OSError);
	}
	return NULL;
}

/*
 * Whole numbers are int itself. What only turns into one would run code of the
 * caller's, which may change what a call is about.
 */
static int whole(PyObject *object, const char *name)
{
	if (PyLong_Check(object))
		return 0;
	PyErr_Format(PyExc_TypeError, "%s is a whole number", name);
	return -1;
}

/* A whole number that does not fit: -1 with an exception. */
static int too_large(const char *name, const char *range)
{
	if (!PyErr_ExceptionMatches(PyExc_OverflowError))
		return -1;
	PyErr_Clear();
	PyErr_Format(PyExc_ValueError, "%s is not from %s", name, range);
	return -1;
}

/* At most @most, which @range names. */
static int read_unsigned(PyObject *object, const char *name,
			 unsigned long long most, const char *range,
			 unsigned long long *value)
{
	if (whole(object, name))
		return -1;
	*value = PyLong_AsUnsignedLongLong(object);
	if (*value == (unsigned long long)-1 && PyErr_Occurred())
		return too_large(name, range);
	if (*value <= most)
		return 0;
	PyErr_Format(PyExc_ValueError, "%s is not from %s", name, range);
	return -1;
}

int read_u64(PyObject *object, const char *name, uint64_t *value)
{
	unsigned long long read;

	if (read_unsigned(object, name, UINT64_MAX, "0 to 2**64 - 1", &read))
		return -1;
	*value = read;
	return 0;
}

int read_i64(PyObject *object, const char *name, int64_t *value)
{
	long long read;

	if (whole(object, name))
		return -1;
	read = PyLong_AsLongLong(object);
	if (read == -1 && PyErr_Occurred())
		return too_large(name, "-2**63 to 2**63 - 1");
	*value = read;
	return 0;
}

int read_u32(PyObject *object, const char *name, uint32_t *value)
{
	unsigned long long read;

	if (read_unsigned(object, name, UINT32_MAX, "0 to 2**32 - 1", &read))
		return -1;
	*value = (uint32_t)read;
	return 0;
}

int read_count(PyObject *object, const char *name, uint32_t *value)
{
	uint32_t read;

	if (!object)
		return 0;
	if (read_u32(object, name, &read))
		return -1;
	if (read) {
		*value = read;
		return 0;
	}
	PyErr_Format(PyExc_ValueError, "%s is at least 1", name);
	return -1;
}

int out_of_range(const char *name)
{
	PyErr_Format(PyExc_ValueError, "%s is out of range", name);
	return -1;
}

/* In C a 0 asks for the default, so no other number may round to it. */
int read_thousandths(double value, const char *name, uint32_t *to)
{
	double scaled = value * THOUSANDTHS + 0.5;

	if (!(scaled >= 1.0) || scaled > 4e9)
		return out_of_range(name);
	*to = (uint32_t)scaled;
	return 0;
}

int read_key(PyObject *object, struct fw_key *key)
{
	Py_ssize_t size;
	char *bytes;

	if (PyBytes_AsStringAndSize(object, &bytes, &size))
		return -1;
	if (!fw_key_digest(key, bytes, (size_t)size))
		return 0;
	PyErr_Format(PyExc_ValueError, "a key has 16 or 32 bytes, not %zd",
		     size);
	return -1;
}

/* Items of a list or tuple are borrowed: nothing runs in between. */
static PyObject *item_of(PyObject *list, bool tuple, Py_ssize_t i)
{
	return tuple ? PyTuple_GetItem(list, i) : PyList_GetItem(list, i);
}

int read_keys(PyObject *list, struct fw_key **keys, uint32_t *num)
{
	bool tuple = PyTuple_Check(list);
	struct fw_key *read;
	Py_ssize_t size;

	*keys = NULL;
	*num = 0;
	if (list == Py_None)
		return 0;
	if (!tuple && !PyList_Check(list)) {
		PyErr_SetString(PyExc_TypeError, "keys are a list or a tuple");
		return -1;
	}
	size = tuple ? PyTuple_Size(list) : PyList_Size(list);
	if (!size)
		return 0;
	read = PyMem_Malloc((size_t)size * sizeof(*read));
	if (!read) {
		PyErr_NoMemory();
		return -1;
	}
	/* They have not been used for long: all of them are fetched at once. */
	for (Py_ssize_t i = 0; i < size; i++)
		__builtin_prefetch(item_of(list, tuple, i));
	for (Py_ssize_t i = 0; i < size; i++) {
		if (read_key(item_of(list, tuple, i), &read[i])) {
			PyMem_Free(read);
			return -1;
		}
	}
	*keys = read;
	*num = (uint32_t)size;
	return 0;
}
