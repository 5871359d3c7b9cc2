#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/base
#
# A file that is written is complete, or as it was before: after a full disk, too.
# Pipes and standard streams are written to. A link is followed only if this user or
# root made it. Devices and folders are no inputs, and an endless input ends with a
# message. Fails if an old file is cut, if a new one is left half written, if root
# writes where another user's link leads, or if a device is read.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
write_report a.json
"$tickwise" report a.json >page
"$tickwise" report --trace=trace --percentiles=p. --html=html a.json >/dev/null
hgrm=$(ls p.*.read.queue.hgrm)

# ---- a full disk: no file may grow ----

# limited ACTION ARGUMENT...: runs the program; ACTION is what it does with SIGXFSZ
limited()
{
	action=$1
	shift
	says=$(
		ulimit -f 0
		perl -e '$SIG{XFSZ} = shift; exec @ARGV' "$action" "$tickwise" "$@" \
			2>&1 >/dev/null
		echo "exit $?"
	)
}
for action in DEFAULT IGNORE; do
	for option in --html=new --trace=new --output=new --percentiles=p.; do
		new=new where=new
		[ $option != --percentiles=p. ] || new=$hgrm where=$hgrm
		[ $option != --output=new ] || where='the output'
		perl -e 'print "old\n" x 1000' >"$new"
		limited "$action" report a.json $option
		is "$says $(wc -c <"$new")" "tickwise report: can't write $where: File too large
exit 74 4000" "$option, SIGXFSZ $action: a full disk leaves the old file, and one line tells"
		rm "$new"
		limited "$action" report a.json $option
		is "${says##*
} $(ls "$new" 2>/dev/null)" 'exit 74 ' 'or none'
	done
done
is "$(ls ./*.part 2>/dev/null)" '' 'nothing half written is left'
for command in doctor 'report a.json'; do
	# shellcheck disable=SC2086	# a command and its arguments
	run $command -o new --html=/dev/full
	[ "$status" -eq 74 ] && [ -s new ]
	ok $? "${command%% *}: a page that can't be written leaves the output"
	rm -f new
done

# ---- what is replaced, and what is written to ----

echo old >mine
chmod 600 mine
ln -s mine link
run report a.json -o link
is "$status $(readlink link) $(stat -c %a mine)" '0 mine 600' \
	'a link is kept, and the mode of the file'
cmp -s mine page
ok $? 'which has the output'
mkdir folder
ln -s ../new folder/link
run report a.json -o folder/link
[ "$status" -eq 0 ] && cmp -s new page
ok $? 'a link to a file that is not there yet, from its own folder'
ln -s circle circle
run report a.json -o circle
is "$status $(cat "$err")" "74 tickwise report: can't write circle: it is a link of \
another user, or of too many links" 'a link to itself is refused'
# The kernel follows 40.
last=chained
for i in $(seq 41); do
	ln -s "$last" "chain$i" && last=chain$i
done
run report a.json -o chain40
[ "$status" -eq 0 ] && cmp -s chained page
ok $? '40 links, one after the other, are followed'
run report a.json -o chain41
is "$status" 74 'but not 41'
long=$(perl -e 'print "x" x 255')
run report a.json --html="$long"
[ "$status" -eq 0 ] && [ -s "$long" ]
ok $? 'a name as long as names can be'
rm "$long"
mkfifo pipe
timeout 300 cat pipe >got &
run report a.json -o pipe
wait
[ -p pipe ] && cmp -s got page
ok $? 'a pipe is written to'
{ echo before; "$tickwise" report a.json -o /dev/stdout; echo after; } >got
{ echo before; cat page; echo after; } | cmp -s - got
ok $? '/dev/stdout of a file goes on in this file'
perl -e 'print "old\n" x 10000' >longer
mkdir shut
mv longer shut
chmod 555 shut
run report a.json -o shut/longer
[ "$status" -eq 0 ] && cmp -s shut/longer page
ok $? 'a file in a folder where no other can be made'
chmod 755 shut

# Only root can make a link of another user, and a folder where this user is no root.
if [ "$(id -u)" -eq 0 ] && ln -s "$scratch/mine" theirs && chown -h 65534 theirs &&
		touch root && ln -s "$scratch/root" ours; then
	chmod 711 .
	mkdir open
	chmod 777 open
	ln -s "$scratch/open/x" open/link
	echo old >mine
	for form in -o --html --trace; do
		run report a.json $form=theirs
		[ $form != -o ] || run report a.json -o theirs
		is "$status $(cat mine)" '74 old' "$form: a link of another user is not followed"
		has "$err" 'a link of another user' 'and one line tells so'
	done
	mkfifo their_pipe
	chown 65534 their_pipe
	timeout 10 "$tickwise" report a.json -o their_pipe 2>/dev/null
	is "$?" 74 'a pipe of another user, which nobody reads, is refused'
	timeout 10 "$tickwise" report their_pipe 2>/dev/null
	is "$?" 66 'and one to which nobody writes'
	cp "$tickwise" tickwise && chmod 755 tickwise && chmod 644 a.json
	as_other='setpriv --reuid=65534 --regid=65534 --clear-groups'
	# Another user may not get into the folders above.
	if $as_other ./tickwise --version >/dev/null 2>&1; then
		$as_other ./tickwise report a.json -o open/link 2>"$err" && cmp -s open/x page
		ok $? 'a link that root made is followed'
		cp mine open/root
		chmod 666 open/root
		chmod 1777 open
		$as_other ./tickwise report a.json -o open/root 2>"$err" &&
			cmp -s open/root page
		ok $? 'a file of another user that can be written to, but not replaced'
		ln open/root open/second
		$as_other ./tickwise report a.json -o open/root 2>"$err"
		is "$? $(cat "$err")" "74 tickwise report: can't write open/root: it has a second \
name, and can't be replaced" 'if it has one name: the other one may be where all may write'
	fi
else
	skip 'only root can make links of others'
fi

# ---- inputs ----

for device in /dev/zero /dev/null; do
	for command in report 'diff a.json' profile; do
		# shellcheck disable=SC2086	# a command and its arguments
		run $command $device
		is "$status $(cat "$err")" "66 tickwise ${command%% *}: $device: it is a \
device, not a file" "$command $device"
	done
	printf '[a]\nrw=read\ninclude %s\n' "$device" >job
	for file in "$device" job; do
		run run --engine=/dev/null/none --dry-run "$file"
		[ "$status" -eq 66 ]
		ok $? "run $file"
	done
done
timeout 300 sh -c 'cat a.json >pipe' &
run report pipe
wait
[ "$status" -eq 0 ] && sed "s/pipe$/a.json/" "$out" | cmp -s - page
ok $? 'a report from a pipe'
for path in /dev/stdin /dev/fd/0 /proc/self/fd/0; do
	# shellcheck disable=SC2002	# a pipe is tested
	cat a.json | "$tickwise" report "$path" 2>"$err" | sed "s|$path\$|a.json|" | cmp -s - page &&
		"$tickwise" report "$path" <a.json | sed "s|$path\$|a.json|" | cmp -s - page
	ok $? "a report from $path"
done

# Without a limit these would need all memory.
mkdir built
: >built/tickwise.so
endless() # COMMAND
{
	sh -c "$1" 2>/dev/null | (
		# A sanitizer needs terabytes of addresses.
		[ -n "${TW_SANITIZE:-}" ] || ulimit -v 1000000
		"$tickwise" run --engine=built/tickwise.so --dry-run - >/dev/null 2>"$err"
	)
}
endless 'yes | tr -d "\n"'
has "$err" 'fio would cut this line in two' 'a job file that is one endless line'
endless 'echo "[a]"; yes "# a comment"'
has "$err" 'too many lines' 'a job file of endless lines'

# ---- no /proc ----

cp "$tickwise" built/
without_proc='unshare -m sh -c "umount -l /proc && exec built/tickwise engine"'
if [ -n "${TW_SANITIZE:-}" ] || ! unshare -m umount -l /proc 2>/dev/null; then
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP /proc can't be taken away here, or a sanitizer needs it"
else
	is "$(eval "$without_proc" 2>&1)" "$(built/tickwise engine 2>&1)" \
		'without /proc the engine is found, too'
fi
done_testing
