/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of the lines of tickwise doctor.
 */
#include "command/doctor/doctor.h"
#include "report/json_text.h"

json_t *tw_doctor_json(const struct tw_doctor_line lines[TW_DOCTOR_LINES])
{
	json_t *checks = json_array();

	for (int i = 0; i < TW_DOCTOR_LINES; i++)
		json_array_append_new(checks, json_pack("{ss, ss, so, so}",
			"name", lines[i].name,
			"status", tw_doctor_status_name(lines[i].status),
			"text", tw_json_text(lines[i].text),
			"fix", lines[i].fix[0] ? tw_json_text(lines[i].fix) :
						   json_null()));
	return json_pack("{ss, si, ss, so}", "schema", "tickwise-doctor", "version", 1,
			 "status", tw_doctor_status_name(tw_doctor_sum(lines)),
			 "checks", checks);
}
