/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <string.h>

#define THOUSANDTHS 1000.0

/* One of the words, by its number. */
static int read_word(const char *word, const char *const *words, int *number)
{
	for (int i = 0; words[i]; i++) {
		if (!strcmp(word, words[i])) {
			*number = i;
			return 0;
		}
	}
	PyErr_Format(PyExc_ValueError, "unknown word '%s'", word);
	return -1;
}

static int out_of_range(const char *name)
{
	PyErr_Format(PyExc_ValueError, "%s is out of range", name);
	return -1;
}

/* In C a 0 asks for the default, so no other number may round to it. */
static int read_thousandths(double value, const char *name, uint32_t *to)
{
	double scaled = value * THOUSANDTHS + 0.5;

	if (!(scaled >= 1.0) || scaled > 4e9)
		return out_of_range(name);
	*to = (uint32_t)scaled;
	return 0;
}

/* The library says what is too large, but takes a 0 for the default. */
static int check_above_zero(double value, const char *name)
{
	return value > 0.0 ? 0 : out_of_range(name);
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

static int read_table(PyObject *list, struct fw_order_config *config,
		      struct fw_cost_point **table)
{
	PyObject *rows = PySequence_Tuple(list);
	Py_ssize_t num = rows ? PyTuple_Size(rows) : -1;
	int ret = num < 0 ? -1 : 0;

	/* In C no rows ask for a device. */
	if (!num)
		ret = out_of_range("table");
	*table = PyMem_Calloc((size_t)(num < 0 ? 0 : num) + 1, sizeof(**table));
	if (!*table && !ret) {
		PyErr_NoMemory();
		ret = -1;
	}
	for (Py_ssize_t i = 0; !ret && i < num; i++)
		ret = read_point(PyTuple_GetItem(rows, i), &(*table)[i]);
	config->table = *table;
	config->num_points = (size_t)num;
	Py_XDECREF(rows);
	return ret;
}

/**
 * struct words - settings that are not numbers of the library
 */
struct words {
	const char *carry;
	const char *fast;
	double weight;
	double guard;
	int fair_lane;
	PyObject *budget;
	PyObject *table;
	PyObject *cache;
};

static int settle_words(const struct words *w, struct fw_order_config *config)
{
	static const char *const carries[] = {"off", "on", "long", NULL};
	static const char *const fasts[] = {"score", "rest", NULL};
	int carry, fast;

	if (read_word(w->carry, carries, &carry) ||
	    read_word(w->fast, fasts, &fast))
		return -1;
	config->carry = (enum fw_carry)carry;
	config->fast = (enum fw_fast)fast;
	config->no_fair_lane = !w->fair_lane;
	return 0;
}

static int settle_numbers(const struct words *w, struct fw_order_config *config)
{
	if (read_count(w->budget, "budget", &config->budget) ||
	    read_thousandths(w->weight, "weight", &config->weight) ||
	    check_above_zero(config->slo_multiplier, "multiplier") ||
	    check_above_zero(config->slo_floor, "floor"))
		return -1;
	if (w->guard != 0.0)
		return read_thousandths(w->guard, "guard", &config->guard);
	config->guard = FW_GUARD_OFF;
	return 0;
}

static int settle_cache(PyObject *cache, struct fw_order_config *config)
{
	if (cache == Py_None)
		return 0;
	if (!PyObject_TypeCheck(cache, cache_type)) {
		PyErr_SetString(PyExc_TypeError, "cache is a fairway.Cache");
		return -1;
	}
	config->cache = cache_of(cache);
	return 0;
}

int order_read_config(PyObject *args, PyObject *kwargs,
		      struct fw_order_config *config, PyObject **cache,
		      struct fw_cost_point **table)
{
	static char *names[] = {"cache", "weight",	  "budget",
				"carry", "fair_lane",	  "fast",
				"guard", "wait_constant", "multiplier",
				"floor", "device",	  "table",
				NULL};
	struct words w = {
		.carry = "off",
		.fast = "score",
		.weight = 4.0,
		.guard = 0.5,
		.fair_lane = 1,
		.table = Py_None,
		.cache = Py_None,
	};

	config->slo_multiplier = 3.0;
	config->slo_floor = 1.0;
	if (!PyArg_ParseTupleAndKeywords(
		    args, kwargs, "|$OdOspsddddzO", names, &w.cache, &w.weight,
		    &w.budget, &w.carry, &w.fair_lane, &w.fast, &w.guard,
		    &config->wait_constant, &config->slo_multiplier,
		    &config->slo_floor, &config->device, &w.table))
		return -1;
	if (settle_words(&w, config) || settle_numbers(&w, config) ||
	    settle_cache(w.cache, config))
		return -1;
	*cache = w.cache == Py_None ? NULL : w.cache;
	return w.table == Py_None ? 0 : read_table(w.table, config, table);
}
