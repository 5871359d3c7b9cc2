#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tickwise doctor learns from fio and from tickwise-kernel-helper: a version,
# an engine that loads or why it does not, what the kernel refuses. Fails if a
# program that is missing or no fio counts as good, or if its own words are lost.
# The facts about the machine are not judged here (tests/golden/doctor.t,
# unit/command/doctor/doctor_facts.c).
. "$(dirname "$0")/../../../tap.sh"

mkdir -p "$scratch/tree/bin" "$scratch/home"
cp "$tickwise" "$scratch/tree/bin/tickwise"
tickwise=$scratch/tree/bin/tickwise
FIO=$scratch/fio
HOME=$scratch/home
unset XDG_DATA_HOME
export FIO HOME

# script FILE TEXT: makes a program
script()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod 755 "$1"
}

# fio_says VERSION ENGINE-HELP: makes a fio
fio_says()
{
	script "$FIO" "case \$1 in --version) echo '$1' ;; *) echo '$2' ;; esac"
}

# helper_says EXIT-CODE MESSAGE: makes a helper
helper_says()
{
	script "$scratch/tree/bin/tickwise-kernel-helper" \
		"[ \"\$*\" = --check ] || exit 99; echo '$2' >&2; exit $1"
}

# says LINE WANTED WHAT [ARGUMENT...]: passes if it reports this status, text and fix
says()
{
	name=$1 wanted=$2 what=$3
	shift 3
	${user-} "$tickwise" doctor --json "$@" >"$out" 2>"$err"
	is "$(perl -MJSON::PP -0 -ne 'BEGIN { $name = shift }
		for (@{decode_json($_)->{checks}}) {
			print join("|", $_->{status}, $_->{text}, $_->{fix} // "")
				if $_->{name} eq $name;
		}' "$name" "$out" | sed "s|$scratch|DIR|g")" "$wanted" "$what"
}

says fio 'fix|DIR/fio: No such file or directory|sudo apt-get install fio' 'no fio'
fio_says 'something else' ''
says fio 'fix|DIR/fio: this is no fio|sudo apt-get install fio' 'a program that is no fio'
: >"$scratch/tree/bin/tickwise.so"
fio_says fio-3.99 'tw_report  : where to write'
says fio 'good|fio-3.99, DIR/fio|' 'a fio'
says engine 'good|DIR/tree/bin/tickwise.so, loads|' 'which loads the engine'
fio_says fio-3.99 'tickwise: built for fio-3.33: refused. Type'
says engine "fix|this fio can't load DIR/tree/bin/tickwise.so: built for fio-3.33|\
tickwise build-engine --fio=DIR/fio" 'which does not, in the words of the engine'

helper_says 0 'found: files, block devices
not found: LVM (clone_endio)'
says 'split I/Os' 'note|files, block devices; missing: LVM (clone_endio)|' 'which I/Os can be split'
says causes 'note|not known|' 'an answer without causes'
says 'kernel stages' "good|possible with this user's own privileges|" \
	'the kernel takes the program'
says attach "good|possible with this user's own privileges|" 'and so that of attach'
helper_says 0 'syncs found: data
syncs not found: others (jbd2_run_stats)
causes found: who had the CPU'
says 'sync parts' 'note|data; missing: others (jbd2_run_stats)|' 'what is known of a sync'
says causes 'good|who had the CPU|' 'which causes are found'
says 'split I/Os' 'note|not known|' 'which are no I/Os that can be split'
helper_says 70 'found: files
tickwise kernel-helper: the kernel refuses: why'
says 'split I/Os' 'note|once the kernel stages work: files|' 'all I/Os could be split'
if [ -r /sys/kernel/btf/vmlinux ]; then
	says 'kernel stages' 'fix|the kernel refuses: why|sudo tickwise kernel-helper # in '\
'another terminal' 'the kernel refuses the program, in its own words'
	says attach 'note|the kernel refuses: why; a kernel-helper does not change that|sudo '\
'tickwise attach PID' 'and so that of attach'
fi

# as_user COMMAND...: runs it as a user whom a file's mode can stop
as_user()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$@"
	else
		"$@"
	fi
}
chmod 711 "$scratch"
perl -MSocket -e 'socket my $s, AF_UNIX, SOCK_SEQPACKET, 0;
	bind $s, pack_sockaddr_un($ARGV[0]); chmod 0, $ARGV[0]' "$scratch/helper"
if [ -r /sys/kernel/btf/vmlinux ] && as_user true 2>/dev/null && ! as_user sh -c \
	'echo >"$0"' "$scratch/helper" 2>/dev/null; then
	TICKWISE_KERNEL_SOCKET=$scratch/helper user=as_user says 'kernel stages' \
		'fix|the kernel-helper is not for this user|sudo tickwise kernel-helper '\
'--group=GROUP # instead of it' 'a helper of others'
fi

FIO= says fio 'fix|DIR/none: No such file or directory|sudo apt-get install fio' '--fio' \
	--fio="$scratch/none"
done_testing
