/* SPDX-License-Identifier: Apache-2.0 */
#include "core.h"

PyTypeObject *cache_type;

static PyObject *device_names(PyObject *self, PyObject *unused)
{
	PyObject *list = PyList_New(0), *item;
	const char *name;

	(void)self;
	(void)unused;
	for (size_t i = 0; list && (name = fw_device_name(i)); i++) {
		item = PyUnicode_FromString(name);
		if (!item || PyList_Append(list, item))
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyMethodDef functions[] = {
	{"device_names", device_names, METH_NOARGS,
	 "device_names()\n--\n\nDevices with built-in prefill times."},
	{NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "fairway._core",
	.m_doc = "libfairway's order mode.",
	.m_size = -1,
	.m_methods = functions,
};

static PyObject *add_type(PyObject *module, PyType_Spec *spec)
{
	PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

	if (type && PyModule_AddType(module, (PyTypeObject *)type))
		Py_CLEAR(type);
	return type;
}

PyMODINIT_FUNC PyInit__core(void)
{
	PyObject *module = PyModule_Create(&definition);
	PyObject *order, *map;

	if (!module)
		return NULL;
	/* One reference is kept for isinstance checks, for good. */
	cache_type = (PyTypeObject *)add_type(module, &cache_spec);
	order = add_type(module, &order_spec);
	map = add_type(module, &block_map_spec);
	if (!cache_type || !order || !map)
		Py_CLEAR(module);
	Py_XDECREF(order);
	Py_XDECREF(map);
	return module;
}
