/* SPDX-License-Identifier: Apache-2.0 */
#include "moment.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "tools/base/number.h"
#include "timestamp.h"

enum {
	NS_PER_MS = 1000000
};

/**
 * struct unit - how a unit counts
 * @name: as users write it
 * @ms: milliseconds of one, or 0 where it is shorter than one
 * @ns: nanoseconds of one, or 0 where it is a millisecond or longer
 * @places: decimals of one down to the nanosecond
 */
struct unit {
	const char *name;
	uint32_t ms;
	uint32_t ns;
	int places;
};

static const struct unit units[] = {
	[TIME_S] = {"s", 1000, 0, 9},
	[TIME_MS] = {"ms", 1, 0, 6},
	[TIME_US] = {"us", 0, 1000, 3},
	[TIME_NS] = {"ns", 0, 1, 0},
};

enum {
	NUM_UNITS = sizeof(units) / sizeof(units[0])
};

const char *time_unit_name(enum time_unit unit)
{
	return units[unit].name;
}

enum time_unit time_unit_find(const char *name)
{
	for (int i = TIME_S; i < NUM_UNITS; i++)
		if (!strcmp(units[i].name, name))
			return (enum time_unit)i;
	return TIME_UNKNOWN;
}

enum time_unit time_unit_of_epoch(double count)
{
	double from = 1e9;

	for (int i = TIME_S; i < NUM_UNITS; i++, from *= 1000.0)
		if (count >= from && count < 10.0 * from)
			return (enum time_unit)i;
	return TIME_UNKNOWN;
}

double time_unit_per_s(enum time_unit unit)
{
	double per_s = 1.0;

	for (int i = TIME_S; i < (int)unit; i++)
		per_s *= 1000.0;
	return per_s;
}

static bool in_range(struct moment at)
{
	return at.ms < MOMENT_MAX_MS || (at.ms == MOMENT_MAX_MS && !at.ns);
}

/* Whole units and nanoseconds past them. */
static bool combine(uint64_t whole, uint32_t ns, const struct unit *unit,
		    struct moment *at)
{
	uint64_t ms, rest = ns;

	if (unit->ms) {
		if (__builtin_mul_overflow(whole, unit->ms, &ms))
			return false;
	} else {
		ms = whole / (NS_PER_MS / unit->ns);
		rest += whole % (NS_PER_MS / unit->ns) * unit->ns;
	}
	ms += rest / NS_PER_MS;
	if (ms > (uint64_t)MOMENT_MAX_MS)
		return false;
	at->ms = (int64_t)ms;
	at->ns = (uint32_t)(rest % NS_PER_MS);
	return in_range(*at);
}

/* Decimals as nanoseconds; all of them must be digits. */
static bool read_decimals(struct span text, int places, uint32_t *ns)
{
	uint32_t value = 0;

	for (int i = 0; i < places; i++)
		value = value * 10 + ((size_t)i < text.len
					      ? (uint32_t)(text.at[i] - '0')
					      : 0);
	*ns = value;
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)(text.at[i] - '0') > 9)
			return false;
	return text.len;
}

/* What has an exponent was rounded when it was written. */
static bool parse_rounded(struct span text, const struct unit *unit,
			  struct moment *at)
{
	double value, whole;

	if (!memchr(text.at, 'e', text.len) && !memchr(text.at, 'E', text.len))
		return false;
	if (!span_real(text, 0.0, 0x1p63, &value))
		return false;
	whole = floor(value);
	if (whole >= 0x1p63)
		return false;
	return combine((uint64_t)whole,
		       (uint32_t)((value - whole) *
				  (unit->ms ? unit->ms * 1e6 : unit->ns)),
		       unit, at);
}

bool moment_parse(struct span text, enum time_unit unit, struct moment *at)
{
	const struct unit *by = &units[unit];
	struct span rest = text, digits;
	struct moment read;
	uint32_t ns = 0;
	uint64_t whole;

	assert(unit != TIME_UNKNOWN);
	if (!text.len)
		return false;
	span_cut(&rest, '.', &digits);
	if ((span_u64(digits, 0, UINT64_MAX, &whole) &&
	     (!rest.at || read_decimals(rest, by->places, &ns)) &&
	     combine(whole, ns, by, &read)) ||
	    parse_rounded(text, by, &read)) {
		*at = read;
		return true;
	}
	return false;
}

bool moment_of_day(struct span text, struct moment *at)
{
	int64_t ticks;

	if (timestamp_parse(text, &ticks))
		return false;
	at->ms = ticks / (TICKS_PER_S / 1000);
	at->ns = (uint32_t)(ticks % (TICKS_PER_S / 1000)) * 100;
	return true;
}

int moment_compare(struct moment a, struct moment b)
{
	if (a.ms != b.ms)
		return a.ms < b.ms ? -1 : 1;
	return (a.ns > b.ns) - (a.ns < b.ns);
}

double moment_between(struct moment from, struct moment to)
{
	int64_t ms = to.ms - from.ms;
	int64_t ns = (int64_t)to.ns - (int64_t)from.ns;

	if (ns < 0) {
		ms--;
		ns += NS_PER_MS;
	}
	return (double)ms + (double)ns / 1e6;
}

struct moment moment_after(struct moment at, double ms)
{
	double whole = floor(ms);

	at.ms += (int64_t)whole;
	at.ns += (uint32_t)((ms - whole) * 1e6);
	if (at.ns >= NS_PER_MS) {
		at.ms++;
		at.ns -= NS_PER_MS;
	}
	return at;
}
