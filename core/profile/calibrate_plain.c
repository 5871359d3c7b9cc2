/* SPDX-License-Identifier: MIT */
/* The functions of calibrate_hooked.c, built without hooks. */
#define TW_CALIBRATE_PLAIN
#include "calibrate_hooked.c"
