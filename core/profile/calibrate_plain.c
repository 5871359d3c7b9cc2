/* SPDX-License-Identifier: MIT */
/* calibrate_hooked.c's functions without hooks. */
#define TW_CALIBRATE_PLAIN
#include "calibrate_hooked.c"
