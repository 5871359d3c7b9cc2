#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The script behind `tickwise build-engine` makes the engines from the given source,
# lets fio load the result, and only then puts the three files into the folder.
# Fails if a failed build changes a folder, if an error takes more than one line, or
# if something is left in the folder of temporary files.

. "$(dirname "$0")/../../../tap.sh"

mkdir -p "$scratch/source/plugin/fio" "$scratch/tree" "$scratch/tmp"
sed "s|^source_dir=.*|source_dir=$scratch/source|" \
	"$root/plugin/fio/build-engine.sh" >"$scratch/build-engine"

# script FILE TEXT: makes a program
script()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod 755 "$1"
}

script "$scratch/fio" 'case $1 in
--version) echo fio-3.99 ;;
--enghelp=*) cat "${1#*=}" ;;
esac'
script "$scratch/source/plugin/fio/find-fio.sh" 'printf "<%s>" "$@" >"$SEEN"
for last; do :; done
[ -z "$FIND_SAYS" ] || { echo "$FIND_SAYS" | sed "s|SOURCE|${last#*=}|" >&2
	[ "$FIND_FAILS" = 0 ] || exit 1; }
echo "$TREE"'
cat >"$scratch/source/Makefile" <<'END'
engines:
	mkdir -p $(B)
	echo 1 >$(B)/kernel_stages
	echo 'tw_report of $(FIO_SRC)' | tee $(B)/tickwise.so $(B)/tickwise-cmd.so \
		>$(B)/tickwise-memory.so
	$$THEN $(B)/tickwise.so
END
# Spoil what `make` does last, with the engine's file.
script "$scratch/spoil" \
	'echo "tickwise: built for another: refused. Type \`x\` to build one" >"$1"'
# The headers that a real build needs may be missing: this compiler finds all.
script "$scratch/cc" 'exit 0'
export TMPDIR="$scratch/tmp" SEEN="$scratch/seen" TREE="$scratch/tree" FIND_SAYS='' \
	FIND_FAILS=0 THEN=true CC="$scratch/cc"

# builds SOURCE FOLDER [found]: runs the script
builds()
{
	builds_source=$1 builds_folder=$2
	shift 2
	sh "$scratch/build-engine" "$scratch/fio" "$builds_source" "$builds_folder" \
		"$(mktemp -d)" "$@" >"$out" 2>"$err"
	status=$?
}

folder=$scratch/made/here
builds '' "$folder" found
is "$status $(ls -A "$folder" | xargs)" '0 tickwise-cmd.so tickwise-memory.so tickwise.so' \
	'builds three files, and nothing else'
has "$folder/tickwise.so" "of $scratch/tree" 'of the source that was found'
has "$out" "built for fio-3.99 ($scratch/fio)" 'says for which fio'
has "$out" "  source: $scratch/tree" 'from which source'
has "$out" '  stages inside the kernel: with' 'whether it splits the time inside the kernel'
has "$out" "ioengine=external:$folder/tickwise.so" 'and how to use it'
has "$out" 'to use them: tickwise run JOB.fio' 'which is simple where it is found'
is "$(grep -c "<--fio=$scratch/fio>" "$SEEN") $(grep -c '<--source' "$SEEN")" '1 0' \
	'asks for the source of this fio, and of no folder'
builds "$scratch/tree" "$folder"
has "$SEEN" "<--source=$scratch/tree>" 'or takes the source it is given'
has "$out" "tickwise run --engine=$folder/tickwise.so" 'elsewhere: with its path'

mkdir -p "$scratch/packed/fio-3.99"
: >"$scratch/packed/fio-3.99/fio.h"
tar -C "$scratch/packed" -czf "$scratch/fio.tar.gz" fio-3.99
builds "$scratch/fio.tar.gz" "$folder"
is "$status $(sed 's|.*<--source=.*/\(archive/[^>]*\)>.*|\1|' "$SEEN")" \
	'0 archive/fio-3.99' 'or unpacks an archive'
has "$out" "  source: $scratch/fio.tar.gz" 'which it names'

# fails STATUS WORDS WHAT SOURCE FOLDER: passes if it prints one line, and the
# engines are as before
fails()
{
	wanted="$1 1 0" words=$2 what=$3
	shift 3
	cp "$folder/tickwise.so" "$scratch/before"
	builds "$@"
	is "$status $(grep -v '^building for' "$err" | grep -c '^tickwise build-engine: ') $(wc -c \
		<"$out")" "$wanted" "$what: exit code and one line"
	has "$err" "$words" 'which says why'
	cmp -s "$folder/tickwise.so" "$scratch/before"
	ok $? 'and the engine of before is there'
}

TREE=another
: >"$scratch/file"
fails 66 'is no archive' 'not an archive' "$scratch/file" "$folder"
FIND_SAYS='find-fio: no source that matches. (log: /gone/log) FIO_SRC=/path/to/fio make'
FIND_FAILS=1 fails 66 'no source that matches. --source=DIR' 'no source' '' "$folder"
FIND_SAYS='find-fio: x (FIO_SRC) is not the source of y. Without FIO_SRC it is searched for'
FIND_FAILS=1 fails 66 'x is not the source of y. Without --source it is searched for' \
	'the source of another fio' "$scratch/tree" "$folder"
FIND_SAYS='find-fio: SOURCE (FIO_SRC) is not the source of y'
FIND_FAILS=1 fails 66 "$scratch/fio.tar.gz is not the source of y" \
	'an archive of another fio' "$scratch/fio.tar.gz" "$folder"
FIND_SAYS=
THEN=false fails 70 'what the compiler printed is in' 'a compiler that fails' '' "$folder"
is "$(cd "$TMPDIR" && find . -type f)" "./$(basename "$(dirname "$(sed 's/.* is in //;t;d' "$err")")")/log" \
	'where only this file is left'
rm -r "$TMPDIR"/*
THEN=$scratch/spoil fails 70 "what was built: tickwise: built for another: refused. So another \
is not this fio's" 'an engine that fio refuses' '' "$folder"
has_not "$err" Type 'and does not advise what was just done'
fails 74 "can't write to $scratch/file/x" 'a folder that can not be' '' "$scratch/file/x"
script "$scratch/cc" 'exit 1'
needs='libc6-dev liburing-dev libjansson-dev zlib1g-dev'
fails 70 "type: apt-get install $needs" 'headers are missing' '' "$folder"
mkdir -p "$scratch/source/plugin/kernel/stages"
: >"$scratch/source/plugin/kernel/stages/stages.skel.h"
CC=$scratch/none fails 70 "type: apt-get install gcc $needs libbpf-dev" \
	'a compiler is missing, and what loads the programs for the kernel' '' "$folder"

# A system that has fio as a package and nothing to unpack its source with.
mkdir "$scratch/few"
for tool in sh rm readlink mktemp; do
	ln -s "$(command -v $tool)" "$scratch/few/$tool"
done
script "$scratch/cc" 'exit 0'
cp "$scratch/cc" "$scratch/few/dpkg-query"
cp "$scratch/cc" "$scratch/few/make"
PATH=$scratch/few builds '' "$folder"
has "$err" 'type: apt-get install dpkg-dev' 'what unpacks the source is missing'
PATH=$scratch/few builds "$scratch/tree" "$folder"
has_not "$err" 'dpkg-dev' 'which nothing needs if there is a source'
is "$(ls -A "$TMPDIR")" '' 'no temporary file is left'
done_testing
