/* SPDX-License-Identifier: MIT */
/*
 * The error of a clock in a run, as numbers. The JSON of a report has it, and was
 * checked when the report was read.
 */
#ifndef TW_REPORT_CLOCK_ERRORS_H
#define TW_REPORT_CLOCK_ERRORS_H

#include "report/report.h"

/* Tickwise's rate, measured over the whole run. */
struct tw_report_refit {
	int known;
	double hz;
	double bound_ppb;		/* hard */
	double frozen_error_ppb;	/* error of the rate that was used */
};

/* A clock's error in a run: positive = it ran fast of @against. */
struct tw_report_clock {
	const json_t *json;		/* NULL: not in the report */
	const char *against;
	const char *kind;		/* source or clocksource; "" */
	double error_ns;
	double error_ppb;
	double uncertainty_ns;
	double uncertainty_ppb;
	double hz;			/* of tickwise only; 0: not in the report */
	double bound_ppb;		/* of hz, a hard bound; 0: not in the report */
	double window_ns;		/* time of the calibration; 0: not in the report */
	uint64_t over_ns;
	struct tw_report_refit refit;
};

/* Read one of a report's clocks. */
void tw_report_clock_of(struct tw_report_clock *clock, const struct tw_report *report,
			enum tw_report_clock_name which);

/* Return the clock with its error against CLOCK_MONOTONIC. Return: 0: not in
 * the report. */
int tw_report_clock_off_monotonic(const struct tw_report_clock *clock,
				  struct tw_report_clock *off);

#endif
