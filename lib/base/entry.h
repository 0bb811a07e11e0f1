/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_ENTRY_H
#define LIB_BASE_ENTRY_H

#include <stdint.h>

#include <fairway/request.h>

#include "compiler.h"

/* Bytes that each part of an entry has. */
#define FW_ENTRY_QUEUED 80
#define FW_ENTRY_WATCHED 40

/**
 * struct fw_entry - what the library keeps of a request, in its priv
 * @queued: of the order that the request waits in. For the lanes that is
 *	struct fw_queued; another order keeps a struct of its own here
 * @watched: of the index: struct fw_watched
 * @blocks: while it waits, blocks that are cached now. The index writes it,
 *	others read it
 * @sequence: once it has begun, its place among the planner's sequences
 * @ticket: of the runtime: its slot plus 1, by which all else is found that
 *	the runtime keeps of a request; 0 while no runtime has it. In order
 *	mode: is its hit followed? (lib/queue/hit_source.h)
 *
 * This is the layout and nothing more. The owner of a part names its fields in
 * its own header and checks there that they fit.
 */
struct FW_MAY_ALIAS fw_entry {
	_Alignas(8) unsigned char queued[FW_ENTRY_QUEUED];
	_Alignas(8) unsigned char watched[FW_ENTRY_WATCHED];
	union {
		uint32_t blocks;
		uint32_t sequence;
	};
	uint32_t ticket;
};

_Static_assert(sizeof(struct fw_request) == 256, "the ABI's size");
_Static_assert(offsetof(struct fw_request, priv) == 128, "the public half");
_Static_assert(sizeof(struct fw_entry) <= 128, "fits the private half");

static inline struct fw_entry *fw_entry(struct fw_request *req)
{
	return (struct fw_entry *)req->priv;
}

static inline const struct fw_entry *
fw_entry_const(const struct fw_request *req)
{
	return (const struct fw_entry *)req->priv;
}

#endif
