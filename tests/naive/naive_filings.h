/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_NAIVE_FILINGS_H
#define TESTS_NAIVE_NAIVE_FILINGS_H

#include "tools/trace/trace.h"

/**
 * struct naive_filings - the parameters of sec and its kin
 * @requests: prompts, at 2.5 a second
 * @filings: how many
 * @zipf: of their popularity
 * @passages: of a filing
 * @passage_zipf: of theirs
 * @median: tokens of a passage
 * @sigma: the same
 * @least: passages of a prompt, at least
 * @most: the same, at most
 */
struct naive_filings {
	unsigned int requests;
	unsigned int filings;
	double zipf;
	unsigned int passages;
	double passage_zipf;
	double median;
	double sigma;
	unsigned int least;
	unsigned int most;
};

/*
 * The same distribution as the workload's, written from its description alone:
 * other draws by other methods, ids by what a block's prefix says. @trace is
 * initialised here, with the pool of a quarter. Aborts without memory.
 */
void naive_filings(struct trace *trace, const struct naive_filings *of,
		   uint64_t seed);

#endif
