/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_JSON_VALUE_H
#define TOOLS_BASE_JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

/*
 * Values of the reports. Each is a new reference, or NULL without memory,
 * which json_pack() passes on.
 */

/* JSON has no NAN: null for what is not finite. */
json_t *json_finite(double value);

json_t *json_count(uint64_t value);

/* A path need not be UTF-8, JSON must be: other bytes become '?'. */
json_t *json_text(const char *value);

/**
 * json_write() - a whole report
 * @json: consumed; may be NULL
 * @to: gets it with a newline behind it
 *
 * 17 digits give every double back exactly.
 *
 * Return: 0, -ENOMEM without @json, or what stdio met.
 */
int json_write(json_t *json, FILE *to);

#endif
