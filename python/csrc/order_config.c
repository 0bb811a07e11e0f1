/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <string.h>

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

/* The library says what is too large, but takes a 0 for the default. */
static int check_above_zero(double value, const char *name)
{
	return value > 0.0 ? 0 : out_of_range(name);
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
	int by_tenant;
	PyObject *budget;
	PyObject *table;
	PyObject *weights;
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

static int settle(const struct words *w, struct order_settings *to)
{
	struct fw_order_config *config = &to->config;

	if (settle_words(w, config) || settle_numbers(w, config) ||
	    settle_cache(w->cache, config))
		return -1;
	to->cache = w->cache == Py_None ? NULL : w->cache;
	if (w->table != Py_None && order_read_table(w->table, to))
		return -1;
	config->by_tenant = (uint32_t)w->by_tenant;
	if (w->weights == Py_None)
		return 0;
	if (w->by_tenant)
		return order_read_weights(w->weights, to);
	PyErr_SetString(PyExc_ValueError, "tenant_weights without by_tenant");
	return -1;
}

int order_settings_read(struct order_settings *settings, PyObject *args,
			PyObject *kwargs)
{
	static char *names[] = {"cache",     "weight",	       "budget",
				"carry",     "fair_lane",      "fast",
				"guard",     "wait_constant",  "multiplier",
				"floor",     "device",	       "table",
				"by_tenant", "tenant_weights", NULL};
	struct words w = {
		.carry = "off",
		.fast = "score",
		.weight = 4.0,
		.guard = 0.5,
		.fair_lane = 1,
		.table = Py_None,
		.weights = Py_None,
		.cache = Py_None,
	};
	struct fw_order_config *config = &settings->config;

	*settings = (struct order_settings){
		.config = {.size = sizeof(*config),
			   .slo_multiplier = 3.0,
			   .slo_floor = 1.0},
	};
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OdOspsddddzOpO",
					 names, &w.cache, &w.weight, &w.budget,
					 &w.carry, &w.fair_lane, &w.fast,
					 &w.guard, &config->wait_constant,
					 &config->slo_multiplier,
					 &config->slo_floor, &config->device,
					 &w.table, &w.by_tenant, &w.weights))
		return -1;
	return settle(&w, settings);
}

void order_settings_free(struct order_settings *settings)
{
	PyMem_Free(settings->table);
	PyMem_Free(settings->weights);
}
