#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What debian/ repeats of the rest of the tree is the same there: the version, the
# functions that the libraries export, and which files are under the GPL. Fails if
# one of them is changed in one place alone. (unit/build/install.t checks that each
# installed file is in a package.)

. "$(dirname "$0")/../../tap.sh"

build=${TW_BUILD:-$root/build}
debian=$root/debian

is "$(sed -n '1s/^tickwise (\(.*\)) .*/\1/p' "$debian/changelog")" \
	"$("$tickwise" --version | sed 's/^tickwise //')" 'the version'
is "$(sed -n 's/^Version:[[:space:]]*//p' "$root/rpm/tickwise.spec")" \
	"$("$tickwise" --version | sed 's/^tickwise //')" 'that of rpm/'

# exported LIBRARY: prints its names with versions, and the names of the versions
exported()
{
	nm -D --with-symbol-versions --defined-only "$build/$1" |
		awk '{ if ($2 == "A") print $3 "@" $3; else print $3 }' |
		sed 's/@@/@/' |
		grep -E '^(tw_|TICKWISE)' | sort -u
}

for library in libtickwise libtickwise-profile; do
	soname=$library.so.$("$tickwise" --version | sed 's/^tickwise \([0-9]*\).*/\1/')
	case $(nm -D "$build/$soname" 2>/dev/null) in
	*__asan_* | *__tsan_* | *__ubsan_*)
		skip 'a library with sanitizers'
		continue
		;;
	esac
	awk -v library="$soname" '/^[^ *]/ { here = $1 == library; next }
		here && /^ / { print $1 }' "$debian/libtickwise0.symbols" |
		sort -u >"$scratch/listed"
	exported "$soname" >"$scratch/exported"
	[ "$(wc -l <"$scratch/exported")" -ge 4 ]
	ok $? "$soname exports $(wc -l <"$scratch/exported") names"
	is "$(diff "$scratch/listed" "$scratch/exported")" '' \
		'libtickwise0.symbols has these and no others'
done

# ---- licenses ----

cd "$root" || exit 1
find .ci core debian patches plugin tests -type f -exec awk 'FNR > 2 { nextfile }
	/SPDX-License-Identifier: GPL-2.0/ { print FILENAME; nextfile }' {} + |
	sort >"$scratch/gpl"
[ "$(wc -l <"$scratch/gpl")" -gt 100 ]
ok $? "$(wc -l <"$scratch/gpl") files are under the GPL"
awk '/^License: GPL-2$/ { print files; exit } /^Files:/ { files = ""; sub(/^Files:/, "") ; here = 1 }
	/^[A-Z]/ && !/^Files:/ { here = 0 } here { files = files " " $0 }' \
	"$debian/copyright" | tr -s ' ' '\n' | grep . |
	while read -r pattern; do
		case $pattern in
		*/\*) find "${pattern%/\*}" -type f ;;
		*) echo "$pattern" ;;
		esac
	done | sort >"$scratch/listed"
is "$(comm -23 "$scratch/gpl" "$scratch/listed")" '' 'debian/copyright has all of them'
# Other files of these folders are text, under the same license.
comm -13 "$scratch/gpl" "$scratch/listed" | while read -r file; do
	[ ! -f "$file" ] && echo "$file: there is none"
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' && echo "$file: MIT"
done >"$scratch/wrong"
is "$(cat "$scratch/wrong")" '' 'and no file that is not'

# ---- packages ----

sed -n 's/^Package: //p' "$debian/control" | sort >"$scratch/packages"
for file in "$debian"/*.install "$debian"/*.symbols "$debian"/*.lintian-overrides \
	"$debian"/*.postrm "$debian"/*.docs "$debian"/*.examples; do
	basename "${file%.*}"
done | sort -u | comm -23 - "$scratch/packages" >"$scratch/wrong"
is "$(cat "$scratch/wrong")" '' "each file of debian/ is of a package in control"
done_testing
