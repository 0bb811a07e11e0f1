/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

/* Settings of an order that are rows: prefill times, and shares of tenants. */

static void *allocate(Py_ssize_t num, size_t size)
{
	void *rows = PyMem_Calloc((size_t)num, size);

	if (!rows)
		PyErr_NoMemory();
	return rows;
}

static int read_point(PyObject *row, struct fw_cost_point *point)
{
	PyObject *pair = PySequence_Tuple(row), *tokens;
	int ret = -1;

	if (pair && PyArg_ParseTuple(pair, "Od", &tokens, &point->seconds))
		ret = read_u32(tokens, "tokens of a row", &point->tokens);
	Py_XDECREF(pair);
	return ret;
}

int order_read_table(PyObject *list, struct order_settings *to)
{
	PyObject *rows = PySequence_Tuple(list);
	Py_ssize_t num = rows ? PyTuple_Size(rows) : -1;
	int ret = -1;

	/* In C no rows ask for a device. */
	if (!num)
		out_of_range("table");
	if (num > 0)
		to->table = allocate(num, sizeof(*to->table));
	if (to->table)
		ret = 0;
	for (Py_ssize_t i = 0; !ret && i < num; i++)
		ret = read_point(PyTuple_GetItem(rows, i), &to->table[i]);
	to->config.table = to->table;
	to->config.num_points = (size_t)num;
	Py_XDECREF(rows);
	return ret;
}

static int read_weight(PyObject *item, struct fw_tenant_weight *row)
{
	PyObject *tenant;
	double weight;

	if (!PyArg_ParseTuple(item, "Od", &tenant, &weight) ||
	    read_u64(tenant, "a tenant", &row->tenant))
		return -1;
	return read_thousandths(weight, "a weight of tenant_weights",
				&row->weight);
}

int order_read_weights(PyObject *mapping, struct order_settings *to)
{
	PyObject *items = PyMapping_Items(mapping);
	Py_ssize_t num = items ? PyList_Size(items) : -1;
	int ret = num ? -1 : 0;

	if (num > 0)
		to->weights = allocate(num, sizeof(*to->weights));
	if (to->weights)
		ret = 0;
	for (Py_ssize_t i = 0; !ret && i < num; i++)
		ret = read_weight(PyList_GetItem(items, i), &to->weights[i]);
	to->config.tenant_weights = to->weights;
	to->config.num_tenant_weights = (size_t)num;
	Py_XDECREF(items);
	return ret;
}
