/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --svg`: draws a flame graph as one file that needs nothing
 * else. A path of calls is a column, with the outermost call at the bottom. The
 * width of a frame is its time, calls inside it included, with the cost of the
 * hooks subtracted.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/output/draw.h"
#include "base/plain_text.h"
#include "profile/command/profiles.h"

#define WIDTH		1200
#define ROW		18
#define TOP		44		/* height of the heading */
/* Width of most letters of a frame's text. */
#define LETTER		6.7
/* Narrower frames are invisible. They are counted only. */
#define NARROWEST	0.4

/* The frame of a node. */
struct flame_frame {
	double ticks, x;		/* @ticks: with the calls inside it */
	double used;			/* width of its children placed so far */
	unsigned depth;
};

struct flame {
	const struct profile_result *result;
	struct flame_frame *frames;
	uint32_t *order;		/* nodes; of each parent, the widest first */
	double scale;			/* width of a tick */
	unsigned deepest;
	size_t too_narrow;
};

static int by_width(const void *a, const void *b, void *context)
{
	const struct flame *flame = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct flame_frame *x = &flame->frames[left],
				 *y = &flame->frames[right];

	return tw_compare(x->depth, y->depth) ?: tw_compare_real(y->ticks, x->ticks) ?:
	       tw_compare(left, right);
}

/* Add up times from children, which come after their parents, and then place the frames by depth: a
 * parent has its place before its children. A self time that the correction made negative is drawn
 * as nothing. */
static void lay_out(struct flame *flame)
{
	const struct profile_node *nodes = flame->result->file->nodes;
	size_t count = flame->result->file->node_count;

	/* The root's own time belongs to no function. */
	for (size_t i = count; i-- > 1;) {
		double self = flame->result->times[i].self.ticks;

		flame->frames[i].ticks += self > 0 ? self : 0;
		flame->frames[nodes[i].parent].ticks += flame->frames[i].ticks;
	}
	flame->scale = flame->frames[0].ticks > 0 ? WIDTH / flame->frames[0].ticks : 0;
	for (size_t i = 1; i < count; i++)
		flame->frames[i].depth =
			flame->frames[nodes[i].parent].depth + 1;
	for (size_t i = 0; i < count; i++)
		flame->order[i] = (uint32_t)i;
	qsort_r(flame->order, count, sizeof(*flame->order), by_width, flame);
	for (size_t i = 1; i < count; i++) {
		struct flame_frame *frame = &flame->frames[flame->order[i]];
		struct flame_frame *parent =
			&flame->frames[nodes[flame->order[i]].parent];

		frame->x = parent->x + parent->used;
		parent->used += frame->ticks * flame->scale;
		if (frame->ticks * flame->scale < NARROWEST)
			flame->too_narrow++;
		else if (frame->depth > flame->deepest)
			flame->deepest = frame->depth;
	}
}

/* Print as much of @name as there is room for. */
static void put_label(const char *name, double width)
{
	size_t room = (size_t)(width / LETTER), length = 0, shorter = 0;

	for (size_t letters = 0; name[length] && letters < room; letters++) {
		if (letters + 2 == room)
			shorter = length;
		length += tw_character_length(name + length);
	}
	tw_html_text(stdout, name[length] ? tw_format("%.*s..", (int)shorter, name) : name);
}

static void put_frame(const struct flame *flame, uint32_t index)
{
	const struct profile_file *file = flame->result->file;
	const struct profile_node *node = &file->nodes[index];
	const struct profile_time *self = &flame->result->times[index].self;
	const struct flame_frame *frame = &flame->frames[index];
	const char *name = flame->result->functions[node->function].name;
	double width = frame->ticks * flame->scale;
	uint32_t hash = 2166136261;
	unsigned y = TOP + (flame->deepest - frame->depth) * ROW;

	/* The colour of a function is the same everywhere in a graph, and in all graphs. */
	for (const char *at = name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619;
	fputs("<g><title>", stdout);
	tw_html_text(stdout, name);
	printf(": %s, %.2f %%; self %s +- %s; %lu call%s</title>",
	       TW_SAY_NS(profile_ns(file, frame->ticks)),
	       100 * frame->ticks / flame->frames[0].ticks,
	       TW_SAY_NS(profile_ns(file, self->ticks > 0 ? self->ticks : 0)),
	       TW_SAY_NS(profile_ns(file, self->uncertainty_ticks)),
	       node->calls, tw_format_plural(node->calls));
	printf("<rect class=\"k%u\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>",
	       (hash >> 16) % 12, frame->x, y, width, ROW - 1);
	if (width > 3 * LETTER + 6) {
		printf("<text x=\"%.2f\" y=\"%u\">", frame->x + 3, y + ROW - 6);
		put_label(name, width - 6);
		fputs("</text>", stdout);
	}
	fputs("</g>\n", stdout);
}

/* Print the style and the heading. */
static void put_head(const struct flame *flame)
{
	const struct profile_file *file = flame->result->file;

	fputs("<style>svg{background:#fff}"
	      "text{font:11px ui-monospace,monospace;fill:#111;"
	      "pointer-events:none}text.head{font:15px system-ui,sans-serif}"
	      "text.dim{font:12px system-ui,sans-serif;fill:#555}"
	      "g:hover rect{stroke:#000;stroke-width:1.5}\n", stdout);
	for (unsigned i = 0; i < 12; i++)
		printf(".k%u{fill:hsl(%u,%u%%,%u%%)}", i, 8 + 47 * i / 11,
		       62 + 9 * (i % 4), 64 + 5 * (i % 3));
	fputs("\n@media (prefers-color-scheme:dark){svg{background:#16181c}"
	      "text.head{fill:#e8e8e8}text.dim{fill:#a8a8a8}"
	      "g:hover rect{stroke:#fff}}</style>\n", stdout);
	fputs("<text class=\"head\" x=\"3\" y=\"18\">", stdout);
	tw_html_text(stdout, file->program ? file->program : "?");
	printf("</text>\n<text class=\"dim\" x=\"3\" y=\"35\">all selves %s +- "
	       "%s, %zu thread%s, hooks taken out; a frame's title has its "
	       "times", TW_SAY_NS(profile_ns(file, flame->frames[0].ticks)),
	       TW_SAY_NS(profile_ns(file, flame->result->total.uncertainty_ticks)),
	       file->thread_count, tw_format_plural(file->thread_count));
	if (flame->too_narrow)
		printf("; %zu too narrow to be seen", flame->too_narrow);
	fputs("</text>\n", stdout);
}

void tw_profile_print_flame(const struct profile_result *result)
{
	const struct profile_file *file = result->file;
	struct flame flame = {
		.result = result,
		.frames = tw_zalloc(file->node_count, sizeof(*flame.frames)),
		.order = tw_zalloc(file->node_count, sizeof(*flame.order)),
	};

	lay_out(&flame);
	tw_svg_begin_alone(stdout, WIDTH, TOP + (int)flame.deepest * ROW + 4, "flame graph");
	put_head(&flame);
	for (size_t i = 1; i < file->node_count; i++)
		if (flame.frames[flame.order[i]].ticks * flame.scale >= NARROWEST)
			put_frame(&flame, flame.order[i]);
	tw_svg_end(stdout);
	free(flame.frames);
	free(flame.order);
}
