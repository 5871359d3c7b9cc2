#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make install` installs enough to build and run a program: as C and as C++, by
# pkg-config and by hand, shared and static. Fails if a file, a flag or a
# declaration is missing or warns, or if the header needs another one before it.
# Fails also if no Debian package has a file, or if uninstall forgets one.

. "$(dirname "$0")/../../tap.sh"

build=${TW_BUILD:-$root/build}
case $(nm -D "$build/libtickwise.so" 2>/dev/null) in
*__asan_* | *__tsan_* | *__ubsan_*)
	echo '1..0 # SKIP a library with sanitizers needs programs with them'
	exit 0
	;;
esac

# Copy what is built: the program knows where it is installed, so make links it
# anew, while other tests run the one in $build.
mkdir "$scratch/build"
for part in "$build"/*; do
	case ${part##*/} in
	cross | fio | tests | vm | san-* | debug | profile | *.log) ;;
	*) cp -a "$part" "$scratch/build/" || exit 1 ;;
	esac
done
build=$scratch/build

prefix=/opt/tickwise
tree=$scratch/tree$prefix
libdir=$tree/lib/here

# make_it TARGET: runs make on what is built; under `make check` the variables of
# its command line are passed on
make_it() {
	make -C "$root" --no-print-directory B="$build" DESTDIR="$scratch/tree" \
		PREFIX="$prefix" LIBDIR="$prefix/lib/here" \
		${FIO_SRC:+FIO_SRC="$FIO_SRC"} "$1" >"$scratch/log" 2>&1
	code=$?
	ok "$code" "make $1"
	[ "$code" = 0 ] || sed 's/^/# /' "$scratch/log"
}

# skip REASON: counts one check that could not be made
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1"
}

# The engine exists unless only the library was built.
if [ -f "$build/tickwise.so" ]; then
	make_it install
	[ -f "$libdir/tickwise/tickwise.so" ]
	ok $? 'the engine'
else
	make_it install-core
	skip 'no engine was built'
fi

[ -x "$tree/bin/tickwise" ] || done_testing

version=$("$tree/bin/tickwise" --version | sed 's/^tickwise //')
is "$version" "$("$tickwise" --version | sed 's/^tickwise //')" 'the program'
for file in include/tickwise.h lib/here/libtickwise.a lib/here/libtickwise.so \
	"lib/here/libtickwise.so.${version%%.*}" \
	"lib/here/libtickwise.so.$version" lib/here/libtickwise-preload.so \
	lib/here/pkgconfig/tickwise.pc lib/here/pkgconfig/tickwise-profile.pc \
	include/tickwise-profile.h lib/here/libtickwise-profile.a \
	lib/here/libtickwise-profile.so lib/here/libtickwise-profile_hooks.a \
	share/man/man1/tickwise.1 share/man/man3/tw_ticks.3 \
	share/man/man3/tw_ticks_end.3 share/zsh/site-functions/_tickwise \
	share/bash-completion/completions/tickwise \
	share/tickwise/schema/tickwise-report.schema.json \
	share/tickwise/schema/tickwise-diff.schema.json \
	share/tickwise/schema/tickwise-intervals.schema.json; do
	[ -s "$tree/$file" ]
	ok $? "$file"
done
# The engine for another fio is made of the installed files: -n needs each source,
# and finds that there is a rule for all.
engine_source=$tree/share/tickwise/engine
env -u MAKEFLAGS -u MAKELEVEL make -n -C "$engine_source" --no-print-directory \
	B="$scratch/other" engines >"$out" 2>&1
code=$?
ok "$code" 'the source of the engines is complete'
[ "$code" = 0 ] || sed 's/^/# /' "$out"
(cd "$root" && find core plugin -name '*.h') | sort >"$scratch/headers"
(cd "$engine_source" && find core plugin -name '*.h') | sort >"$scratch/there"
is "$(comm -23 "$scratch/headers" "$scratch/there")" '' 'with each header'
grep -q "^source_dir=$prefix/share/tickwise/engine\$" \
	"$libdir/tickwise/tickwise-build-engine"
ok $? 'and what builds it knows where it is'
if [ -f "$build/tickwise.so" ]; then
	for name in tickwise tickwise-cmd tickwise-memory; do
		is "$(readlink "$libdir/fio-$name.so")" "tickwise/$name.so" \
			"fio-$name.so is the engine"
	done
fi
is "$(cat "$tree/share/man/man3/tw_ticks_end.3")" '.so man3/tw_ticks.3' \
	'the second name of a page refers to it'
! grep -rq '@[A-Z]*@' "$tree/share/man" "$libdir/pkgconfig"
ok $? 'no placeholder is left'
! grep -rqF -e "$scratch" -e "$root" "$libdir/pkgconfig" "$tree/include"
ok $? 'nor where it was built'

# The header is the first thing in the file, and strict C names no clockid_t.
cat >"$scratch/use.c" <<'END'
#include <tickwise.h>
#include <stdio.h>

static void say(void *context, int level, const char *message)
{
	(void)context; (void)level; (void)message;
}

int main(void)
{
	struct tw_rate_options options = TW_SIZED(struct tw_rate_options);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_scale scale;
	struct tw_histogram histogram;
	uint64_t begin = tw_ticks_begin();

	tw_set_diagnostics(say, &rate);
	options.window_ns = 5000000;
	/* Where others have the CPU no window may do; this is about linking. */
	if (tw_rate_measure(&rate, &options))
		rate.hz = 1e9;
	if (tw_scale_init(&scale, &rate, 0) || tw_histogram_init(&histogram, 3))
		return 1;
	tw_histogram_add(&histogram,
			 tw_ticks_to_ns(&scale, tw_ticks_end() - begin));
	printf("%s %d\n", TW_VERSION,
	       tw_histogram_percentile(&histogram, 50) > 0);
	tw_histogram_free(&histogram);
	return 0;
}
END
cp "$scratch/use.c" "$scratch/use.cc"
# A second file with the header: nothing in it may be defined twice.
echo '#include <tickwise.h>' >"$scratch/more.c"
echo '#include <tickwise.h>' >"$scratch/more.cc"

have_pc=0
command -v pkg-config >/dev/null && have_pc=1
# pc OPTION...: runs pkg-config as on a system that has the tree as its root
pc() {
	PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$scratch/tree \
		pkg-config "$@" tickwise
}
if [ "$have_pc" = 1 ]; then
	is "$(pc --modversion)" "$version" 'pkg-config knows the version'
else
	skip 'no pkg-config'
fi

strict='-Wall -Wextra -Wshadow -Wundef -pedantic -Werror'

# builds COMPILER STANDARD SUFFIX HOW FLAGS...: compiles, links and runs
builds() {
	compiler=$1 standard=$2 suffix=$3 how=$4
	shift 4
	what="$compiler -std=$standard, $how"
	# shellcheck disable=SC2086
	"$compiler" -std="$standard" $strict -o "$scratch/use" \
		"$scratch/use.$suffix" "$scratch/more.$suffix" "$@" \
		>"$scratch/log" 2>&1
	code=$?
	ok "$code" "$what: builds"
	if [ "$code" != 0 ]; then
		sed 's/^/# /' "$scratch/log"
		return
	fi
	needs=$(objdump -p "$scratch/use" | grep -c 'NEEDED.*libtickwise')
	case $how in
	*static*) is "$needs" 0 'has the library inside' ;;
	*) is "$needs" 1 'needs the shared library' ;;
	esac
	LD_LIBRARY_PATH=$libdir "$scratch/use" >"$out" 2>&1
	is "$? $(cat "$out")" "0 $version 1" 'runs'
}

# Use each of these compilers that is installed: none of the tests' packages
# installs clang.
for try in 'gcc c11 c' 'gcc gnu99 c' 'gcc c2x c' 'clang c11 c' 'clang gnu17 c' \
	'g++ c++11 cc' 'g++ c++17 cc' 'clang++ c++17 cc'; do
	# shellcheck disable=SC2086
	set -- $try
	command -v "$1" >/dev/null || continue
	builds "$@" 'shared, by hand' -I"$tree/include" -L"$libdir" -ltickwise
done
for try in 'gcc c11 c' 'g++ c++11 cc'; do
	# shellcheck disable=SC2086
	set -- $try
	command -v "$1" >/dev/null || continue
	builds "$@" 'static, by hand' -I"$tree/include" \
		"$libdir/libtickwise.a" -pthread -lm
	[ "$have_pc" = 1 ] || continue
	# shellcheck disable=SC2046
	builds "$@" 'shared, by pkg-config' $(pc --cflags --libs)
	# shellcheck disable=SC2046
	builds "$@" 'static, by pkg-config' -static \
		$(pc --cflags --static --libs)
done

# A program with hooks, as README.md builds it.
echo 'int main(void) { return 0; }' >"$scratch/hooked.c"
if [ "$have_pc" = 1 ]; then
	# shellcheck disable=SC2046
	gcc -finstrument-functions -o "$scratch/hooked" "$scratch/hooked.c" \
		$(PKG_CONFIG_PATH=$libdir/pkgconfig \
		PKG_CONFIG_SYSROOT_DIR=$scratch/tree \
		pkg-config --cflags --libs tickwise-profile) >"$scratch/log" 2>&1
	code=$?
	ok "$code" 'pkg-config: a program with hooks builds'
	[ "$code" = 0 ] || sed 's/^/# /' "$scratch/log"
	LD_LIBRARY_PATH=$libdir TICKWISE_PROFILE=file=$scratch/profile \
		"$scratch/hooked" >"$out" 2>&1
	ok $? 'and runs'
	if grep -q 'nothing is recorded' "$out"; then
		skip "$(cat "$out")"
	else
		"$tree/bin/tickwise" profile --csv "$scratch/profile" >"$out" 2>&1
		has "$out" '"main","hooked",1,' 'and records its calls'
	fi
else
	skip 'no pkg-config'
fi

# The program that the manual shows, as it is installed.
sed -n '/^#include <stdio.h>/,/^\.EE/p' "$tree/share/man/man7/tickwise.7" |
	sed -e '/^\.EE/d' -e 's/\\-/-/g' -e 's/\\e/\\/g' >"$scratch/shown.c"
# shellcheck disable=SC2086
gcc -std=c11 $strict -o "$scratch/shown" "$scratch/shown.c" -I"$tree/include" \
	"$libdir/libtickwise.a" -pthread -lm >"$scratch/log" 2>&1
code=$?
ok "$code" 'the example of tickwise(7) builds'
[ "$code" = 0 ] || sed 's/^/# /' "$scratch/log"
if "$scratch/shown" >"$out" 2>&1; then
	has "$out" ' ns, the rate to ' 'and prints what it should'
else
	skip 'the counter can not be calibrated here, or not now'
fi

# Each file is in one package.
packaged() {
	cat "$root"/debian/*.install | while read -r pattern _; do
		pattern=$(echo "$pattern" | sed 's|^usr/|./|; s|/lib/\*/|/lib/here/|')
		(cd "$tree" && find . ! -type d -path "$pattern" -o \
			! -type d -path "$pattern/*")
	done
}
(cd "$tree" && find . ! -type d) | sort >"$scratch/installed"
packaged | sort >"$scratch/packaged"
is "$(diff "$scratch/installed" "$scratch/packaged")" '' \
	'debian/*.install has each file once'

is "$(find "$tree" -type f -perm /6000)" '' 'no program is set-user-ID or set-group-ID'

make_it uninstall
left=$(find "$scratch/tree" ! -type d -o -name 'tickwise*' ! -path "$tree")
is "$left" '' 'leaves nothing behind'
done_testing
