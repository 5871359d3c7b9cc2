#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make install` installs enough to build and run a program: as C and as C++, by
# pkg-config and by hand, shared and static. Fails if a file, a flag or a
# declaration is missing or warns, or if the header needs another one before it.
# Fails also if no Debian package has a file, if uninstall forgets one, or if others may write
# to what root has installed with umask 000.

. "$(dirname "$0")/../../tap.sh"

build=${TW_BUILD:-$root/build}
[ -f "$build/tickwise.so" ] || { echo '1..0 # SKIP no engine was built'; exit 0; }
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
	cross | fio | tests | vm | san-* | debug | profile | mutation | *.log) ;;
	*) cp -a "$part" "$scratch/build/" || exit 1 ;;
	esac
done
build=$scratch/build
prefix=/opt/tickwise
tree=$scratch/tree$prefix
libdir=$tree/lib/here

# make_it TARGET: under `make check` the variables of its command line are passed on
make_it()
{
	works "make $1" make -C "$root" --no-print-directory B="$build" \
		DESTDIR="$scratch/tree" PREFIX="$prefix" LIBDIR="$prefix/lib/here" \
		${FIO_SRC:+FIO_SRC="$FIO_SRC"} "$1"
}

umask 000
make_it install || done_testing
umask 022
is "$(find "$tree" ! -type l -perm /022)" '' 'others may write to nothing, whatever the umask is'
for name in tickwise tickwise-cmd tickwise-memory; do
	is "$(readlink "$libdir/fio-$name.so")" "tickwise/$name.so" "fio-$name.so is the engine"
	works 'and is there' test -s "$libdir/tickwise/$name.so"
done

# ---- the files ----

version=$("$tree/bin/tickwise" --version | sed 's/^tickwise //')
is "$version" "$("$tickwise" --version | sed 's/^tickwise //')" 'the program'
# The packages name each file that is installed, so two lists can't forget the same.
(cd "$tree" && find . ! -type d) | sort >"$scratch/installed"
cat "$root"/debian/*.install | while read -r pattern _; do
	pattern=$(echo "$pattern" | sed 's|^usr/|./|; s|/lib/\*/|/lib/here/|')
	(cd "$tree" && find . ! -type d -path "$pattern" -o ! -type d -path "$pattern/*" |
		grep . || echo "$pattern")
done | sort >"$scratch/packaged"
# The packages have the programs of the stages inside the kernel, which KERNEL_STAGES= leaves out.
[ -e "$tree/lib/here/tickwise/tickwise-attach" ] ||
	sed -i '\,/tickwise-\(attach\|kernel-helper\)$,d' "$scratch/packaged"
is "$(diff "$scratch/installed" "$scratch/packaged")" '' \
	'debian/*.install has each file once'
for file in share/man/man1/tickwise.1 share/man/man3/tw_ticks.3 \
	share/tickwise/schema/tickwise-report.schema.json; do
	works "$file" test -s "$tree/$file"
done
is "$(cat "$tree/share/man/man3/tw_ticks_end.3")" '.so man3/tw_ticks.3' \
	'the second name of a page refers to it'
! grep -rq '@[A-Z]*@' "$tree/share/man" "$libdir/pkgconfig"
ok $? 'no placeholder is left'
! grep -rqF -e "$scratch" -e "$root" "$libdir/pkgconfig" "$tree/include"
ok $? 'nor where it was built'
is "$(find "$tree" -type f -perm /6000)" '' 'no program is set-user-ID or set-group-ID'

# Only the names are checked: building takes what `make` takes.
engine_source=$tree/share/tickwise/engine
works=$scratch/works
works 'the source of the engines is complete' env -u MAKEFLAGS -u MAKELEVEL \
	make -n -C "$engine_source" --no-print-directory B="$scratch/other" engines
if [ -s "$build/plugin/kernel/stages/stages.skel.h" ]; then
	is "$(grep -c 'TW_KERNEL_STAGES.*/kernel_stages\.o' "$works") $(grep -c 'target bpf\|gen skel' \
		"$works")" '1 0' 'and has ready what the kernel runs, which takes no clang'
else
	has_not "$works" TW_KERNEL_STAGES 'and has nothing for the kernel if clang was missing'
fi
(cd "$root" && find core plugin -name '*.h' ! -name '*.bpf.h') | sort >"$scratch/headers"
(cd "$engine_source" && find core plugin -name '*.h') | sort >"$scratch/there"
is "$(comm -23 "$scratch/headers" "$scratch/there")" '' 'with each header'
works 'and what builds it knows where it is' grep -qx \
	"source_dir=$prefix/share/tickwise/engine" "$libdir/tickwise/tickwise-build-engine"

# ---- programs ----

cat >"$scratch/use.c" <<'END'
#include <tickwise.h>
#include <stdio.h>

int main(void)
{
	struct tw_rate_options options = TW_SIZED(struct tw_rate_options);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_scale scale;
	struct tw_histogram histogram;
	uint64_t begin = tw_ticks_begin();

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
# A second file that includes the header: what it defines must not collide.
echo '#include <tickwise.h>' >"$scratch/more.c"
cp "$scratch/use.c" "$scratch/use.cc"
cp "$scratch/more.c" "$scratch/more.cc"
strict='-Wall -Wextra -Wshadow -Wundef -pedantic -Werror'

# pc PACKAGE OPTION...: what pkg-config prints
pc()
{
	PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$scratch/tree pkg-config "$@"
}
command -v pkg-config >/dev/null || pc() { false; }

# builds LIBRARIES COMPILER STANDARD SUFFIX HOW FLAG...: builds and runs the program, which
# then needs that many shared libraries of ours
builds()
{
	libraries=$1 compiler=$2 standard=$3 suffix=$4 how=$5
	shift 5
	command -v "$compiler" >/dev/null || return
	# shellcheck disable=SC2086
	works "$compiler -std=$standard, $how: builds" "$compiler" -std="$standard" $strict \
		-o "$scratch/use" "$scratch/use.$suffix" "$scratch/more.$suffix" "$@" || return
	is "$(objdump -p "$scratch/use" | grep -c 'NEEDED.*libtickwise')" "$libraries" \
		'needs the shared library or has it inside'
	LD_LIBRARY_PATH=$libdir "$scratch/use" >"$out" 2>&1
	is "$? $(cat "$out")" "0 $version 1" 'runs'
}

for try in 'gcc gnu99 c' 'gcc c2x c' 'clang c11 c' 'g++ c++11 cc' 'clang++ c++17 cc'; do
	# shellcheck disable=SC2086
	builds 1 $try 'shared, by hand' -I"$tree/include" -L"$libdir" -ltickwise
done
builds 0 g++ c++11 cc 'static, by hand' -I"$tree/include" "$libdir/libtickwise.a" -pthread -lm
if [ "$(pc --modversion tickwise)" = "$version" ]; then
	# shellcheck disable=SC2046
	builds 1 gcc c11 c 'shared, by pkg-config' $(pc --cflags --libs tickwise)
	# shellcheck disable=SC2046
	builds 0 gcc c11 c 'static, by pkg-config' -static $(pc --cflags --static --libs tickwise)
else
	! command -v pkg-config >/dev/null
	ok $? 'pkg-config is not there, or knows the version'
fi

# A program with hooks. (profile/ tests what it records.)
echo 'int main(void) { return 0; }' >"$scratch/hooked.c"
if command -v pkg-config >/dev/null; then
	# shellcheck disable=SC2046
	works 'a program with hooks builds' gcc -finstrument-functions -o "$scratch/hooked" \
		"$scratch/hooked.c" $(pc --cflags --libs tickwise-profile)
	LD_LIBRARY_PATH=$libdir TICKWISE_PROFILE=file=$scratch/profile \
		"$scratch/hooked" >"$out" 2>&1
	ok $? 'and runs'
	if grep -q 'nothing is recorded' "$out"; then
		skip "$(cat "$out")"
	else
		"$tree/bin/tickwise" profile --csv "$scratch/profile" >"$out" 2>&1
		has "$out" '"main","hooked",1,' 'and records its calls'
	fi
fi

# The program that tickwise(7) shows.
sed -n '/^#include <stdio.h>/,/^\.EE/p' "$tree/share/man/man7/tickwise.7" |
	sed -e '/^\.EE/d' -e 's/\\-/-/g' -e 's/\\e/\\/g' >"$scratch/shown.c"
# shellcheck disable=SC2086
works 'the example of tickwise(7) builds' gcc -std=c11 $strict -o "$scratch/shown" \
	"$scratch/shown.c" -I"$tree/include" "$libdir/libtickwise.a" -pthread -lm
if "$scratch/shown" >"$out" 2>&1; then
	has "$out" ' ns, the rate to ' 'and prints what it should'
else
	skip 'the counter can not be calibrated here, or not now'
fi

make_it uninstall
is "$(find "$scratch/tree" ! -type d -o -name 'tickwise*' ! -path "$tree")" '' \
	'leaves nothing behind'
done_testing
