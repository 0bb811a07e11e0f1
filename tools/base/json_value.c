/* SPDX-License-Identifier: Apache-2.0 */
#include "json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_finite(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

json_t *json_text(const char *value)
{
	json_t *json = json_string(value);
	char *copy;

	if (json)
		return json;
	copy = strdup(value);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	json = json_string(copy);
	free(copy);
	return json;
}

int json_write(json_t *json, FILE *to)
{
	int err = 0;

	if (!json)
		return -ENOMEM;
	errno = 0;
	if (json_dumpf(json, to, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) ||
	    fputc('\n', to) == EOF)
		err = errno ? -errno : -EIO;
	json_decref(json);
	return err;
}
