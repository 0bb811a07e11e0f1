/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_JSON_VALUE_H
#define TOOLS_BASE_JSON_VALUE_H

#include <jansson.h>
#include <stdint.h>

/*
 * Values of the reports. Each call gives a new reference. Without memory it
 * gives NULL, and json_pack() then gives NULL too.
 */

/* JSON has no NAN: a value that is not finite becomes null. */
json_t *json_finite(double value);

json_t *json_count(uint64_t value);

/* A path may hold bytes that are no UTF-8. They become '?'. */
json_t *json_text(const char *value);

/**
 * json_write() - a whole report
 * @json: its reference is taken over; may be NULL
 * @to: gets the report and a newline
 *
 * Doubles are written with 17 digits, which give each one back exactly.
 *
 * Return: 0, -ENOMEM without @json, or what stdio met.
 */
int json_write(json_t *json, FILE *to);

#endif
