/* SPDX-License-Identifier: MIT */
/*
 * Writes a page as HTML: its style, for light and dark and for narrow screens,
 * and its blocks. All text passes tw_html_text(), which escapes the characters
 * of HTML.
 */
#include <string.h>

#include "command/output/draw.h"
#include "tickwise.h"

/* The colours of lines and parts. Stages of one place have one hue, and differ in lightness for
 * readers with any kind of colour vision: blue before the device, green in it, plum after it,
 * brown in fio, grey if they are not split. All have a contrast of 3 to the page, and of 4.5 to
 * what is written on them, which is black in the dark. */
static const struct {
	const char *light, *dark, *dashes, *on;
} colors[TW_PLOT_COLORS] = {
	{ "#6b93dc", "#9dc4ff", "8 3", "#000" },		/* queue */
	{ "#4a6db8", "#6c9be0", "2 3", "#fff" },		/* submit */
	{ "#1d4791", "#4279c8", "none", "#fff" },		/* blockq */
	{ "#229053", "#93d490", "none", "#000" },		/* device */
	{ "#762c63", "#d98bb2", "none", "#fff" },		/* complete */
	{ "#000", "#eee", "none", "#fff" },			/* lat */
	{ "#b386a5", "#f7c4dc", "8 3", "#000" },		/* reap */
	{ "#757575", "#8a8a8a", "none", "#fff" },		/* kernel */
	{ "#8a5a14", "#b58a3f", "2 3", "#fff" },		/* deliver */
	{ "#3d7d9c", "#7fc4de", "10 3 2 3", "#fff" },		/* backlog */
	{ "#444", "#ccc", "5 5", "#fff" },			/* backlog outside lat */
	{ "#7d74c4", "#a79cf0", "12 4", "#000" },		/* worker */
	{ "#4b988a", "#7fd0c0", "4 2", "#000" },		/* data */
	{ "#2f3d73", "#8794d8", "12 3 2 3 2 3", "#fff" },	/* journal */
	{ "#14705f", "#3fa08c", "1 4", "#fff" },		/* flush */
	{ "#95558a", "#c279b3", "none", "#fff" },		/* wake */
};

/* Paper is light. */
static const char style[] =
	":root{color-scheme:light dark;--back:#fff;--text:#1b1b1b;--dim:#5a5a5a;"
	"--line:#e3e3e3;--warn:#fff0d0;--h1:#5d83b8;--h6:#152545}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--back:#16181c;--text:#e8e8e8;"
	"--dim:#a8a8a8;--line:#33363d;--warn:#4a3500;--h1:#497eb4;--h6:#cee2f3}"
	"svg .part~.on{fill:#000}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;padding:1rem;"
	"max-width:80rem;background:var(--back);color:var(--text);"
	"font:15px/1.45 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem;margin:.2em 0}h2{font-size:1.25rem;"
	"margin:2em 0 .3em;border-top:1px solid var(--line);padding-top:.8em;"
	"overflow-wrap:anywhere}h3{font-size:1.05rem;margin:1.6em 0 .4em}"
	"h3::first-letter{text-transform:uppercase}"
	"h4{font-size:.95rem;margin:.4em 0;font-weight:600}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em;"
	"margin:.4em 0}dt{grid-column:1}dd{grid-column:2;margin:0;"
	"overflow-wrap:anywhere}\n"
	"p{margin:.4em 0;max-width:60rem;overflow-wrap:anywhere}"
	".dim,figcaption{color:var(--dim);font-size:.9em}"
	".warn{background:var(--warn);padding:.5em .8em;border-radius:4px}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.87em;"
	"font-variant-numeric:tabular-nums;margin:.4em 0}th,td{padding:.2em .6em;"
	"text-align:right;white-space:nowrap;border-bottom:1px solid "
	"var(--line)}th:first-child,td:first-child{text-align:left}"
	"td.text,th.text,td.span{text-align:left}th.group{text-align:center}"
	"td.words{text-align:left;white-space:normal}th[scope=row]{font-weight:400}\n"
	".plots{display:grid;grid-template-columns:repeat(auto-fill,"
	"minmax(min(100%,34rem),1fr));gap:1rem}figure{margin:0;min-width:0}"
	"svg{display:block;width:100%;max-width:48rem;height:auto}text{fill:var(--text);"
	"font:13px system-ui,sans-serif}.grid{stroke:var(--line);fill:none}\n"
	".stacks{grid-column:1/-1}svg.stack{max-width:none;height:40px}.on{display:none}\n"
	"@media (min-width:64rem){.on{display:inline}}\n"
	"path{fill:none;stroke-width:1.5;stroke-linejoin:round}"
	"svg path.grid{stroke-width:1}"
	"svg path.lead{stroke:var(--dim);stroke-width:1}"
	"svg.key{display:inline-block;width:28px;"
	"height:10px;margin-right:.3em}.legend span{margin-right:1em;"
	"display:inline-block;white-space:nowrap}\n"
	"svg path.s5{stroke-width:3}.s20{stroke:var(--h6)}"
	".s21{stroke:var(--h1);stroke-dasharray:8 3}.s22{stroke:var(--c4);stroke-dasharray:2 3}"
	".f20{fill:var(--h6)}.f21{fill:var(--h1)}.f22{fill:var(--c4)}\n"
	".band{fill-opacity:.25}.part{stroke:var(--back);stroke-width:1}"
	".tag,.on{font-weight:600}.tag{paint-order:stroke;stroke:var(--back);"
	"stroke-width:4px;stroke-linejoin:round}\n"
	".row{margin:.8em 0 .2em;font-weight:600}"
	"summary{cursor:pointer;margin:.6em 0}.contents{columns:12rem;padding-left:1.2em}"
	"a{color:inherit}\n"
	"@media (max-width:40rem){body{padding:.6rem}text{font-size:20px}"
	"th,td{padding:.2em .35em}.legend span{white-space:normal}}\n"
	"@media print{body{max-width:none;padding:0;font-size:12px}text{font-size:20px}"
	"svg.stack text{font-size:11px}figure:not(.stacks),svg{break-inside:avoid}"
	".row,h2,h3,h4{break-after:avoid}.plots{grid-template-columns:1fr 1fr}"
	".contents{display:none}}\n";

/* Write the style, with a class for the lines and one for the parts of each colour. */
static void put_style(FILE *file)
{
	fprintf(file, "<style>%s", style);
	for (int i = 0; i < TW_PLOT_COLORS; i++)
		fprintf(file, ":root{--c%d:%s}@media screen and (prefers-color-scheme:dark)"
			"{:root{--c%d:%s}}.s%d{stroke:var(--c%d);stroke-dasharray:%s}"
			".f%d{fill:var(--c%d)}.f%d~.on{fill:%s}\n", i, colors[i].light, i,
			colors[i].dark, i, i, colors[i].dashes, i, i, i, colors[i].on);
	fputs("</style>", file);
}

static void put_between(FILE *file, const char *begin, const char *text,
			const char *end)
{
	fputs(begin, file);
	tw_html_text(file, text);
	fputs(end, file);
}

static void begin(FILE *file, const char *title)
{
	put_between(file, "<!DOCTYPE html>\n"
		    "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		    "<head><meta charset=\"utf-8\"/>\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\""
		    "default-src 'none'; style-src 'unsafe-inline'\"/>\n"
		    "<title>Tickwise: ", title, "</title>\n");
	put_style(file);
	fputs("</head>\n<body>\n", file);
	put_between(file, "<h1>", title,
		    "</h1>\n<p class=\"dim by\">by tickwise " TW_VERSION "</p>\n");
}

/* ---- tables -------------------------------------------------------------- */

static int is_shown(const struct tw_table *table, size_t i)
{
	return tw_is_shown(table->columns[i].media, TW_IN_HTML);
}

static void put_groups(FILE *file, const struct tw_table *table)
{
	size_t i = 0;

	fputs("<tr>", file);
	while (i < table->count) {
		const struct tw_column *first = &table->columns[i];
		int span = 0;

		do
			span += is_shown(table, i++);
		while (i < table->count && first->group && table->columns[i].group &&
		       strcmp(first->group, table->columns[i].group) == 0);
		if (span && first->group) {
			fprintf(file, "<th scope=\"colgroup\" class=\"group\" "
				"colspan=\"%d\">", span);
			put_between(file, "", first->group, "</th>");
		} else if (span) {
			fputs("<td></td>", file);
		}
	}
	fputs("</tr>\n", file);
}

/* Write the headings. A cell without text is no heading. */
static void put_head(FILE *file, const struct tw_table *table)
{
	int any = 0, groups = 0;

	for (size_t i = 0; i < table->count; i++) {
		any |= is_shown(table, i) && table->columns[i].heading[0];
		groups |= is_shown(table, i) && table->columns[i].group;
	}
	if (groups)
		put_groups(file, table);
	if (!any)
		return;
	fputs("<tr>", file);
	for (size_t i = 0; i < table->count; i++) {
		const struct tw_column *column = &table->columns[i];
		const int left = column->flags & (TW_COLUMN_LEFT | TW_COLUMN_BELOW);

		if (!is_shown(table, i))
			continue;
		if (column->heading[0])
			put_between(file, left ? "<th scope=\"col\" class=\"text\">" :
				    "<th scope=\"col\">", column->heading, "</th>");
		else
			fputs("<td></td>", file);
	}
	fputs("</tr>\n", file);
}

/* Write a cell. A row's first cell is its heading if it is a text. Long texts may be
 * broken. */
static void put_cell(FILE *file, const struct tw_column *column,
		     const struct tw_cell *cell, int is_first)
{
	char room[TW_FORMAT_SIZE];
	const char *text = tw_cell_form(cell, room);
	const int is_strong = cell->kind == TW_CELL_STRONG && text[0];
	const int is_name = is_first && text[0] &&
			    (cell->kind == TW_CELL_TEXT || is_strong);

	fprintf(file, is_name ? "<th scope=\"row\"%s>" : "<td%s>",
		column->flags & TW_COLUMN_BELOW ? " class=\"words\"" :
		column->flags & TW_COLUMN_LEFT ? " class=\"text\"" : "");
	put_between(file, is_strong ? "<b>" : "", text, is_strong ? "</b>" : "");
	fputs(is_name ? "</th>" : "</td>", file);
}

/* Write a table. It can have the focus, so that a wide one can be scrolled by
 * keys. */
static void put_table(FILE *file, const struct tw_table *table)
{
	fputs("<div class=\"wide\" role=\"group\" aria-label=\"table\" tabindex=\"0\">"
	      "<table>\n", file);
	put_head(file, table);
	for (const struct tw_row *row = table->rows; row; row = row->next) {
		int shown = 0;

		fputs("<tr>", file);
		for (size_t i = 0; i < table->count; i++) {
			if (!is_shown(table, i))
				continue;
			if (!row->span)
				put_cell(file, &table->columns[i], &row->cells[i], !shown);
			shown++;
		}
		if (row->span) {
			fprintf(file, "<td class=\"span\" colspan=\"%d\">", shown);
			put_between(file, "", row->span, "</td>");
		}
		fputs("</tr>\n", file);
	}
	fputs("</table></div>\n", file);
}

/* ---- plots --------------------------------------------------------------- */

#define FILLED	"M0 0H28V10H0z"
#define STROKE	"M0 5H28"

/* @class: followed by @color. */
static void put_key(FILE *file, const char *class, int color, const char *path,
		    const char *name)
{
	fprintf(file, "<span><svg class=\"key\" viewBox=\"0 0 28 10\" aria-hidden=\"true\">"
		"<path class=\"%s%d\" d=\"%s\"/></svg>", class, color, path);
	put_between(file, "", name, "</span>\n");
}

static void put_lines_legend(FILE *file, const struct tw_plot *plot)
{
	for (const struct tw_series *series = plot->series; series; series = series->next)
		if (series->name)
			put_key(file, series->is_band ? "band f" : series->has_line ? "s" : "f",
				series->color, series->has_line ? STROKE : FILLED, series->name);
}

/* Return the name of the parts of a colour; NULL: none of them can be seen. */
static const char *name_of_parts(const struct tw_plot *plot, int color)
{
	for (const struct tw_series *stack = plot->series; stack; stack = stack->next)
		for (const struct tw_part *part = stack->parts; part; part = part->next)
			if (part->color == color && tw_draw_is_seen(plot, stack, part))
				return part->name;
	return NULL;
}

/* Write the parts in the order of the stages. */
static void put_parts_legend(FILE *file, const struct tw_plot *plot)
{
	for (int color = 0; color < TW_PLOT_COLORS; color++)
		if (name_of_parts(plot, color))
			put_key(file, "f", color, FILLED, name_of_parts(plot, color));
}

static void put_plot(FILE *file, const struct tw_plot *plot)
{
	const struct tw_series *named = plot->series;

	while (named && !named->name)
		named = named->next;
	put_between(file, plot->has_stacks ? "<figure class=\"stacks\"><h4>" : "<figure><h4>",
		    plot->about.title, "</h4>\n");
	for (const struct tw_series *stack = plot->series; stack && plot->has_stacks;
	     stack = stack->next) {
		put_between(file, "<p class=\"row\">", stack->name, "</p>\n");
		tw_draw_stack(file, plot, stack);
	}
	if (!plot->has_stacks)
		tw_draw_plot(file, plot);
	if (named) {
		fputs("<p class=\"legend\">", file);
		if (plot->has_stacks)
			put_parts_legend(file, plot);
		else
			put_lines_legend(file, plot);
		fputs("</p>\n", file);
	}
	if (plot->caption[0])
		put_between(file, "<figcaption>", plot->caption, "</figcaption>");
	fputs("</figure>\n", file);
}

/* ---- blocks -------------------------------------------------------------- */

static void put_contents(FILE *file, const struct tw_page *page)
{
	int part = 0;

	fputs("<ul class=\"contents\">\n", file);
	for (const struct tw_block *block = page->blocks; block; block = block->next) {
		if (block->kind != TW_BLOCK_HEADING || block->level != 2 ||
		    !(block->media & TW_IN_HTML))
			continue;
		fprintf(file, "<li><a href=\"#part%d\">", ++part);
		put_between(file, "", block->text, "</a></li>\n");
	}
	fputs("</ul>\n", file);
}

/* How a text of each kind of block begins and ends, and the element that contains
 * adjacent blocks of this kind. */
static const struct {
	const char *begin, *end, *element, *class;
} forms[] = {
	[TW_BLOCK_PARAGRAPH] = { "<p>", "</p>\n", NULL, "" },
	[TW_BLOCK_REMARK] = { "<p>", "</p>\n", NULL, "" },
	[TW_BLOCK_NOTE] = { "<p class=\"dim\">", "</p>\n", NULL, "" },
	[TW_BLOCK_WARNING] = { "<p class=\"warn\">Warning: ", "</p>\n", NULL, "" },
	[TW_BLOCK_ITEM] = { "<li>", "</li>\n", "ul", "" },
	[TW_BLOCK_FACT] = { "<dd>", "</dd>\n", "dl", "" },
	[TW_BLOCK_DETAILS] = { "<details><summary>", "</summary>\n", NULL, "" },
	[TW_BLOCK_END_DETAILS] = { "</details>\n", "", NULL, "" },
	[TW_BLOCK_PLOT] = { NULL, NULL, "div", " class=\"plots\"" },
};

static void put_block(FILE *file, const struct tw_page *page,
		      const struct tw_block *block, int *part)
{
	switch (block->kind) {
	case TW_BLOCK_HEADING:
		fprintf(file, "<h%d", block->level);
		if (block->level == 2)
			fprintf(file, " id=\"part%d\"", ++*part);
		put_between(file, ">", block->text, "");
		fprintf(file, "</h%d>\n", block->level);
		break;
	case TW_BLOCK_CONTENTS:
		put_contents(file, page);
		break;
	case TW_BLOCK_TABLE:
		put_table(file, block->table);
		break;
	case TW_BLOCK_PLOT:
		put_plot(file, block->plot);
		break;
	default:
		if (block->kind == TW_BLOCK_FACT && block->name[0])
			put_between(file, "<dt>", block->name, "</dt>");
		put_between(file, forms[block->kind].begin, block->text,
			    forms[block->kind].end);
		break;
	}
}

void tw_output_html(const struct tw_page *page, FILE *file)
{
	const char *open = NULL, *element;
	int part = 0;

	begin(file, page->title);
	for (const struct tw_block *block = page->blocks; block; block = block->next) {
		if (!tw_block_shows(block, TW_IN_HTML) || block->kind == TW_BLOCK_GAP)
			continue;
		element = forms[block->kind].element;
		if (open && open != element)
			fprintf(file, "</%s>\n", open);
		if (element && open != element)
			fprintf(file, "<%s%s>\n", element, forms[block->kind].class);
		open = element;
		put_block(file, page, block, &part);
	}
	if (open)
		fprintf(file, "</%s>\n", open);
	fputs("</body>\n</html>\n", file);
}
