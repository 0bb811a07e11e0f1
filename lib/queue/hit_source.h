/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_HIT_SOURCE_H
#define LIB_QUEUE_HIT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <fairway/request.h>

#include "lib/base/entry.h"

/*
 * Where an order gets hits from that nobody reports. The queue knows no index:
 * lib/cache has one, and fulfils this.
 *
 * A request is watched while it waits with keys. When its hit changes, the
 * source calls fw_lanes_set_hit() for the lanes that it waits in, or
 * fw_tenants_set_hit() where these are a tenant's.
 */

struct fw_hit_source;

/**
 * struct fw_hit_source_ops - what an order asks of a source
 * @watch: follow the hit of a request, also of one that is watched already and
 *	whose keys changed. Gives its tokens now, at least req->hit. 0, -ENOMEM;
 *	cannot fail for one that was watched or was admitted last
 * @unwatch: no more
 * @flush: move those whose hit changed; were all moved?
 * @catch_up: move this one now; did its hit change?
 * @hit: tokens that count for a watched request
 */
struct fw_hit_source_ops {
	int (*watch)(struct fw_hit_source *source, struct fw_request *req,
		     uint32_t *hit);
	void (*unwatch)(struct fw_hit_source *source, struct fw_request *req);
	bool (*flush)(struct fw_hit_source *source);
	bool (*catch_up)(struct fw_hit_source *source, struct fw_request *req);
	uint32_t (*hit)(const struct fw_hit_source *source,
			const struct fw_request *req);
};

/**
 * struct fw_hit_source - a source; struct fw_cache begins with it
 * @ops: what it does
 * @users: orders that use it
 * @max_moved: moves of one pass, 0 for any number
 */
struct fw_hit_source {
	const struct fw_hit_source_ops *ops;
	uint32_t users;
	uint32_t max_moved;
};

/* In order mode no request has a ticket, so the word says if it is watched. */
static inline bool fw_hit_watched(const struct fw_request *req)
{
	return fw_entry_const(req)->ticket;
}

static inline void fw_hit_set_watched(struct fw_request *req, bool watched)
{
	fw_entry(req)->ticket = watched;
}

#endif
