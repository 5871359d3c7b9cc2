#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tickwise engine` prints the path of an engine that this fio can load: the
# installed one first, else a ready-made one, else one that `tickwise build-engine` has
# built for this version. Fails if it takes another version's. Fails also if the line on an engine
# for another fio lacks the command that builds one. A name such as fio-tickwise.so
# is an engine of ours. Fails if root loads an engine from a folder that a user's
# environment names, or builds one where a user can replace files.

. "$(dirname "$0")/../../../tap.sh"

mkdir -p "$scratch/bin" "$scratch/data"
cp "$tickwise" "$scratch/bin/tickwise"
tickwise=$scratch/bin/tickwise
XDG_DATA_HOME=$scratch/data
FIO=$scratch/bin/fio
export XDG_DATA_HOME FIO

# script FILE TEXT: makes a program
script()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod 755 "$1"
}

# Root uses no folder of the environment, so another user does, if there is one here.
as_user=
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 755 "$scratch" "$scratch/bin" "$tickwise"
	chmod 1777 "$scratch"
	as_root=$tickwise
	script "$scratch/as_user" "exec $as_user $tickwise \"\$@\""
	tickwise=$scratch/as_user
	"$tickwise" --version >/dev/null 2>&1 || skip_all 'another user can not run it here'
	TMPDIR=$scratch
	export TMPDIR
fi

# The engine that this fio can load has its version in it.
script "$FIO" 'version=fio-3.99
case $1 in
--version) echo "$version" ;;
--enghelp=*)
	! grep -q "$version" "${1#*=}" || { echo "tw_report : File"; exit; }
	echo "tickwise: built for $(cat "${1#*=}"), loaded into $version: refused. More"
	exit 1 ;;
esac'

installed=$scratch/bin/tickwise.so
built=$scratch/data/tickwise/engines/$("$tickwise" --version | cut -d ' ' -f 2)
mkdir -p "$built/fio-3.99" "$built/fio-3.98"

# prints PATH WHAT: passes if it prints the path
prints()
{
	run engine
	is "$status $(cat "$out") $(cat "$err")" "0 $1 " "$2"
}

echo fio-3.99 >"$installed"
prints "$installed" 'the installed engine'
echo fio-3.99 >"$built/fio-3.99/tickwise.so"
prints "$installed" 'which comes before one that was built'
if [ "$as_user" ]; then
	rm "$installed"
	"$as_root" engine >"$out" 2>"$err"
	has_not "$out" "$built" 'root takes no engine from $XDG_DATA_HOME, which su keeps'
else
	skip 'only root has no folder of its own'
fi
echo fio-3.98 >"$installed"
prints "$built/fio-3.99/tickwise.so" 'for another fio: the one that was built'
rm "$installed"
prints "$built/fio-3.99/tickwise.so" 'none installed: the one that was built'

ready=$scratch/bin/engines
mkdir -p "$ready/fio-3.97-1" "$ready/fio-3.99-2" "$ready/fio-3.99-3"
echo fio-3.97 >"$ready/fio-3.97-1/tickwise.so"
prints "$built/fio-3.99/tickwise.so" 'ready-made ones for others only: the one that was built'
echo fio-3.9 >"$ready/fio-3.99-2/tickwise.so"
echo fio-3.99 >"$ready/fio-3.99-3/tickwise.so"
prints "$ready/fio-3.99-3/tickwise.so" 'the ready-made one that fio loads, whatever its folder'
echo fio-3.98 >"$installed"
prints "$ready/fio-3.99-3/tickwise.so" 'also if another one is installed'
rm -r "$ready" "$installed"

rm "$built/fio-3.99/tickwise.so"
echo fio-3.99 >"$built/fio-3.98/tickwise.so"
if [ -e "$(cat "${TW_BUILD:-$root/build}/engine_dir")/tickwise.so" ]; then
	skip 'an engine is installed here'
else
	run engine
	is "$status $(wc -c <"$out") $(wc -l <"$err") $(grep -c 'tickwise engine: no tickwise.so '\
'next to this program .*type: tickwise build-engine' "$err")" '66 0 1 1' \
		'none for this version: one line, with the command'
fi

# refuses STATUS LINE WHAT ARGUMENT...: passes if this is the last line
refuses()
{
	wanted="$1 tickwise $2" what=$3
	shift 3
	run "$@"
	is "$status $(sed -n '$p' "$err")" "$wanted" "$what"
}

echo fio-3.98 >"$installed"
no="$FIO can't load $installed: built for fio-3.98, loaded into fio-3.99. Type: tickwise \
build-engine --fio=$FIO"
refuses 70 "engine: $no" 'one for another fio: one line, with the command' engine
printf '[a]\nioengine=io_uring\n' >"$scratch/job.fio"
refuses 70 "run: $no" 'the same line of tickwise run' run "$scratch/job.fio"
PATH=$scratch/bin:$PATH FIO='' run engine
is "$(sed 's/.*Type: //' "$err")" 'tickwise build-engine' 'of the usual fio: without a path'

# A program's output makes no folder but the version's own.
script "$scratch/bin/odd" 'echo fio-3.99/../fio-3.98'
refuses 66 "build-engine: $scratch/bin/odd is no fio that can be run" \
	'a version that is no name of a folder' build-engine --fio="$scratch/bin/odd"
run engine file
is "$status" 64 'an argument is refused'

# ---- what build-engine gets ----

script "$scratch/bin/tickwise-build-engine" \
	'stat -c %a "$4"; rmdir "$4"; printf "<%s>" "$@" | sed "s|$4|WORK|"'
run build-engine
is "$status $(xargs <"$out")" "0 700 <$FIO><><$built/fio-3.99><WORK><found>" 'by default'
run build-engine --source='a b' -o out
is "$status $(xargs <"$out")" "0 700 <$FIO><a b><out><WORK>" 'with a source and a folder'
if [ "$as_user" ]; then
	mkdir "$scratch/theirs" "$scratch/theirs/tmp"
	chown 65534 "$scratch/theirs"
	TMPDIR=$scratch/theirs/tmp "$as_root" build-engine -o out >"$out" 2>"$err"
	is "$? $(cat "$err") $(cat "$out")" "74 tickwise build-engine: no temporary folder in \
$scratch/theirs (TMPDIR): others can replace files in it " 'root builds in no folder of a user'
else
	skip 'only root can make a folder of another user'
fi

# ---- names without a path ----

echo fio-3.99 >"$installed"
for name in fio-tickwise.so fio-tickwise-cmd.so; do
	printf '[a]\nioengine=%s\n' "$name" >"$scratch/job.fio"
	run run --dry-run "$scratch/job.fio"
	is "$status $(wc -l <"$err")" '0 0' "ioengine=$name stays as it is"
done
done_testing
