/* SPDX-License-Identifier: MIT */
/* Times of ISO 8601, such as 2026-11-28, 2026-11-28T20:15, 2026-11-28 20:15:30.25Z and 2026-11-28T21:15:30+01:00. */
#ifndef TVGP__PARTS_SERVE_ISO_TIME_H
#define TVGP__PARTS_SERVE_ISO_TIME_H

/* Seconds since 1970 in UTC, which a text without zone is in; 0: the text is no such time. */
int tvgp__iso_time_read(const char *text, double *seconds);

#endif
