/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WORKLOAD_WORKLOAD_BUILD_H
#define TOOLS_WORKLOAD_WORKLOAD_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/rng.h"
#include "tools/trace/trace.h"
#include "workload_spec.h"

/* What the families of workloads are put together from. */

enum {
	WORKLOAD_BLOCK = 16, /* tokens of a block */
	WORKLOAD_MAX_REQUESTS = 10000000,
	WORKLOAD_MAX_TOKENS = 1000000, /* of a document or a question */
};

/**
 * struct build - a trace in the making
 * @trace: the requests so far
 * @rng: where all draws come from
 * @seed: of @rng, for what draws by itself
 * @diag: says why, where the parameters are to blame
 * @next_id: the next block id that nobody has
 * @err: the first error; once set, what is added is dropped
 * @ids: full blocks of the prompt in the making
 * @len: its tokens so far
 * @tenant: whose it is; stays until it is set anew
 */
struct build {
	struct trace trace;
	struct rng rng;
	uint64_t seed;
	struct diag *diag;
	uint64_t next_id;
	int err;
	struct id_runs ids;
	uint32_t len;
	uint64_t tenant;
};

/**
 * struct workload_ops - a family of workloads
 * @keys: its parameters
 * @kv_blocks: the pool that it asks for, 0 where it asks for none
 * @kv_share: or that pool as a share of the blocks that can be hit, 0 for none
 * @generate: adds requests by rising arrival; errors are @build's
 */
struct workload_ops {
	const struct workload_key *keys;
	uint32_t kv_blocks;
	double kv_share;
	void (*generate)(struct build *build, const struct workload_spec *spec);
};

extern const struct workload_ops workload_agent;
extern const struct workload_ops workload_flood;
extern const struct workload_ops workload_attack;
extern const struct workload_ops workload_long;
extern const struct workload_ops workload_mixed;
extern const struct workload_ops workload_mixed_halves;
extern const struct workload_ops workload_musique;
extern const struct workload_ops workload_musique_unique;
extern const struct workload_ops workload_sec;
extern const struct workload_ops workload_sec_dynamic;
extern const struct workload_ops workload_secqa;
extern const struct workload_ops workload_secqa_chunks;
extern const struct workload_ops workload_tenants;
extern const struct workload_ops workload_toolagent;
extern const struct workload_ops workload_whole;
extern const struct workload_ops workload_whole_dynamic;

/* Set the first error. Return: Whether there is none. */
bool build_check(struct build *build, int err);

/* First of @num block ids that nobody else gets. */
uint64_t build_ids(struct build *build, uint64_t num);

/* Index of a phase; 0 on an error. Asked for once there is a request for it. */
uint32_t build_phase(struct build *build, const char *name);

/* A whole number from @min to @max, both included. */
uint32_t build_uniform(struct build *build, uint32_t min, uint32_t max);

/* A log-normal length; what falls outside is moved to the nearer end. */
uint32_t build_lognormal(struct build *build, double median, double sigma,
			 uint32_t min, uint32_t max);

/**
 * prompt_extend() - add tokens to the prompt in the making
 * @tokens: how many
 * @id: of the first block that ends in them, the others follow it
 *
 * A block is full when its last token comes, so it belongs to the part that
 * this token is from.
 */
void prompt_extend(struct build *build, uint32_t tokens, uint64_t id);

/* The same with tokens that no other request has. */
void prompt_own(struct build *build, uint32_t tokens);

/* The prompt is complete; the next one begins empty. */
void prompt_end(struct build *build, double arrival_ms, uint32_t phase);

/* Seconds as whole milliseconds, to the nearest. */
double whole_ms(double seconds);

/**
 * struct arrivals - a Poisson process
 * @build: its generator
 * @now: seconds, of the last arrival
 * @gap: mean seconds between two
 * @end: no arrival from here on
 * @left: arrivals that it still gives at most
 */
struct arrivals {
	struct build *build;
	double now;
	double gap;
	double end;
	uint64_t left;
};

/**
 * arrivals_span() - arrivals over a span of time
 * @rate: a second
 * @start: in seconds
 * @end: in seconds
 *
 * Sets an error when more are to be expected than a trace may have.
 */
void arrivals_span(struct arrivals *arrivals, struct build *build, double rate,
		   double start, double end);

/* The same for a number of arrivals, however long they take. */
void arrivals_count(struct arrivals *arrivals, struct build *build, double rate,
		    double start, uint64_t num);

/* Return: Whether there is one more, at @arrivals->now, and no error. */
bool arrivals_next(struct arrivals *arrivals);

/*
 * Every family begins its table of keys with the first two, since a load can
 * be asked for instead of a rate: the arrivals are then those of the default
 * rate, and whoever asked for the workload scales them. Most have the other two
 * as well; requests instead of seconds give that many. @unit: what arrives.
 */
enum {
	KEY_RATE,
	KEY_LOAD,
	KEY_SECONDS,
	KEY_COUNT,
	KEY_OWN,
};

#define RATE_KEYS(rate)                                             \
	KEY_REAL("rate", rate, 0.001, 10000.0),                     \
	{                                                           \
		"load", 0, 0.001, 1000, WORKLOAD_REAL, NULL, "rate" \
	}

#define ARRIVAL_KEYS(rate, seconds, unit)                                \
	RATE_KEYS(rate), KEY_WHOLE("seconds", seconds, 1, 10000000),     \
	{                                                                \
		unit, 0, 1, WORKLOAD_MAX_REQUESTS, WORKLOAD_WHOLE, NULL, \
			"seconds"                                        \
	}

/* Arrivals as those keys want them. */
void arrivals_spec(struct arrivals *arrivals, struct build *build,
		   const struct workload_spec *spec);

/**
 * struct zipf - popularity: rank k, from 0, weighs (k + 1)^-s
 * @sum: weights up to and with each rank
 * @num: ranks
 */
struct zipf {
	double *sum;
	uint32_t num;
};

void zipf_init(struct zipf *zipf, struct build *build, uint32_t num, double s);
void zipf_destroy(struct zipf *zipf);
uint32_t zipf_draw(const struct zipf *zipf, struct rng *rng);

/**
 * struct document - text that many prompts begin with
 * @first_id: of its full blocks
 * @len: tokens
 */
struct document {
	uint64_t first_id;
	uint32_t len;
};

void document_init(struct document *doc, struct build *build, uint32_t len);

#endif
