#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints which lines and branches of core/ and plugin/ ran, by folder, as gcov
# counted.
#
#	tests/coverage/table.sh BUILD
#
# A branch counts as taken if any program or library that contains the source took
# it. What runs inside the kernel (plugin/kernel/*/*.bpf.c) is not counted.
set -u

build=$1
root=$(cd "$(dirname "$0")/../.." && pwd)

find "$build" -name '*.gcno' | sort | while read -r file; do
	${GCOV:-gcov} --json-format --stdout --branch-probabilities "$file" 2>/dev/null
	echo
done | perl -MJSON::PP -ne '
	BEGIN { $root = shift @ARGV }
	next unless /^\{/;
	my $all = JSON::PP->new->decode($_);
	for my $file (@{$all->{files}}) {
		my $name = $file->{file};
		$name = "$all->{current_working_directory}/$name" if $name !~ m|^/|;
		next unless $name =~ s|^\Q$root\E/((?:core\|plugin)/)|$1|;
		next if $name =~ m|^core/example/|;
		for my $line (@{$file->{lines}}) {
			my $number = $line->{line_number};
			$lines{$name}{$number} += $line->{count};
			for (0 .. $#{$line->{branches}}) {
				$branches{$name}{"$number.$_"} +=
					$line->{branches}[$_]{count};
			}
		}
	}
	END {
		for my $name (keys %lines) {
			for my $folder ($name =~ s|/[^/]*$||r, "all") {
				my $sum = $sums{$folder} ||= {};
				$sum->{files}++;
				$sum->{lines} += keys %{$lines{$name}};
				$sum->{run} += grep { $_ } values %{$lines{$name}};
				$sum->{branches} += keys %{$branches{$name} || {}};
				$sum->{taken} += grep { $_ }
					values %{$branches{$name} || {}};
			}
		}
		print "| folder | files | lines | run | branches | taken |\n",
			"|---|---|---|---|---|---|\n";
		for my $folder (sort { ($a eq "all") <=> ($b eq "all") ||
				$a cmp $b } keys %sums) {
			my $sum = $sums{$folder};
			printf "| %s | %d | %d | %s | %d | %s |\n", $folder,
				@$sum{qw(files lines)},
				share(@$sum{qw(run lines)}), $sum->{branches},
				share(@$sum{qw(taken branches)});
		}
	}
	sub share {
		return $_[1] ? sprintf("%.1f %%", 100 * ($_[0] || 0) / $_[1]) : "-";
	}' "$root"
