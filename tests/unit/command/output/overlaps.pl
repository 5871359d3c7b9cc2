#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Prints the labels of one plot that overlap, of pages of HTML: "A and B in PLOT of PAGE". The
# box of a label is estimated from its place and its length, with the letters of a narrow page,
# which are the largest, but for bars. It needs no browser, unlike html_pages.t.
use strict;
use warnings;

# boxes_of(SVG): the labels of a drawing, each as [text, left, right, top, bottom]
sub boxes_of
{
	my ($svg) = @_;
	my $is_bar = $svg =~ /^class="stack"/;
	my @boxes;

	while ($svg =~ m{<text ([^>]*)>(.*?)</text>}g) {
		my ($about, $text) = ($1, $2);
		my ($x, $y) = map { $about =~ /\b$_="([\d.]+)/ ? $1 : 0 } qw(x y);
		my $letter = $is_bar ? 8 : $about =~ /"tag"/ ? 13 : 11;
		my $before = $about =~ /middle/ ? 0.5 : $about =~ /"end"/ ? 1 : 0;

		$text =~ s/&#\d+;/x/g;
		# x of a bar is in percent of the page, which is wide where bars have labels.
		my $left = $x * ($is_bar ? 9.6 : 1) - $before * $letter * length $text;

		push @boxes, [$text, $left, $left + $letter * length $text,
			      $y - ($is_bar ? 11 : 16), $y + 4];
	}
	return @boxes;
}

for my $path (@ARGV) {
	local $/;
	open my $file, '<', $path or die "$path: $!\n";
	my $html = <$file>;

	while ($html =~ m{<h4>(.*?)</h4>(.*?)</figure>}sg) {
		my ($title, $figure) = ($1, $2);

		for my $svg ($figure =~ m{<svg (.*?)</svg>}sg) {
			my @boxes = boxes_of($svg);

			for my $i (0 .. $#boxes) {
				my ($one, $left, $right, $top, $bottom) = @{$boxes[$i]};

				print "$one and $_->[0] in $title of $path\n" for grep {
					$_->[1] < $right && $_->[2] > $left &&
					$_->[3] < $bottom && $_->[4] > $top
				} @boxes[0 .. $i - 1];
			}
		}
	}
}
