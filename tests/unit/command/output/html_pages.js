// SPDX-License-Identifier: MIT
//
// Measures pages in a browser: each of them, at each width, in a frame of that width.
// html_pages.t puts `pages`, [[name, html], ...], before this, and reads the lines that
// are left in the document: "PAGE at WIDTH: " and what is wrong with it, or "good".

const widths = [400, 1400];
const result = document.getElementById("result");

function report(line)
{
	result.textContent += line + "\n";
}

// Of a rounded coordinate.
const slack = 1;

function isInside(inner, outer)
{
	return inner.left >= outer.left - slack && inner.right <= outer.right + slack &&
	       inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
}

function overlap(a, b)
{
	return a.left < b.right - slack && a.right > b.left + slack &&
	       a.top < b.bottom - slack && a.bottom > b.top + slack;
}

// Does it draw anything that stands for data?
function isDrawn(shape)
{
	const box = shape.getBoundingClientRect();

	if (shape.classList.contains("grid"))
		return false;
	return box.width > 0.1 || box.height > 0.1;
}

// As many shapes are drawn of a class as the legend has keys of it. A part of a bar may be
// too small to be seen.
function checkLegend(svg, name, wrong)
{
	const keys = [...svg.parentNode.querySelectorAll("svg.key path")]
		.filter(key => !/^grid/.test(key.getAttribute("class")));
	// Bars of parts have a drawing each, and one legend.
	const seen = [...svg.parentNode.querySelectorAll(
		":scope > svg path, :scope > svg rect, :scope > svg circle")].filter(shape =>
		shape.classList.contains("part") || isDrawn(shape));

	for (const key of keys) {
		const hasIts = shape => [...key.classList].every(one =>
			shape.classList.contains(one));

		if (seen.filter(hasIts).length < keys.filter(hasIts).length)
			wrong.push(`"${key.closest("span").textContent}" is not in "${name}"`);
	}
}

function checkPlot(svg, wrong)
{
	const name = svg.parentNode.querySelector("h4").textContent;
	const frame = svg.getBoundingClientRect();
	// What is for pages of another width is not there.
	const texts = [...svg.querySelectorAll("text")].filter(text =>
		text.getClientRects().length);
	const boxes = texts.map(text => text.getBoundingClientRect());

	if (![...svg.querySelectorAll("path, rect, circle")].some(isDrawn))
		wrong.push(`"${name}" is empty`);
	checkLegend(svg, name, wrong);
	texts.forEach((text, i) => {
		if (!isInside(boxes[i], frame))
			wrong.push(`"${text.textContent}" is not inside of "${name}"`);
		for (let j = 0; j < i; j++)
			if (overlap(boxes[i], boxes[j]))
				wrong.push(`"${text.textContent}" covers ` +
					   `"${texts[j].textContent}" in "${name}"`);
	});
	for (const shape of svg.querySelectorAll("rect, circle, path"))
		if (!isInside(shape.getBoundingClientRect(), frame))
			wrong.push(`a shape is not inside of "${name}"`);
}

// What is wider than its own place, and is not a table that scrolls.
function checkWidths(page, width, wrong)
{
	if (page.documentElement.scrollWidth > width)
		wrong.push(`it is ${page.documentElement.scrollWidth} pixels wide`);
	for (const element of page.querySelectorAll("p, h1, h2, h3, h4, li, dt, dd, figure, " +
						    "figcaption, summary"))
		if (element.scrollWidth > element.clientWidth + slack &&
		    element.clientWidth)
			wrong.push(`"${element.textContent.slice(0, 40)}" runs over`);
}

// Relative luminance, of WCAG 2.
function luminance(color)
{
	const [red, green, blue] = color.match(/[\d.]+/g).map(part => {
		const value = part / 255;

		return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	});

	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a, b)
{
	const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);

	return (high + 0.05) / (low + 0.05);
}

// A text stands on its own outline, if that is drawn below it and wide enough; else on
// the part of the bar.
function groundOf(text)
{
	const style = getComputedStyle(text);

	if (style.stroke != "none" && parseFloat(style.strokeWidth) >= 3 &&
	    style.paintOrder.startsWith("stroke"))
		return style.stroke;
	return getComputedStyle(text.parentNode.querySelector("rect")).fill;
}

// WCAG's least: 4.5 of text, 3 of what else has to be seen.
function checkColors(page, wrong)
{
	const style = getComputedStyle(page.body), back = style.backgroundColor;

	if (contrast(back, style.color) < 12 || (luminance(back) < 0.2) != isDark)
		wrong.push(`text ${style.color} on ${back}`);
	for (const text of page.querySelectorAll("text.on")) {
		const {fill} = getComputedStyle(text), ground = groundOf(text);

		if (contrast(fill, ground) < 4.5)
			wrong.push(`"${text.textContent}" is ${fill} on ${ground}`);
	}
}

// What those need who hear a page, or have no mouse.
function checkAccess(page, wrong)
{
	for (const element of page.querySelectorAll("th, p, b, h2, h3, h4, li, dt, dd, " +
						    "figcaption, summary"))
		if (!element.textContent.trim())
			wrong.push(`an empty ${element.tagName}`);
	for (const heading of page.querySelectorAll("th:not([scope])"))
		wrong.push(`"${heading.textContent}" is a heading of nothing`);
	for (const wide of page.querySelectorAll(".wide"))
		if (wide.tabIndex != 0 || !wide.getAttribute("aria-label"))
			wrong.push("a table that only a mouse can scroll");
}

function check(frame, name, width)
{
	const page = frame.contentDocument;
	const wrong = [];

	for (const details of page.querySelectorAll("details"))
		details.open = true;
	checkWidths(page, width, wrong);
	checkColors(page, wrong);
	for (const svg of page.querySelectorAll("figure > svg"))
		checkPlot(svg, wrong);
	checkAccess(page, wrong);
	if (!page.querySelector("h1"))
		wrong.push("it has no heading");
	report(`${name} at ${width}: ${wrong.slice(0, 5).join("; ") || "good"}`);
}

async function checkAll()
{
	for (const [name, html] of pages)
		for (const width of widths) {
			const frame = document.createElement("iframe");

			frame.style.cssText = `width: ${width}px; height: 800px; border: 0`;
			frame.srcdoc = html;
			await new Promise(done => {
				frame.onload = done;
				document.body.append(frame);
			});
			check(frame, name, width);
			frame.remove();
		}
	report("end");
}

checkAll();
