/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_STATS_TEXT_H
#define LIB_RUNTIME_STATS_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/histogram.h"

/*
 * Writes metrics in Prometheus' text exposition format, version 0.0.4, into a
 * buffer of the caller. As with snprintf() what does not fit is counted and
 * not written, and what was written ends in a 0 unless the buffer has no byte.
 *
 * Numbers are whole numbers, or seconds with nine decimals made of whole
 * nanoseconds: no double, so that no locale of the host process can put
 * another decimal point.
 *
 * Names are made valid: a byte that the format does not allow becomes '_'.
 * Label values and help texts are escaped, and what is not UTF-8 in them
 * becomes '?'.
 *
 * Single owner.
 */

/**
 * enum fw_stats_unit - how a whole number is written
 * @FW_STATS_NUMBER: as it is
 * @FW_STATS_NS: nanoseconds, as seconds
 */
enum fw_stats_unit {
	FW_STATS_NUMBER,
	FW_STATS_NS,
};

/**
 * struct fw_stats_label - a label of a sample
 * @name: any text
 * @value: any text
 */
struct fw_stats_label {
	const char *name;
	const char *value;
};

/**
 * struct fw_stats_text - text that is being written
 * @buf: the caller's, NULL when @size is 0
 * @size: bytes of @buf
 * @len: length of all text so far, what did not fit included
 * @name: of the family that is being written
 * @unit: of its numbers
 */
struct fw_stats_text {
	char *buf;
	size_t size;
	size_t len;
	const char *name;
	enum fw_stats_unit unit;
};

void fw_stats_text_init(struct fw_stats_text *text, char *buf, size_t size);

/**
 * fw_stats_text_family() - begin a metric: its HELP and TYPE lines
 * @text: the text
 * @name: of all samples that follow; must stay until the next family
 * @type: "counter", "gauge" or "histogram"
 * @help: one line of explanation
 * @unit: of its numbers
 */
void fw_stats_text_family(struct fw_stats_text *text, const char *name,
			  const char *type, const char *help,
			  enum fw_stats_unit unit);

/* One sample of a counter or gauge with @num labels. */
void fw_stats_text_value(struct fw_stats_text *text,
			 const struct fw_stats_label *labels, size_t num,
			 int64_t value);

/**
 * fw_stats_text_histogram() - the samples of a histogram
 * @text: the text, in a family of type "histogram"
 * @labels: of all of them
 * @num: how many labels
 * @view: what was read
 * @first_bit: the first bucket is up to 2^first_bit - 1
 * @last_bit: the last one up to 2^last_bit - 1, at most 62; +Inf follows
 *
 * A bucket for each power of two between, each with all values up to its
 * bound. Choose the same bits at every call: bounds are part of a metric.
 */
void fw_stats_text_histogram(struct fw_stats_text *text,
			     const struct fw_stats_label *labels, size_t num,
			     const struct fw_histogram_view *view,
			     unsigned int first_bit, unsigned int last_bit);

struct fw;

/* All figures by tenant, if there are such; @labels has room for one more. */
void fw_stats_text_tenants(struct fw_stats_text *text, const struct fw *fw,
			   struct fw_stats_label *labels, size_t num);

#endif
