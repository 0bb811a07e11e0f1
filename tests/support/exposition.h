/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_EXPOSITION_H
#define TESTS_SUPPORT_EXPOSITION_H

#include <stdbool.h>

/**
 * exposition_valid() - is this text in Prometheus' exposition format 0.0.4?
 * @text: all of it
 *
 * Written from the format's description alone: each line's grammar, UTF-8,
 * and for each histogram that its buckets do not fall, end in +Inf, and agree
 * with its count.
 */
bool exposition_valid(const char *text);

#endif
