/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LOG_LOG_H
#define TOOLS_LOG_LOG_H

#include <stddef.h>
#include <stdint.h>

/*
 * A log says of each request how much of its prompt was cached and how much
 * was not, and nothing of what prompts have in common: that is a trace.
 */

/* More tokens than a prompt of any engine has. */
enum {
	LOG_MAX_TOKENS = 1 << 24
};

/**
 * struct log_req - one request of a log
 * @arrival_s: seconds since the log's first arrival
 * @later_s: as the log's times say, on the same clock
 * @cached: tokens of the prompt that were cached
 * @uncached: those that were not, at least 1
 */
struct log_req {
	double arrival_s;
	double later_s;
	uint32_t cached;
	uint32_t uncached;
};

/* What a request's later time is. */
enum log_times {
	LOG_NO_TIMES,
	LOG_STARTS, /* its first step began */
	LOG_FIRST_TOKENS, /* its first token came */
};

/**
 * struct log - requests by rising arrival, equal ones as in the file
 * @reqs: the requests
 * @num: how many, at least 1 once it was read
 * @cap: room for
 * @form: name of its form
 * @times: what all of their later times are
 * @left_out: requests of the file that never started, or whose record is not
 *	complete
 */
struct log {
	struct log_req *reqs;
	size_t num;
	size_t cap;
	const char *form;
	enum log_times times;
	uint64_t left_out;
};

/**
 * log_append() - for readers: one more request
 *
 * Return: 0, -ENOMEM.
 */
int log_append(struct log *log, const struct log_req *req);

/**
 * log_settle() - sort by arrival, and let time begin at the first one
 * @log: at least one request
 *
 * Return: 0, -ENOMEM.
 */
int log_settle(struct log *log);

void log_destroy(struct log *log);

#endif
