/* SPDX-License-Identifier: MIT */
/*
 * Draws the texts at points of a plot. Each text is put where it covers no
 * other and stays inside the view. If there is no such place, it is left out,
 * and only the dot's title has the text.
 */
#include <string.h>

#include "command/output/html_text.h"
#include "command/output/model.h"
#include "command/output/svg.h"
#include "command/output/view.h"

#define MAX_TAGS	64

struct box {
	double left, right, top, bottom;
};

struct boxes {
	struct box list[MAX_TAGS];
	size_t count;
};

/* Places around the dot, from the best one on. Curves rise to the right, so the
 * space above them to the left is free. */
static const struct place {
	double x, y;
	const char *anchor;
} places[] = {
	{ -4, -8, "end" }, { 0, -10, "middle" }, { -4, -30, "end" }, { 0, -32, "middle" },
	{ 6, -8, "start" }, { -4, -52, "end" }, { 0, -54, "middle" }, { 6, 20, "start" },
	{ 0, 26, "middle" }, { -4, 26, "end" }, { 6, 42, "start" },
};

static struct box box_at(const struct place *place, double x, double y, const char *text)
{
	double width = (double)strlen(text) * TW_VIEW_LETTER;
	double left = x + place->x;

	if (strcmp(place->anchor, "end") == 0)
		left -= width;
	else if (strcmp(place->anchor, "middle") == 0)
		left -= width / 2;
	return (struct box) {
		.left = left, .right = left + width,
		.top = y + place->y - TW_VIEW_LINE + 5, .bottom = y + place->y + 5,
	};
}

static int is_free(const struct boxes *boxes, const struct box *box)
{
	if (boxes->count == MAX_TAGS || box->left < TW_VIEW_LEFT - 6 ||
	    box->right > TW_VIEW_WIDTH || box->top < TW_VIEW_TOP - 12 ||
	    box->bottom > TW_VIEW_HEIGHT - TW_VIEW_BOTTOM)
		return 0;
	for (size_t i = 0; i < boxes->count; i++) {
		const struct box *other = &boxes->list[i];

		if (box->left < other->right && box->right > other->left &&
		    box->top < other->bottom && box->bottom > other->top)
			return 0;
	}
	return 1;
}

static void put_tag(FILE *file, struct boxes *boxes, const char *text, double x, double y)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct box box = box_at(&places[i], x, y, text);

		if (!is_free(boxes, &box))
			continue;
		boxes->list[boxes->count++] = box;
		fprintf(file, "<text class=\"tag\" x=\"%.1f\" y=\"%.1f\" "
			"text-anchor=\"%s\">", x + places[i].x, y + places[i].y,
			places[i].anchor);
		tw_html_text(file, text);
		fputs("</text>\n", file);
		return;
	}
}

void tw_draw_tags(FILE *file, const struct tw_plot *plot, const struct tw_svg_axis *x,
		  const struct tw_svg_axis *y)
{
	struct boxes boxes = { .count = 0 };

	for (const struct tw_series *series = plot->series; series; series = series->next)
		for (const struct tw_dot *dot = series->points; dot; dot = dot->next)
			if (dot->tag && dot->tag[0])
				put_tag(file, &boxes, dot->tag, tw_svg_place(x, dot->x),
					tw_svg_place(y, dot->y));
}
