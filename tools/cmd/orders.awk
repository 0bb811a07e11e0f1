# SPDX-License-Identifier: Apache-2.0
#
# orders.awk: what orders.sh prints of its runs. Each line has a setting, a
# seed, a policy, the median, p99 and worst time to first token, and the mean
# time of a step.

BEGIN {
	FS = ","
	num = split("fcfs lpm fairway srpf fcfs:protect lpm:protect " \
		"fairway:protect srpf:protect", policies, " ")
}

# A name of a setting may have commas: count from the end.
{
	policy = $(NF - 4)
	seed = $(NF - 5)
	setting = $1
	for (i = 2; i < NF - 5; i++)
		setting = setting "," $i
	if (!(setting in places))
		settings[++num_settings] = setting
	at = setting SUBSEP place_of(setting, seed) SUBSEP policy
	p50[at] = $(NF - 3)
	p99[at] = $(NF - 2)
	worst[at] = $(NF - 1)
	but_a_step[at] = $(NF - 1) - $NF
}

# Seeds in the order in which they come: the place of this one.
function place_of(setting, seed)
{
	if (!((setting, seed) in place))
		place[setting, seed] = ++places[setting]
	return place[setting, seed]
}

function value(table, setting, n, policy)
{
	return table[setting, n, policy]
}

# Of an even number the mean of the middle two.
function median(table, setting, policy,    n, i, j, v, sorted)
{
	n = places[setting]
	for (i = 1; i <= n; i++) {
		v = value(table, setting, i, policy)
		for (j = i; j > 1 && sorted[j - 1] > v; j--)
			sorted[j] = sorted[j - 1]
		sorted[j] = v
	}
	if (n % 2)
		return sorted[(n + 1) / 2]
	return (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

# Under how many seeds is it at most @most times that of @other?
function within(table, setting, policy, other, most,    i, held)
{
	held = 0
	for (i = 1; i <= places[setting]; i++)
		held += (value(table, setting, i, policy) <= \
			most * value(table, setting, i, other))
	return held
}

# The largest ratio to that of @other, over the seeds.
function farthest(table, setting, policy, other,    i, ratio, most)
{
	most = 0
	for (i = 1; i <= places[setting]; i++) {
		ratio = value(table, setting, i, policy) / \
			value(table, setting, i, other)
		most = ratio > most ? ratio : most
	}
	return most
}

function seconds(v)
{
	if (v < 9.995)
		return sprintf("%.2f", v)
	return sprintf(v < 99.95 ? "%.1f" : "%.0f", v)
}

function print_row(setting, policy)
{
	printf "| %s | %s | %s | %s | %s | %d | %d |\n", setting, policy,
		seconds(median(p50, setting, policy)),
		seconds(median(p99, setting, policy)),
		seconds(median(worst, setting, policy)),
		within(p50, setting, policy, "lpm", 1.1),
		within(p99, setting, policy, "fcfs", 1.1)
}

function print_setting(setting,    i)
{
	print ""
	printf "| %s | policy | median | p99 | worst | near lpm | near fcfs |\n",
		(places[setting] > 1) ? places[setting] " seeds" : "recorded"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= num; i++)
		print_row(setting, policies[i])
}

# A target: under @held of all seeds, where @wanted would do.
function target(text, held, all, wanted, note)
{
	printf "| %s | %d of %d | %s | %s |\n", text, held, all, note,
		(held >= wanted) ? "met" : "missed"
}

function judge_spike(policy,    s, n)
{
	s = "sec-dynamic, spike"
	n = places[s]
	if (!n)
		return
	target(policy ": spike, median at most 1.1 of lpm's, on most",
		within(p50, s, policy, "lpm", 1.1), n, int(n / 2) + 1,
		sprintf("%.2f", farthest(p50, s, policy, "lpm")))
	target(policy ": spike, p99 at most 1.1 of that of fcfs, on all",
		within(p99, s, policy, "fcfs", 1.1), n, n,
		sprintf("%.2f", farthest(p99, s, policy, "fcfs")))
}

function judge_agents(s, policy,    n)
{
	n = places[s]
	if (!n)
		return
	target(policy ": " s ", median under a tenth of lpm's",
		within(p50, s, policy, "lpm", 0.1), n, n,
		sprintf("%.3f", farthest(p50, s, policy, "lpm")))
	target(policy ": " s ", p99 at most 1.5 of that of fcfs",
		within(p99, s, policy, "fcfs", 1.5), n, n,
		sprintf("%.2f", farthest(p99, s, policy, "fcfs")))
}

# The target allows for one step.
function judge_flood(policy,    s, n, i, held)
{
	s = "flood: misses"
	n = places[s]
	for (i = 1; i <= n; i++)
		held += (but_a_step[s, i, policy] <= \
			1.5 * worst[s, i, "fcfs"])
	if (n)
		target(policy ": flood, worst miss at most 1.5 of that of " \
			"fcfs and a mean step", held, n, n,
			sprintf("%.2f", farthest(worst, s, policy, "fcfs")))
}

function judge(policy,    i)
{
	judge_spike(policy)
	for (i = 1; i <= num_settings; i++)
		if (settings[i] ~ /^agents/)
			judge_agents(settings[i], policy)
	judge_flood(policy)
}

END {
	for (k = 1; k <= num_settings; k++)
		print_setting(settings[k])
	print ""
	print "| target | held | largest ratio | |"
	print "|---|---|---|---|"
	judge("srpf")
	judge("srpf:protect")
}
