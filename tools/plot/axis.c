/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "plot.h"

double plot_at(const struct plot_axis *axis, double value)
{
	if (axis->log)
		return log(value / axis->min) / log(axis->max / axis->min);
	return (value - axis->min) / (axis->max - axis->min);
}

size_t plot_chars(const char *text)
{
	size_t num = 0;

	for (; *text; text++)
		num += (*text & 0xc0) != 0x80;
	return num;
}

/* The largest of 1, 2 and 5 times a power of ten that is at most @value. */
static double round_down(double value)
{
	double power = pow(10.0, floor(log10(value)));
	double digit = value / power * (1.0 + 1e-9);

	return power * (digit >= 5.0 ? 5.0 : digit >= 2.0 ? 2.0 : 1.0);
}

static double round_up(double value)
{
	double low = round_down(value);

	if (low * (1.0 + 1e-9) >= value)
		return low;
	return round_down(low * 2.5 * (1.0 + 1e-6));
}

void plot_axis_fit(struct plot_axis *axis, double low, double high)
{
	if (axis->max > axis->min)
		return;
	if (!isfinite(low) || !isfinite(high) || high <= 0.0) {
		axis->min = axis->log ? 0.1 : 0.0;
		axis->max = 1.0;
		return;
	}
	if (!axis->log) {
		axis->min = 0.0;
		axis->max = high * 1.06;
		return;
	}
	axis->min = round_down(low > 0.0 ? low : high / 10.0);
	axis->max = round_up(high);
	if (axis->max < 2.0 * axis->min)
		axis->max = 2.0 * axis->min;
}

static void write_number(char *buf, size_t size, double value)
{
	static const struct {
		double one;
		const char *sign;
	} steps[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (fabs(value) >= steps[i].one * (1.0 - 1e-9)) {
			snprintf(buf, size, "%.4g%s", value / steps[i].one,
				 steps[i].sign);
			return;
		}
	snprintf(buf, size, "%.4g", value);
}

/* One unit for all ticks of an axis, by its length. */
static void write_clock(char *buf, size_t size, double value, double max)
{
	if (max <= 1200.0)
		snprintf(buf, size, "%.4g s", value);
	else if (max <= 4.0 * 3600.0)
		snprintf(buf, size, "%.4g min", value / 60.0);
	else
		snprintf(buf, size, "%.4g h", value / 3600.0);
}

static void write_tick(const struct plot_axis *axis, struct plot_tick *tick)
{
	char *buf = tick->text;
	size_t size = sizeof(tick->text);
	double value = tick->value;

	switch (axis->unit) {
	case PLOT_PERCENT:
		snprintf(buf, size, "%.4g%%", value);
		break;
	case PLOT_SECONDS:
		if (value > 0.0 && value < 0.0999)
			snprintf(buf, size, "%.4g ms", value * 1000.0);
		else
			snprintf(buf, size, "%.4g s", value);
		break;
	case PLOT_CLOCK:
		write_clock(buf, size, value, axis->max);
		break;
	default:
		write_number(buf, size, value);
	}
}

static double clock_unit(const struct plot_axis *axis)
{
	if (axis->unit != PLOT_CLOCK || axis->max <= 1200.0)
		return 1.0;
	return axis->max <= 4.0 * 3600.0 ? 60.0 : 3600.0;
}

static unsigned int linear_ticks(const struct plot_axis *axis,
				 unsigned int most, struct plot_tick *ticks)
{
	double unit = clock_unit(axis);
	double span = (axis->max - axis->min) / unit;
	double step = round_up(span / (double)most) * unit;
	double first = ceil(axis->min / step - 1e-9);
	unsigned int num = 0;

	/* Both ends may be ticks: one more than there are steps. */
	if ((first + most) * step <= axis->max * (1.0 + 1e-9)) {
		step = round_up(step / unit * 1.01) * unit;
		first = ceil(axis->min / step - 1e-9);
	}

	while (num < most && (first + num) * step <= axis->max * (1.0 + 1e-9)) {
		ticks[num].value = (first + num) * step;
		write_tick(axis, &ticks[num]);
		num++;
	}
	return num;
}

/* Which digits times a power of ten become ticks: the first that fit. */
static const double digit_sets[][3] = {{1.0, 2.0, 5.0}, {1.0, 5.0}, {1.0}};

static bool on_axis(const struct plot_axis *axis, double value)
{
	return value >= axis->min * 0.9999 && value <= axis->max * 1.0001;
}

/**
 * struct digits - which ticks a logarithmic axis gets
 * @set: digits that are multiplied by powers of ten
 * @skip: every so many powers
 * @first: powers after the axis' first one that are left out, below @skip
 */
struct digits {
	const double *set;
	int skip;
	int first;
};

/* How many ticks these are. At most @most of them are written. */
static unsigned int digit_ticks(const struct plot_axis *axis,
				const struct digits *digits, unsigned int most,
				struct plot_tick *ticks)
{
	int power = (int)floor(log10(axis->min) + 1e-9) + digits->first;
	unsigned int num = 0;

	for (; pow(10.0, power) <= axis->max * 1.0001; power += digits->skip)
		for (int i = 0; i < 3 && digits->set[i] > 0.0; i++) {
			double value = digits->set[i] * pow(10.0, power);

			if (!on_axis(axis, value))
				continue;
			if (num < most) {
				ticks[num].value = value;
				write_tick(axis, &ticks[num]);
			}
			num++;
		}
	return num;
}

/* Every @skip-th power, beginning where that gives most ticks. */
static unsigned int power_ticks(const struct plot_axis *axis, int skip,
				unsigned int most, struct plot_tick *ticks)
{
	struct digits best = {digit_sets[2], skip, 0};
	unsigned int num = 0;

	for (int first = 0; first < skip; first++) {
		struct digits digits = {digit_sets[2], skip, first};
		unsigned int now = digit_ticks(axis, &digits, 0, NULL);

		if (now <= num)
			continue;
		num = now;
		best = digits;
	}
	return digit_ticks(axis, &best, most, ticks);
}

static unsigned int log_ticks(const struct plot_axis *axis, unsigned int most,
			      struct plot_tick *ticks)
{
	unsigned int num;

	for (size_t i = 0; i < ARRAY_SIZE(digit_sets); i++) {
		struct digits digits = {digit_sets[i], 1, 0};

		num = digit_ticks(axis, &digits, most, ticks);
		if (num <= most)
			return num;
	}
	for (int skip = 2; num > most; skip++)
		num = power_ticks(axis, skip, most, ticks);
	return num;
}

unsigned int plot_axis_ticks(const struct plot_axis *axis, unsigned int most,
			     struct plot_tick *ticks)
{
	if (most > PLOT_MAX_TICKS)
		most = PLOT_MAX_TICKS;
	return axis->log ? log_ticks(axis, most, ticks)
			 : linear_ticks(axis, most, ticks);
}
