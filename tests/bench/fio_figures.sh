# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Functions that the comparisons of fio's speed share; to be sourced. They pass
# lines of numbers on to each other.

# Run the engine alone, without its program in the kernel; TICKWISE_KERNEL=auto
# measures both.
TICKWISE_KERNEL=${TICKWISE_KERNEL:-off}
export TICKWISE_KERNEL

# letters COUNT: prints a name of that length. The place of a process's memory
# depends on the length of its arguments and is worth some percent, so names have
# another length each time.
letters()
{
	printf "%$1s" '' | tr ' ' j
}

# some_length SEED: prints a length of 1 to 89
some_length()
{
	echo $((($1 * 37 + 11) % 89 + 1))
}

# fio_figures COMMAND...: runs a fio and prints for each of its jobs the I/Os,
# seconds, and seconds of CPU time. $scratch is a directory.
fio_figures()
{
	fio_json=$(mktemp "$scratch/json.XXXXXX")
	if "$@" --output-format=json >"$fio_json"; then
		perl -MJSON::PP -e 'local $/; my $text = <>;
			$text =~ s/\A.*?^(?=\{)//ms;
			for my $j (@{decode_json($text)->{jobs}}) {
				my $seconds = $j->{job_runtime} / 1000;
				my $ios = 0;
				$ios += $j->{$_}{total_ios}
					for "read", "write", "trim";
				printf "%d %.3f %.6f\n", $ios, $seconds,
					($j->{usr_cpu} + $j->{sys_cpu}) / 100 *
					$seconds;
			}' "$fio_json" && rm "$fio_json"
	else
		echo "failed: $*" >&2
		rm "$fio_json"
		return 1
	fi
}

# Print the median of numbers, its 95 % interval, the numbers' p10 and p90, and their
# count. The interval is from order statistics, which need no knowledge of the noise:
# ranks (n + 1)/2 +- 0.98 sqrt(n), the binomial's 95 %, rounded outward. With fewer than
# six numbers it is from the least to the most, which is 94 % for five.
quantiles()
{
	LC_ALL=C sort -n | awk '
	function at(rank) {
		rank = int(rank + .5)
		return v[rank < 1 ? 1 : rank > NR ? NR : rank]
	}
	{ v[NR] = $1 }
	END {
		half = .98 * sqrt(NR) + .5	# at() rounds to the nearest
		print (at((NR + 1) / 2 - .25) + at((NR + 1) / 2 + .25)) / 2,
			at((NR + 1) / 2 - half), at((NR + 1) / 2 + half),
			at(1 + (NR - 1) * .1), at(1 + (NR - 1) * .9), NR
	}'
}

# Print those figures for a reader.
in_words()
{
	awk '$6 < 6 { printf "%.3f (least-most %.3f-%.3f)", $1, $2, $3; next }
	{ printf "%.3f (95 %% %.3f-%.3f), p10-p90 %.3f-%.3f", $1, $2, $3,
		$4, $5 }'
}
