/* SPDX-License-Identifier: Apache-2.0 */
#include "timestamp.h"

#include "tools/base/number.h"

/* Takes one character off. */
static bool take_char(struct span *text, const char *any)
{
	if (!text->len || !*text->at || !strchr(any, *text->at))
		return false;
	text->at++;
	text->len--;
	return true;
}

/* Takes a number of exactly @digits digits off. */
static bool take_number(struct span *text, size_t digits, int min, int max,
			int *number)
{
	struct span piece = {text->at, digits};
	uint64_t value;

	if (text->len < digits || !span_u64(piece, min, max, &value))
		return false;
	text->at += digits;
	text->len -= digits;
	*number = (int)value;
	return true;
}

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of(int year, int month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30,
					     31, 31, 30, 31, 30, 31};

	return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from the first one of the year 1. */
static int64_t day_number(int year, int month, int day)
{
	int64_t before = year - 1;
	int64_t days = before * 365 + before / 4 - before / 100 + before / 400;

	for (int m = 1; m < month; m++)
		days += days_of(year, m);
	return days + day - 1;
}

static const char *take_date(struct span *text, int64_t *days)
{
	int year, month, day;

	if (!take_number(text, 4, 1, 9999, &year) || !take_char(text, "-") ||
	    !take_number(text, 2, 0, 99, &month) || !take_char(text, "-") ||
	    !take_number(text, 2, 0, 99, &day) || !take_char(text, " T"))
		return "a time such as 2023-11-16 18:17:03.9799600";
	if (month < 1 || month > 12 || day < 1 || day > days_of(year, month))
		return "a day that the calendar has";
	*days = day_number(year, month, day);
	return NULL;
}

static const char *take_time(struct span *text, int64_t *seconds)
{
	int hour, minute, second;

	if (!take_number(text, 2, 0, 99, &hour) || !take_char(text, ":") ||
	    !take_number(text, 2, 0, 99, &minute) || !take_char(text, ":") ||
	    !take_number(text, 2, 0, 99, &second))
		return "a time such as 2023-11-16 18:17:03.9799600";
	if (hour > 23 || minute > 59 || second > 59)
		return "a time from 00:00:00 to 23:59:59";
	*seconds = hour * 3600 + minute * 60 + second;
	return NULL;
}

static const char *take_fraction(struct span *text, int64_t *ticks)
{
	int64_t unit = TICKS_PER_S;
	int digits = 0;
	int digit;

	*ticks = 0;
	if (!take_char(text, "."))
		return NULL;
	while (take_number(text, 1, 0, 9, &digit)) {
		unit /= 10;
		*ticks += digit * unit;
		digits++;
	}
	return digits >= 1 && digits <= 9 ? NULL
					  : "1 to 9 digits behind the point";
}

static const char *take_zone(struct span *text, int64_t *seconds)
{
	bool behind = text->len && *text->at == '-';
	int hour, minute;

	*seconds = 0;
	if (take_char(text, "Z") || !text->len)
		return NULL;
	if (!take_char(text, "+-") || !take_number(text, 2, 0, 23, &hour) ||
	    !take_char(text, ":") || !take_number(text, 2, 0, 59, &minute))
		return "nothing, Z or an offset such as +00:00 behind the time";
	*seconds = (hour * 3600 + minute * 60) * (behind ? -1 : 1);
	return NULL;
}

const char *timestamp_parse(struct span text, int64_t *ticks)
{
	int64_t days, seconds, fraction, offset;
	const char *why = take_date(&text, &days);

	if (!why)
		why = take_time(&text, &seconds);
	if (!why)
		why = take_fraction(&text, &fraction);
	if (!why)
		why = take_zone(&text, &offset);
	if (!why && text.len)
		why = "nothing behind the time";
	if (!why)
		*ticks = (days * 86400 + seconds - offset) * TICKS_PER_S +
			 fraction;
	return why;
}
