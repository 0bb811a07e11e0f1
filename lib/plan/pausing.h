/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_PLAN_PAUSING_H
#define LIB_PLAN_PAUSING_H

#include "planner.h"

/**
 * fw_plan_by_order() - plan a step in which all that is unfinished competes
 * @planner: with pausing, its plan empty
 * @now: seconds since open
 *
 * The order gives who is next, begun or waiting. At the first that waits and
 * cannot be admitted it is asked no more: what is left of the budget goes to
 * those that have begun and got nothing in this step, by arrival. So a step
 * makes progress while anything is unfinished: whoever has begun holds all of
 * its blocks.
 *
 * Return: 0, -ENOMEM as fw_planner_step().
 */
int fw_plan_by_order(struct fw_planner *planner, double now);

#endif
