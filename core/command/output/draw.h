/* SPDX-License-Identifier: MIT */
/*
 * Draws a plot as SVG that needs no script. The classes s0, s1, ...
 * are colours, which the page's style defines for light and dark.
 */
#ifndef TW_OUTPUT_DRAW_H
#define TW_OUTPUT_DRAW_H

#include <stdio.h>

struct tw_plot;

void tw_draw_plot(FILE *file, const struct tw_plot *plot);

#endif
