#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_causes=1 the report tells what a slow I/O waited for in the queues of the
# block layer, where its thread or a worker of io_uring slept: a tag, a frozen queue, a
# frozen file system, an inode's lock, iocost; or where no thread slept: a limit of a cgroup,
# which is named, a suspended device of the device mapper. Where no worker was free, the word is
# worker. The job's wait table has these words, too, by file. This is on the kernels of Debian 12 and 13. At least 95 of 100 such I/Os have the right
# word, and at most one of 100 others has any. Defect: a stack that this kernel does not give,
# functions that it names otherwise, the sleep of another I/O, a limit that is not the one in
# the way.
#
# A request takes 3 ms. An I/O that was held up more than 2 ms before it is one that waited,
# and one that was held up less than 1 ms did not. A freeze lasts 200 ms; the file system is
# written back before it. In virtual time no I/O waits for the machine's CPU.
#
# A limit is changed while an I/O waits. It is no longer known then, so such an I/O has the word
# only.
. "$(dirname "$0")/boot.sh"

accel=tcg,thread=single
cpus=1
memory=1024
seconds=600

# words NAME WORD [MS]: checks the job's slowest I/Os. One that waited MS (2) did so for that,
# after it had a worker, if it needed one. The word of a limit is followed by what is known of
# it.
words()
{
	succeeds "$1" "$suite, $1: fio succeeds"
	from_json "$shared/$1.json" '
		my ($waited, $right, $other, $any) = (0, 0, 0, 0);
		my %seen;
		for (@{$j->{slowest}}) {
			my $c = $_->{causes};
			my ($slept) = grep { "'"$2"'" eq "worker" || $_->{reason} ne "worker" }
				@{$c->{slept} // []};
			my $blockq = ($_->{stages}{blockq} // 0) -
				("'"$2"'" eq "worker" ? 0 : $_->{blockq}{worker} // 0);
			my $word = $slept ? $slept->{reason} : "none";
			$word = "other: $slept->{function}" if $word eq "other";
			$word .= " $slept->{cgroup} $slept->{limit}" if $slept && $slept->{limit};
			if ($c->{stage} eq "blockq" && $blockq > '"${3:-2}"'e6) {
				$waited++;
				$right += $word eq "'"$2"'";
				$seen{$word}++;
			} elsif ($blockq && $blockq < 1e6) {
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
	not_waiting=$((not_waiting + other))
	wrong=$((wrong + any))
}

# table NAME WORD: checks that the job's wait table has the word, by file
table()
{
	json "$shared/$1.json" 'grep { $_->{reason} eq "'"$2"'" && $_->{file} ne "-" &&
		$_->{time}{sum_ns} > 2e6 } @{$j->{waits}{rows}}'
	ok $? "$suite, $1: the wait table has $2"
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_words -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	happened=
	not_waiting=0
	wrong=0
	words none none
	words tag tag
	words worker worker 60
	words queue 'frozen queue' 5
	words freeze freeze 150
	words lock 'inode lock'
	words suspend suspended 150
	words ios 'io.max /words riops=50' 5
	words bytes 'io.max /words rbps=200000' 5
	words iocost iocost
	table tag tag
	table queue 'frozen queue'
	table freeze freeze
	table lock 'inode lock'
	table iocost iocost
	works "$suite: of all I/Os that did not wait, $wrong of $not_waiting have a word" \
		test "$not_waiting" -ge 300 -a $((wrong * 100)) -le "$not_waiting"
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version")" \
		"95 of 100 I/Os that wait have the right word, 99 of 100 others none" \
		"$happened" "has no causes"
done
done_testing
