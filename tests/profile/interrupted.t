#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# A signal that asks a recorded program to end ends it, and what it recorded is
# printed. Ctrl-C reaches the program from the terminal, once; tickwise passes on
# what another process sends to it. Nothing is left in the temporary directory, also
# where children of fork wrote there. Fails if tickwise ends before the program.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# This program ends on the first signal; the second would count as one more.
compile gcc server <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int signals;
static void count(int number) { (void)number; signals++; }
static __attribute__((noinline)) void serve(const sigset_t *mask)
{
	while (!signals)
		sigsuspend(mask);
}
int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = count };
	sigset_t all, mask;

	if (argc < 2) {
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
	}
	alarm(120);
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_BLOCK, &all, &mask);
	if (fork() == 0)
		exit(0);
	wait(NULL);
	puts("ready");
	fflush(stdout);
	serve(&mask);
	printf("%d signal\n", signals);
	return 0;
}
END

# A terminal, whose program is in the foreground and gets Ctrl-C when it is ready.
terminal=$build/tests/reader/on_terminal
TMPDIR=$scratch/tmp
export TMPDIR
mkdir "$TMPDIR"
left() {
	find "$TMPDIR" -mindepth 1 | wc -l
}

"$terminal" true
if [ $? = 99 ]; then
	skip 'no pseudoterminal here'
else
	"$terminal" -i ready "$tickwise" profile --csv -- "$scratch/server" \
		>"$scratch/raw" 2>"$err"
	status=$?
	tr -d '\r' <"$scratch/raw" >"$csv"
	sed 's/^/# /' "$csv"
	is "$status $(field serve 3)" '0 1' 'Ctrl-C: the profile is printed'
	has "$csv" '1 signal' 'the program got it once'
	is "$(left)" 0 'nothing is left'

	"$terminal" -i ready "$tickwise" profile --csv -- "$scratch/server" dies \
		>"$scratch/raw" 2>&1
	is "$?" 66 'a program that the signal ends wrote nothing'
	has "$scratch/raw" 'was ended by signal 2' 'that is told'
	is "$(left)" 0 'nothing is left'
fi

# signal_alone NAME ARGUMENT...: sends it to tickwise, when the program is ready
signal_alone() {
	signal=$1
	shift
	mkfifo "$scratch/ready"
	"$tickwise" profile --csv --keep="$scratch/profile" "$@" \
		>"$scratch/ready" 2>"$err" &
	{
		read -r line
		kill -"$signal" $!
		cat >"$csv"
	} <"$scratch/ready"
	wait $!
	status=$?
	rm "$scratch/ready"
}
signal_alone TERM -- "$scratch/server"
is "$status $(field serve 3)" '0 1' 'SIGTERM: passed on, and printed'
is "$line $(head -n 1 "$csv")" 'ready 1 signal' 'once'
signal_alone TERM --exclude=serve -- "$scratch/server" dies
is "$status $(head -n 1 "$err")" \
	"66 tickwise profile: $scratch/server was ended by signal 15" \
	'SIGTERM: passed on, and told'
is "$(left)" 0 'nothing is left'
[ ! -e "$scratch/profile.filter" ]
ok $? 'neither what was not to be timed'
done_testing
