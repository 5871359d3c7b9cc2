/* SPDX-License-Identifier: MIT */
/*
 * The view that plots are drawn in. The page scales it to its own width, and
 * uses larger letters on narrow screens. The margins have room for these.
 */
#ifndef TW_OUTPUT_VIEW_H
#define TW_OUTPUT_VIEW_H

#include <stdint.h>
#include <stdio.h>

struct tw_plot;
struct tw_svg_axis;

#define TW_VIEW_WIDTH	640
#define TW_VIEW_HEIGHT	372
#define TW_VIEW_RIGHT	46
#define TW_VIEW_TOP	34
#define TW_VIEW_BOTTOM	70
#define TW_VIEW_LEFT	86

/* Width of the largest letters, at most. */
#define TW_VIEW_LETTER	11.5
#define TW_VIEW_LINE	22

void tw_view_begin(FILE *file, const struct tw_plot *plot, int height);

/* Drawing that is not in draw.c: bars of parts (draw_stacks.c), counts as
 * colours (draw_heat.c), texts at points (draw_tags.c), and the description of
 * a plot in words (draw_label.c). */
void tw_draw_stacks(FILE *file, const struct tw_plot *plot);
void tw_draw_heat(FILE *file, const struct tw_plot *plot, const struct tw_svg_axis *x,
		  const struct tw_svg_axis *y);
void tw_draw_tags(FILE *file, const struct tw_plot *plot, const struct tw_svg_axis *x,
		  const struct tw_svg_axis *y);
void tw_draw_label(FILE *file, const struct tw_plot *plot);

/* The class of a rule, which is no data, as the grid is not. */
#define TW_RULE_CLASS	"grid rule"

/* The number of colours of a heat map. The function returns the smallest count
 * with this colour; 0: no count has it. */
#define TW_HEAT_COLORS	8
uint64_t tw_heat_from(const struct tw_plot *plot, int color);

#endif
