/* SPDX-License-Identifier: MIT */
/*
 * Pages of HTML: their style, for light and dark and for narrow screens, and
 * text that nobody knows beforehand.
 */
#include <stdio.h>
#include <string.h>

#include "html.h"
#include "plain_text.h"
#include "tickwise.h"

static const char style[] =
	":root{color-scheme:light dark;--back:#fff;--text:#1b1b1b;--dim:#5a5a5a;"
	"--line:#d9d9d9;--warn:#fff0d0;--c0:#b26a00;--c1:#8a3ffc;--c2:#0062d6;"
	"--c3:#c4008f;--c4:#00796b;--c5:#c62828;--c6:#6b7000;--c7:#37474f;"
	"--c8:#6d4c41;--c9:#00838f;--c10:#283593}\n"
	"@media (prefers-color-scheme:dark){:root{--back:#16181c;--text:#e8e8e8;"
	"--dim:#a8a8a8;--line:#3a3d44;--warn:#4a3500;--c0:#ffb74d;--c1:#c9a2ff;"
	"--c2:#6db3ff;--c3:#ff8ad8;--c4:#4dd0bd;--c5:#ff7b72;--c6:#dce775;"
	"--c7:#b0bec5;--c8:#bcaaa4;--c9:#80deea;--c10:#9fa8da}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;padding:1rem;"
	"max-width:80rem;background:var(--back);color:var(--text);"
	"font:15px/1.45 system-ui,sans-serif}\n"
	"h1{font-size:1.5rem;margin:.2em 0}h2{font-size:1.25rem;"
	"margin:2em 0 .3em;border-top:1px solid var(--line);padding-top:.8em;"
	"overflow-wrap:anywhere}h3{font-size:1.05rem;margin:1.6em 0 .4em}"
	"h4{font-size:.95rem;margin:.4em 0;font-weight:600}\n"
	"p{margin:.4em 0;max-width:60rem;overflow-wrap:anywhere}"
	".dim,figcaption{color:var(--dim);font-size:.9em}"
	".warn{background:var(--warn);padding:.5em .8em;border-radius:4px}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.87em;"
	"font-variant-numeric:tabular-nums;margin:.4em 0}th,td{padding:.2em .6em;"
	"text-align:right;white-space:nowrap;border-bottom:1px solid "
	"var(--line)}th:first-child,td:first-child{text-align:left}"
	"td.text,th.text{text-align:left}td.words{text-align:left;"
	"white-space:normal}\n"
	".plots{display:grid;grid-template-columns:repeat(auto-fit,"
	"minmax(min(100%,34rem),1fr));gap:1rem}figure{margin:0;min-width:0}"
	"svg{display:block;width:100%;height:auto}text{fill:var(--text);"
	"font:13px system-ui,sans-serif}.grid{stroke:var(--line);fill:none}\n"
	"svg path{fill:none;stroke-width:2;stroke-linejoin:round}"
	"svg path.grid{stroke-width:1}svg.key{display:inline-block;width:28px;"
	"height:10px;margin-right:.3em}.legend span{margin-right:1em;"
	"display:inline-block;white-space:nowrap}circle.mean{fill:var(--back);stroke:var(--text);"
	"stroke-width:2}\n"
	".s0{stroke:var(--c0);stroke-dasharray:8 3}.s1{stroke:var(--c1);"
	"stroke-dasharray:2 3}.s2{stroke:var(--c2)}.s3{stroke:var(--c3);"
	"stroke-dasharray:10 3 2 3}.s4{stroke:var(--c4);stroke-dasharray:5 5}"
	"svg path.s5{stroke:var(--c5);stroke-width:4}.s6{stroke:var(--c6);stroke-dasharray:8 3}"
	".s7{stroke:var(--c7)}.s8{stroke:var(--c8);stroke-dasharray:2 3}"
	".s9{stroke:var(--c9);stroke-dasharray:10 3 2 3}"
	".s10{stroke:var(--c10);stroke-dasharray:5 5}\n"
	".s20{stroke:var(--c2)}.s21{stroke:var(--c0);stroke-dasharray:8 3}"
	".s22{stroke:var(--c5);stroke-dasharray:2 3}\n"
	".f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}"
	".f3{fill:var(--c3)}.f4{fill:var(--c4)}.f5{fill:var(--c5)}"
	".f6{fill:var(--c6)}.f7{fill:var(--c7)}.f8{fill:var(--c8)}"
	".f9{fill:var(--c9)}.f10{fill:var(--c10)}\n"
	"@media (max-width:40rem){body{padding:.6rem}text{font-size:20px}"
	"th,td{padding:.2em .35em}.legend span{white-space:normal}}\n"
	"@media print{.plots{display:block}figure{break-inside:avoid}}\n";

void tw_html_text(FILE *file, const char *text)
{
	size_t length;

	for (; *text; text += length ? length : 1) {
		length = tw_plain_length(text);
		if (!length)
			fputc('?', file);
		else if (strchr("<>&\"'", *text))
			fprintf(file, "&#%d;", *text);
		else
			fwrite(text, length, 1, file);
	}
}

void tw_html_begin(FILE *file, const char *title, const char *heading)
{
	fprintf(file, "<!DOCTYPE html>\n"
		"<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		"<head><meta charset=\"utf-8\"/>\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\"/>\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
		"<title>Tickwise: %s</title>\n<style>%s</style>"
		"</head>\n<body>\n<h1>%s</h1>\n"
		"<p class=\"dim\">by tickwise " TW_VERSION "</p>\n", title,
		style, heading);
}

void tw_html_end(FILE *file)
{
	fputs("</body>\n</html>\n", file);
}
