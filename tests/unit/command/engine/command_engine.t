#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tickwise engine` prints the path of an engine that this fio can load: the
# installed one first, else one that `tickwise build-engine` has built for this
# version. Fails if it takes another version's. Fails also if the line on an engine
# for another fio lacks the command that builds one. A name such as fio-tickwise.so
# is an engine of ours.

. "$(dirname "$0")/../../../tap.sh"

mkdir -p "$scratch/bin" "$scratch/data"
cp "$tickwise" "$scratch/bin/tickwise"
tickwise=$scratch/bin/tickwise
XDG_DATA_HOME=$scratch/data
FIO=$scratch/bin/fio
# The engine that this fio can load has its version in it.
cat >"$FIO" <<'END_OF_FIO'
#!/bin/sh
version=fio-3.99
case $1 in
--version) echo "$version" ;;
--enghelp=*)
	if grep -q "$version" "${1#*=}"; then
		echo 'tw_report               : File'
	else
		echo "tickwise: built for $(cat "${1#*=}"), loaded into $version: refused. More"
		exit 1
	fi ;;
esac
END_OF_FIO
chmod 755 "$FIO"
export XDG_DATA_HOME FIO

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
echo fio-3.98 >"$installed"
prints "$built/fio-3.99/tickwise.so" 'for another fio: the one that was built'
rm "$installed"
prints "$built/fio-3.99/tickwise.so" 'none installed: the one that was built'

rm "$built/fio-3.99/tickwise.so"
echo fio-3.99 >"$built/fio-3.98/tickwise.so"
if [ -e "$(cat "${TW_BUILD:-$root/build}/engine_dir")/tickwise.so" ]; then
	skip 'an engine is installed here'
else
	run engine
	is "$status $(wc -c <"$out") $(wc -l <"$err")" '66 0 1' \
		'none for this version: exit code 66'
	has "$err" 'tickwise engine: no tickwise.so next to this program' 'and one line'
	has "$err" 'type: tickwise build-engine' 'with the command'
fi

echo fio-3.98 >"$installed"
run engine
is "$status $(cat "$out")" '70 ' 'one for another fio: exit code 70'
is "$(cat "$err")" "tickwise engine: $FIO can't load $installed: built for fio-3.98, \
loaded into fio-3.99. Type: tickwise build-engine --fio=$FIO" \
	'one line, with the command'
printf '[a]\nioengine=io_uring\n' >"$scratch/job.fio"
run run "$scratch/job.fio"
is "$status $(sed -n '$p' "$err")" "70 tickwise run: $FIO can't load $installed: built \
for fio-3.98, loaded into fio-3.99. Type: tickwise build-engine --fio=$FIO" \
	'the same line of tickwise run'
PATH=$scratch/bin:$PATH FIO='' run engine
has "$err" 'Type: tickwise build-engine' 'of the usual fio'
has_not "$err" '--fio=' 'without a path'

# A program's output makes no folder but the version's own.
printf '#!/bin/sh\necho fio-3.99/../fio-3.98\n' >"$scratch/bin/odd"
chmod 755 "$scratch/bin/odd"
run build-engine --fio="$scratch/bin/odd"
is "$status $(cat "$err")" \
	"66 tickwise build-engine: $scratch/bin/odd is no fio that can be run" \
	'a version that is no name of a folder'
run engine file
is "$status" 64 'an argument is refused'

# ---- what build-engine gets ----

cat >"$scratch/bin/tickwise-build-engine" <<'END'
#!/bin/sh
printf '<%s>' "$@"
END
chmod 755 "$scratch/bin/tickwise-build-engine"
run build-engine
is "$status $(cat "$out")" "0 <$FIO><><$built/fio-3.99><found>" 'by default'
run build-engine --source='a b' -o out
is "$status $(cat "$out")" "0 <$FIO><a b><out>" 'with a source and a folder'

# ---- names without a path ----

echo fio-3.99 >"$installed"
for name in fio-tickwise.so fio-tickwise-cmd.so; do
	printf '[a]\nioengine=%s\n' "$name" >"$scratch/job.fio"
	run run --dry-run "$scratch/job.fio"
	is "$status $(wc -l <"$err")" '0 0' "ioengine=$name stays as it is"
done
done_testing
