/* SPDX-License-Identifier: MIT */
/*
 * The two ways of printing what tickwise check found.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include "tickwise.h"

/* For people. @options says what was asked for: its tolerance is printed. */
void tw_check_print_page(const struct tw_reliability *result,
			 const struct tw_machine *machine,
			 const struct tw_counter_facts *counter,
			 const struct tw_reliability_options *options);

/* One object, schema tickwise-check. Return: 0; -ENOMEM. Errors of writing
 * are left in stdout's error flag. */
int tw_check_print_json(const struct tw_reliability *result,
			const struct tw_machine *machine,
			const struct tw_counter_facts *counter);

#endif
