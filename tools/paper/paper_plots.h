/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PAPER_PAPER_PLOTS_H
#define TOOLS_PAPER_PAPER_PLOTS_H

struct html;
struct paper_table;

/**
 * paper_profile() - draw how far each policy is from the best
 * @html: gets the plot, with the table behind it
 * @table: a matrix of at least one scenario: policies by scenarios, the least
 *	is the best
 *
 * A performance profile (Dolan and More, Mathematical Programming 91, 2002):
 * the share of scenarios in which a policy's figure is at most x times the
 * least one of that scenario, over x.
 */
void paper_profile(struct html *html, const struct paper_table *table);

#endif
