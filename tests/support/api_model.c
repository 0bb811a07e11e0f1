/* SPDX-License-Identifier: Apache-2.0 */
#include "api_model.h"

#include "lib/queue/queued.h"

uint32_t api_model_count(const struct history *h, enum model_state state)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < REQS; i++)
		num += h->reqs[i].state == state;
	return num;
}

uint32_t api_model_places(const struct history *h)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < REQS; i++)
		num += h->reqs[i].place;
	return num;
}

void api_model_went_back(struct history *h, struct model_req *r)
{
	if (r->state != RUNNING || !r->may_fail || !h->max_retries)
		return;
	h->counts->retried++;
	r->state = WAITING;
	r->may_fail = r->failed = false;
}

/* An end must have a reason that the history gives. */
static void check_end(const struct history *h, const struct model_req *r,
		      const struct fw_result *result)
{
	switch (result->outcome) {
	case FW_DONE:
		promise(r->state == RUNNING && !r->cancelled && !r->failed,
			"what is done was computed");
		promise(r->next == r->req.len, "to its last token");
		promise(result->cached + result->computed == r->req.len,
			"and each token was cached or computed");
		break;
	case FW_CANCELLED:
		promise(r->cancelled || h->closing,
			"who is cancelled was cancelled");
		break;
	case FW_REJECTED:
		promise(r->state == WAITING, "a rejected one never ran");
		promise(h->asks || r->req.len > h->num_blocks * BLOCK,
			"and has a reason");
		break;
	case FW_EXPIRED:
		promise(r->state == WAITING && r->req.max_wait,
			"only who waits expires");
		promise(result->ended - r->req.arrival >= r->req.max_wait - 1,
			"and not too early");
		break;
	case FW_FAILED:
		promise(r->may_fail, "who failed had a plan that failed");
		promise(result->retries == h->max_retries,
			"once more than it may");
		break;
	}
}

void api_model_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct history *h = ctx;
	struct model_req *r = &h->reqs[req->id];

	promise(r->state != UNUSED, "a request ends once");
	if (result->outcome == FW_EXPIRED || result->outcome == FW_REJECTED)
		api_model_went_back(h, r);
	promise(!r->cancelled || result->outcome == FW_CANCELLED,
		"a cancel that was promised is kept");
	check_end(h, r, result);
	h->counts->ended[result->outcome]++;
	note(h, req->id << 8 | (uint64_t)result->outcome);
	note(h, (uint64_t)result->reason << 32 | result->cached);
	r->state = UNUSED;
	r->place = false;
}

enum fw_admit api_model_admit(void *ctx, struct fw_request *req,
			      uint32_t cached)
{
	struct history *h = ctx;
	uint32_t answer = take(h) & 15;

	api_model_went_back(h, &h->reqs[req->id]);
	promise(h->reqs[req->id].state == WAITING, "only who waits is offered");
	promise(cached < req->len, "one token is always left");
	if (answer == 1 || answer == 2) {
		h->skipped = true;
		return FW_ADMIT_SKIP;
	}
	if (answer == 3)
		return FW_ADMIT_FULL;
	return answer == 4 ? FW_ADMIT_NEVER : FW_ADMIT_FITS;
}

/* Nobody else was to go first, by the rules alone. */
static void check_order(struct history *h, const struct fw_decision *decision)
{
	const struct fw_request *waiting[REQS];
	size_t num = 0;

	/* Other settings, and a skipped request, have rules of their own. */
	if (!h->plain || h->asks)
		return;
	for (uint32_t i = 0; i < REQS; i++)
		if (fw_queued(&h->reqs[i].req)->lanes)
			waiting[num++] = &h->reqs[i].req;
	promise(num == decision->waiting + 1, "all that wait are counted");
	promise(merge_check(&h->merge, decision, waiting, num, h->now),
		"the merge goes by its rules");
}

void api_model_decided(void *ctx, const struct fw_decision *decision)
{
	struct history *h = ctx;
	struct model_req *r = &h->reqs[decision->request->id];

	api_model_went_back(h, r);
	check_order(h, decision);
	promise(r->state == WAITING, "only who waits is admitted");
	promise(!r->cancelled, "a cancelled one never reaches the executor");
	for (uint32_t i = 0; i < REQS && !h->skipped; i++)
		promise(h->reqs[i].state != WAITING ||
				h->reqs[i].req.priority <= r->req.priority,
			"a higher class goes first");
	promise(decision->cached < r->req.len && decision->hit < r->req.len,
		"one token is always left");
	r->state = RUNNING;
	r->may_fail = r->failed = false;
	r->place = false;
	r->next = decision->cached;
}

void api_model_plan(struct history *h, const struct fw_plan *plan)
{
	uint32_t tokens = 0;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *e = &plan->entries[i];
		struct model_req *r = &h->reqs[e->request];

		promise(r->state == RUNNING, "what is planned was admitted");
		promise(e->first == r->next && e->count, "no token twice");
		r->next += e->count;
		r->may_fail |= h->failing;
		promise(!(e->flags & FW_PLAN_LAST) == (r->next < r->req.len),
			"the last chunk says so");
		tokens += e->count;
		note(h, e->request << 32 | e->first);
		note(h, e->count);
	}
	promise(tokens == plan->num_tokens && tokens <= h->budget,
		"a plan keeps to its budget");
}
