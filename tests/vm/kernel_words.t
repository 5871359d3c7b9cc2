#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_causes=1 the report tells what a slow I/O waited for in the queues of the
# block layer, where its thread or a worker of io_uring slept: a tag, a frozen queue, a
# frozen file system, an inode's lock. Where no worker was free, the word is worker. This is on
# the kernels of Debian 12 and 13. At least 95 of 100 such I/Os have the right word, and at most
# one of 100 others has any. Defect: a stack that this kernel does not give, functions that it
# names otherwise, the sleep of another I/O.
#
# A request takes 3 ms. An I/O that was held up more than 2 ms before it is one that waited. A
# freeze lasts 200 ms; the file system is written back before it.
. "$(dirname "$0")/boot.sh"

cpus=1
memory=1024
seconds=400

# words NAME WORD [MS]: checks the job's slowest I/Os. One that waited MS (2) did so for that. On
# a busy host an I/O can wait longer for its worker to run, or for its own thread. That time is
# not meant.
words()
{
	succeeds "$1" "$suite, $1: fio succeeds"
	from_json "$shared/$1.json" '
		my ($waited, $right, $other, $any) = (0, 0, 0, 0);
		my %seen;
		for (@{$j->{slowest}}) {
			my $c = $_->{causes};
			my ($slept) = grep { "'"$2"'" eq "worker" || $_->{word} ne "worker" }
				@{$c->{slept} // []};
			my $blockq = ($_->{stages}{blockq} // 0) -
				("'"$2"'" eq "worker" ? 0 : $_->{blockq}{worker} // 0) -
				($c->{ran_ns} // 0) - ($c->{waited_ns} // 0) -
				($c->{interrupts_ns} // 0);
			my $word = $slept ? $slept->{word} : "none";
			$word = "other: $slept->{function}" if $word eq "other";
			if ($c->{stage} eq "blockq" && $blockq > '"${3:-2}"'e6) {
				$waited++;
				$right += $word eq "'"$2"'";
				$seen{$word}++;
			} elsif ($c->{stage} eq "device") {
				$other++;
				$any += $word ne "none";
			}
		}
		print "$waited $right $other $any ",
			join(", ", map { "$seen{$_} $_" } sort keys %seen), "\n"' >"$scratch/words"
	read -r waited right other any seen <"$scratch/words"
	if [ "$2" != none ]; then
		works "$suite, $1: $right of $waited have the word $2 ($seen)" \
			test "$waited" -ge 10 -a $((right * 100)) -ge $((waited * 95))
	else
		works "$suite, $1: $other did not wait" test "$other" -ge 20
	fi
	works "$suite, $1: $any of $other that did not wait have a word" \
		test $((any * 100)) -le "$other"
	happened="$happened${happened:+, }$1 $right of $waited"
}

for suite in bookworm trixie; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_words
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	happened=
	words none none
	words tag tag
	words worker worker 60
	words queue 'frozen queue' 5
	words freeze freeze 150
	words lock 'inode lock'
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version")" \
		"95 of 100 I/Os that wait have the right word, 99 of 100 others none" \
		"$happened" "has no causes"
done
done_testing
