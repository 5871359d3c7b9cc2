/* SPDX-License-Identifier: MIT */
/*
 * Groups of the reasons of an estimate, which are bits of enum
 * tw_reliability_reason. trust.c decides what follows from them. Internal.
 */
#ifndef TW_ESTIMATE_REASONS_H
#define TW_ESTIMATE_REASONS_H

#include "tickwise.h"

/* No noise explains these. */
#define TW_REASONS_PROOF	(TW_REASON_OFFSET | TW_REASON_PACE | \
				 TW_REASON_STANDS_STILL | TW_REASON_BACKWARDS)
/* More samples may settle these. */
#define TW_REASONS_FEW		(TW_REASON_TOLERANCE | TW_REASON_STATISTICS)
#define TW_REASONS_DOUBT	(TW_REASONS_FEW | TW_REASON_CPUS_SKIPPED)

#endif
