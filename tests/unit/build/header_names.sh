# SPDX-License-Identifier: MIT
#
# Lists what the public header declares; to be sourced after tap.sh.

# prototypes FILE: prints one declaration on a line: "function" if the library has
# to export it or "inline" if the header defines it, then its name and its text.
# Needs perl; knows C as far as the header uses it.
prototypes() {
	perl -0777 -ne '
		s{/\*.*?\*/}{}gs;
		s{^\#\s*ifdef __cplusplus.*?^\#\s*endif}{}gms;
		s{^\#(?:.*\\\n)*.*}{}gm;
		1 while s/\{[^{}]*\}/;/g;
		for (split /;/) {
			s/\s+/ /g; s/^ | $//g;
			s/^__attribute__\s*\(\(.*?\)\)\)? ?//;
			next if !/^([\w* ]+?)(tw_\w+) ?\(/;
			my $name = $2;
			my $kind = s/^static inline // ? "inline" : "function";
			print "$kind $name $_\n";
		}' "$1"
}
