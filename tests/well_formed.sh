# SPDX-License-Identifier: MIT
#
# For the shell tests of HTML and SVG, to be sourced after tap.sh.

# well_formed FILE DESCRIPTION: passes if every element is closed, in order, every
# attribute is quoted, and no < or & is bare. Our own writer needs no more of XML's
# rules.
well_formed() {
	perl -0777 -ne '
		s/^<(!DOCTYPE html|\?xml [^>]*\?)>\s*// or die "no doctype\n";
		my @open;
		while (/\G(?:([^<&]+)|&(?:#\d+|amp|lt|gt);|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*)\s*(\/?)>)/gc) {
			next unless defined $3;
			if ($2) {
				my $last = pop @open;
				die "$3 closes ", $last // "nothing", "\n"
					if !defined $last || $last ne $3;
			} elsif (!$5) {
				push @open, $3;
			}
		}
		die "at byte ", pos // 0, ": ", substr($_, pos // 0, 40), "\n"
			if (pos // 0) < length;
		die "open: @open\n" if @open;
	' "$1" 2>"$scratch/wrong"
	is "$(cat "$scratch/wrong")" '' "well-formed: $2"
}
