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

	while (num < most && (first + num) * step <= axis->max * (1.0 + 1e-9)) {
		ticks[num].value = (first + num) * step;
		write_tick(axis, &ticks[num]);
		num++;
	}
	return num;
}

/* Every 1, 2 and 5, or every power of ten, or every second of them ... */
static unsigned int log_ticks(const struct plot_axis *axis, unsigned int most,
			      struct plot_tick *ticks)
{
	double decades = log10(axis->max / axis->min);
	bool fine = decades * 3.0 <= (double)most;
	int skip = (int)ceil(decades / (double)most);
	int power = (int)floor(log10(axis->min) + 1e-9);
	static const double digits[] = {1.0, 2.0, 5.0};
	unsigned int num = 0;

	for (; num < most && pow(10.0, power) <= axis->max * 1.0001;
	     power += skip > 1 ? skip : 1)
		for (int i = 0; i < (fine ? 3 : 1) && num < most; i++) {
			double value = digits[i] * pow(10.0, power);

			if (value < axis->min * 0.9999 ||
			    value > axis->max * 1.0001)
				continue;
			ticks[num].value = value;
			write_tick(axis, &ticks[num++]);
		}
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
