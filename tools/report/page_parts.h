/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_PAGE_PARTS_H
#define TOOLS_REPORT_PAGE_PARTS_H

#include "page.h"

/*
 * The parts of the page, each in a file of its own. html.c calls them in the
 * order of the page, and no part calls another. A part adds the points of its
 * plots to the page's data. A part that fails says so by page_fail().
 */

void page_verdict(struct page *page); /* the answer, in words */
void page_targets(struct page *page); /* which targets were met */
void page_phases(struct page *page); /* p99 and median of each phase */
void page_spreads(struct page *page); /* how soon, and the slowest */
void page_queue(struct page *page); /* who waits, over time */
void page_bins(struct page *page); /* by prompt length and by cached share */
void page_worst(struct page *page); /* who waited longest, and why */
void page_lanes(struct page *page); /* what each lane released */

#endif
