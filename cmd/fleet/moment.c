/* SPDX-License-Identifier: BSD-2-Clause */
/* Moments as people write them: -90s, -5m, -1h, -2d, 13:30, 2026-01-31, 2026-01-31T13:30:00, now. */
#include "past.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000ull

static bool read_age(const char *text, uint64_t now, uint64_t *moment)
{
	static const struct { char unit; uint64_t seconds; } units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 7 * 86400 },
	};
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || end[0] == '\0' || end[1] != '\0' || n > 100000000)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (units[i].unit == *end && n * units[i].seconds < now / SECOND) {
			*moment = now - n * units[i].seconds * SECOND;
			return true;
		}
	return false;
}

bool moment_read(const char *text, uint64_t now, uint64_t *moment)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
		"%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M" };
	time_t today = (time_t)(now / SECOND);

	if (text[0] == '-')
		return read_age(text + 1, now, moment);
	*moment = now;
	if (strcmp(text, "now") == 0)
		return true;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm;
		const char *end;
		time_t t;

		localtime_r(&today, &tm);
		tm.tm_sec = 0;
		if (forms[i][1] == 'Y')
			tm.tm_hour = tm.tm_min = 0;
		tm.tm_isdst = -1;
		end = strptime(text, forms[i], &tm);
		if (end == NULL || *end != '\0' || (t = mktime(&tm)) <= 0)
			continue;
		*moment = (uint64_t)t * SECOND;
		return true;
	}
	return false;
}

const char *moment_text(uint64_t moment, char text[32])
{
	time_t t = (time_t)(moment / SECOND);
	struct tm tm;

	if (localtime_r(&t, &tm) == NULL || strftime(text, 32, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		strcpy(text, "?");
	return text;
}
