#!/bin/sh
# SPDX-License-Identifier: MIT
#
# .ci/packages installs all that is missing in one step: on a terminal after one
# question, elsewhere after a line that names it. A target of the Makefile calls it
# once. Fails if a user is asked twice or not at all, if a script is asked, or if an
# optional package that can't be had keeps the others away.

. "$(dirname "$0")/../../tap.sh"

# `make check INSTALL=no` exports it.
unset TW_PACKAGES

# A system of which the files installed and offered list the packages.
mkdir "$scratch/bin"
cd "$scratch" || exit 1
fake()
{
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}
fake id 'cat uid'
# shellcheck disable=SC2016	# the fakes'
{
	fake sudo '[ "$1" = env ] || exit; exec "$@"'
	fake dpkg-query 'for name; do :; done; grep -qx "$name" installed && echo installed'
	fake apt-config 'echo "lists=$PWD/lists/"'
	fake apt-cache '! grep -qx "$2" offered || echo "  Candidate: 1"'
	fake apt-get 'echo "$*" | sed "s/.* install /install /" >>calls
		for name; do case $name in -*|*::*|install|update) continue ;; esac
			grep -qx "$name" offered || { echo "E: no $name"; exit 100; }
		done
		for name; do echo "$name"; done >>installed'
}
mkdir lists
: >lists/x_Packages
terminal=${TW_BUILD:-$root/build}/tests/reader/on_terminal

# fresh UID INSTALLED...
fresh()
{
	echo "$1" >uid
	shift
	printf '%s\n' "$@" >installed
	printf '%s\n' gcc fio clang bpftool qemu >offered
	: >calls
}

# packages ARGUMENT...: without a terminal; sets $status, $out, $err
packages()
{
	PATH=$scratch/bin:$PATH "$root/.ci/packages" "$@" >"$out" 2>"$err" </dev/null
	status=$?
}

# answered ANSWER ARGUMENT...: on a terminal
answered()
{
	answer=$1
	shift
	PATH=$scratch/bin:$PATH "$terminal" -a "$answer
" -i '[Y/n] ' "$root/.ci/packages" "$@" >"$out" 2>"$err"
	status=$?
}

fresh 0 gcc
packages gcc fio --optional clang 'tools|bpftool'
is "$status $(cat "$out" "$err")" '0 installing with apt-get: fio clang bpftool' \
	'without a terminal: one line'
is "$(cat calls)" 'install --no-install-recommends -y fio clang bpftool' 'and one step'
packages gcc fio --optional clang 'tools|bpftool'
is "$status $(cat "$out" "$err")" '0 ' 'nothing is missing: not a word'

fresh 0 gcc
answered '' gcc fio --optional clang
is "$status $(grep -c 'install with apt-get: fio clang? \[Y/n\]' "$out")" '0 1' \
	'on a terminal: one question'
is "$(cat calls)" 'install --no-install-recommends -y fio clang' 'Enter installs'
fresh 0 gcc
answered n gcc fio --optional clang
is "$status $(cat calls)" '69 ' 'n does not: exit code 69'
has "$out" 'apt-get install --no-install-recommends fio clang' 'the command is named'
fresh 0 gcc fio
answered n gcc fio --optional clang
is "$status $(cat calls)" '0 ' 'n to what is optional: it goes on'

fresh 0 gcc
packages gcc fio --optional clang nowhere
is "$status $(grep -cx 'gcc\|fio' installed)" '0 2' \
	'an optional package can not be had: the others are there'
has "$err" 'without what could not be installed of: fio clang nowhere' 'which it reports'
fresh 0 gcc fio
packages gcc fio --optional nowhere
is "$status" 0 'only that is missing'
fresh 0 gcc
packages gcc nowhere --optional clang
[ "$status" != 0 ]
ok $? 'a needed one can not be had'

fresh 0 gcc
TW_PACKAGES=no packages gcc fio --optional clang
is "$status $(cat "$out" calls)" '69 ' 'TW_PACKAGES=no: nothing is installed'
has "$err" 'missing packages; as root, type: apt-get install' 'which it says'

fresh 1000 gcc
packages gcc fio
is "$status $(cat "$out" "$err")" '0 installing with sudo apt-get: fio' 'another user: by sudo'

# ---- the Makefile ----

# What a target would ask for, as make prints it. A make around this test exports what was
# set on its command line, which would answer for the target.
asks()
{
	env -i PATH="$PATH" HOME="$HOME" make -C "$root" -n "$@" 2>/dev/null |
		sed ':a; /\\$/ { N; s/\\\n//; ta }' | grep '^ *\.ci/packages'
}
cd "$root" || exit 1
for target in check check-tree demo-packages check-machine check-html check-cross deb; do
	is "$(asks "$target" | wc -l)" 1 "make $target asks once"
done
is "$(asks check KERNEL_STAGES= | grep -c 'qemu\|aarch64\|clang')" 0 \
	'make check asks for no other processor, nor for a compiler that is not wanted'
is "$(asks check CROSS=1 | grep -c 'clang.*aarch64.*qemu')" 1 'make check CROSS=1 does'
is "$(asks check-cross | grep -c 'aarch64.*qemu')" 1 'so does make check-cross'
mkdir "$scratch/a b"
cp --parents Makefile core/*.mk core/*/*.mk plugin/*.mk tests/*.mk "$scratch/a b/"
env -i PATH="$PATH" HOME="$HOME" make -n -C "$scratch/a b" check \
	>"$out" 2>"$err"
has "$err" "can't have spaces: $scratch/a b" 'make check refuses a path with a space'
done_testing
