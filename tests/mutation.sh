#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints a mutation score by folder. It changes one line at a time, builds what
# depends on the line, and runs the tests of its folder until one fails. A change
# that no test notices has survived.
#
#	tests/mutation.sh [-n COUNT | -p PLACES] [-l] [FOLDER...]
#	tests/mutation.sh -u
#
# -n: the number of places (100). They are spread evenly over FOLDER... (core
# plugin), so that the same tree gives the same places. -p: the places in the file
# PLACES, in lines as -l prints them. -l lists the places and changes nothing. -u
# lists the unit tests that belong to no folder.
#
# Works in a copy of HEAD in build/mutation; the tree stays as it is. Before the
# first change each test runs once. A test that then fails or is skipped is left
# out. A test that later takes ten times as long, and ten seconds more, has noticed
# the change, too. A place takes half a minute on an idle machine: run it under
# nice. TW_MUTATION_SECONDS= ends the run after that time. The order of places goes
# over all folders again and again. Places that are left are not counted.
#
# Operators: boundary (< and <=), equality (== and !=), logic (&& and ||), sum (+
# and -), constant (a number plus one), condition (an if is negated), statement (an
# assignment or a call is removed).
set -u

count=100
list=0
given=
unlisted=0
while getopts n:p:lu option; do
	case $option in
	n) count=$OPTARG ;;
	p) given=$(realpath "$OPTARG") || exit 2 ;;
	l) list=1 ;;
	u) unlisted=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- core plugin

root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build/mutation
tree=$work/tree
ends=$(($(date +%s) + ${TW_MUTATION_SECONDS:-1000000}))
mkdir -p "$work"

# tests_of FILE: prints the tests of its folder, the quick ones first. Names are
# those in tests/, with * for any. A C test goes by its source.
tests_of()
{
	tests_of_folder "$1"
	case $1 in
	core/command/*) echo 'unit/command/command_output_fails.t unit/command/command_usage.t' ;;
	esac
}

tests_of_folder()
{
	case $1 in
	core/counter/*) echo 'unit/counter_*.c unit/ticks_*.c unit/clock/clock_readers.c
		unit/estimate/seconds_before_wrap.c unit/command/command_counter_disabled.t' ;;
	core/clock/*) echo 'unit/clock_*.c unit/scale_*.c unit/rate_*.c
		unit/clock/kernel_rate.c unit/clock/monotonic_rate.c unit/machine/vmclock_page.c
		unit/clock/rate_recorded.t unit/command/calibrate/command_calibrate.t' ;;
	core/machine/*) echo 'unit/machine_*.c unit/machine/cpu_list.c unit/machine/device_tree.c unit/machine/hypervisor_name.c
		unit/machine/perf_page.c unit/machine/vmclock_page.c unit/estimate_*_text.c
		unit/estimate/estimate_allowed_cpus.c unit/check_*.c golden/check.t' ;;
	core/estimate/*) echo 'unit/estimate_*.c unit/estimate/seconds_before_wrap.c
		unit/estimate/wrap_largest.c unit/estimate/ticks_largest.c unit/check_*.c
		golden/check.t' ;;
	core/trust*|core/contradictions.c) echo 'unit/core/trust.c unit/clock/clock_check.c
		unit/clock/clock_health.c unit/plugin/verdict_json.c unit/estimate_*.c
		unit/core/diagnostics.c golden/check.t' ;;
	core/text_file.c) echo 'unit/core/text_file.c unit/machine_*.c unit/memory/memory_sysfs.c
		unit/command/report/report_refuses.t' ;;
	core/names.c) echo 'unit/core/names.c unit/estimate_*.c golden/check.t' ;;
	core/sized.c) echo 'unit/core/sized.c unit/grown_struct.t' ;;
	core/latency/*) echo 'unit/histogram_*.c unit/latency/lat_slices.c unit/stages_*.t
		unit/command/report/report_*.t
		golden/report*.t' ;;
	core/report/*) echo 'unit/report_*.c unit/report_*.t golden/report*.t' ;;
	core/memory/*) echo 'unit/memory_*.c unit/memory_*.t golden/memlat.t' ;;
	core/preload/*) echo 'unit/preload_*.c unit/preload/preload.t' ;;
	core/probe/*) echo 'unit/command/compare/compare_result.c golden/compare.t
		unit/command/compare/command_compare.t' ;;
	core/profile/*) echo 'unit/profile_*.c profile/*.t' ;;
	core/command/bench/*) echo 'unit/command/bench/bench_result.c golden/bench.t
		unit/command/bench/command_bench.t' ;;
	core/command/calibrate/*) echo 'unit/command/calibrate/calibrate_hints.c golden/calibrate.t' ;;
	core/command/check/*) echo 'unit/check_*.c golden/check.t
		unit/command/check/command_check.t' ;;
	core/command/compare/*) echo 'unit/compare_*.c golden/compare.t
		unit/command/compare/command_compare.t unit/command/child*' ;;
	core/command/doctor/*) echo 'unit/doctor_*.c golden/doctor.t' ;;
	core/command/engine/*) echo 'unit/command/engine/build_engine.t golden/run.t' ;;
	core/command/diff/*) echo 'unit/diff_*.c golden/diff.t' ;;
	core/command/memlat/*) echo 'unit/memlat_*.c golden/memlat.t
		unit/memory/command/command_memlat.t' ;;
	core/command/profile/*) echo 'unit/profile_*.c golden/profile.t profile/*.t' ;;
	core/command/report*/*) echo 'golden/report*.t unit/report_*.t unit/report_*.c' ;;
	core/command/run/*) echo 'golden/run.t unit/command/run/command_run*.t unit/run_*.t
		unit/child_*.t' ;;
	core/command/output/*) echo 'unit/output_*.c unit/text_*.c unit/command/output/files.t golden/*.t
		unit/report_*.t unit/command/output/html_pages.t' ;;
	core/command/option*|core/command/completion.c) echo 'unit/command/options*.c
		unit/command/command_options.t unit/command/command_completion.t unit/build/man.t
		golden/*.t' ;;
	core/command/child.c|core/command/own_files.c) echo '
		unit/command/child* unit/command/command_separate.t golden/run.t
		golden/compare.t' ;;
	core/command/*) echo 'golden/*.t unit/command_*.t unit/command_*.c' ;;
	core/*) echo 'unit/scale_*.c unit/histogram_*.c unit/clock_*.c unit/ticks_*.c
		unit/core/diagnostics*.c' ;;
	plugin/memory_engine/*) echo 'unit/plugin/memory/memory_engine_figures.c fio/memory_*.t' ;;
	plugin/kernel/*) echo 'unit/kernel_*.c unit/trace_*.c unit/attach_*.c
		unit/engine_kernel_*.c unit/plugin/engine_causes.c unit/plugin/engine_stages.c
		unit/plugin/kernel/kernel_build.t fio/kernel_*.t fio/trigger.t' ;;
	plugin/collect/machine*|plugin/block_device.*|plugin/facts.*) echo 'unit/plugin/machine_json.c
		unit/plugin/block_device.c fio/facts.t' ;;
	plugin/collect/*) echo 'unit/plugin/slowest.c unit/plugin/attach/attach_tally.c fio/slowest.t' ;;
	plugin/interval.*|plugin/filling.h) echo 'unit/plugin/engine_interval.c unit/plugin/engine_filling.c
		fio/intervals.t' ;;
	*) echo 'unit/engine_*.c unit/plugin/verdict_json.c unit/plugin/io_times.c
		fio/engine_scripts.t fio/options.t fio/counting.t fio/over_time.t
		fio/response.t fio/report_schema.t fio/trouble.t fio/setup_fails.t
		fio/clock_errors.t fio/counter_end.t fio/run_end.t fio/trigger.t' ;;
	esac
}

# These belong to no folder: they test how the whole is built, documented or
# exported.
tests_of_no_folder='unit/build/cppflags.t
	unit/build/debian.t unit/build/dist.t unit/build/example.t unit/build/exports.t unit/build/fio_skips.t
	unit/build/include_folders.t unit/build/install.t
	unit/build/mutation.t unit/build/packages.t unit/ported.t unit/build/run_tests.t unit/build/schema.t
unit/build/words.t'

# Print each place as FILE:LINE:OPERATOR, in one order for all.
all_places()
{
	git -C "$root" ls-files "$@" | sort |
	grep -E '\.[ch]$' |
	grep -vE '\.bpf\.|/example/|aarch64|ppc64|riscv64|with_cpu' |
	perl -e '
	for my $name (<STDIN>) {
		chomp $name;
		open my $file, "<", "$ARGV[0]/$name" or next;
		my ($in_comment, $before) = (0, "");
		while (my $line = <$file>) {
			my $bare = $line;
			$bare =~ s|"(?:[^"\\]\|\\.)*"|\"\"|g;
			$bare =~ s|\x27(?:[^\x27\\]\|\\.)*\x27|0|g;
			$bare =~ s|/\*.*?\*/||g;
			if ($in_comment) {
				$in_comment = 0 if $bare =~ s|^.*?\*/||;
				next if $in_comment;
			}
			$in_comment = 1 if $bare =~ s|/\*.*||;
			next if $bare !~ /^\t/ || $bare =~ /\\$/;
			my $starts = $before =~ /(?:[;{}:)]|\belse|^)\s*$/;
			$before = $bare if $bare =~ /\S/;
			for (["boundary", qr/ (?:<|>|<=|>=) /],
			     ["equality", qr/ (?:==|!=) /],
			     ["logic", qr/ (?:&&|\|\|) /],
			     ["sum", qr/[\w)\]] [+-] [\w(]/],
			     ["constant", qr/(?<![\w.%])\d+(?![\w.])/],
			     ["condition", qr/\bif \(.*\)(?: \{)?$/],
			     ["statement", qr/^\t+(?:[\w.\[\]]|->)+ [-+|&*]?= .*;$|^\t+\w+\(.*\);$/]) {
				my ($operator, $pattern) = @$_;
				next if $bare !~ $pattern;
				next if $operator eq "statement" && !$starts;
				next if $operator eq "condition" && !balanced($bare);
				next if $operator eq "constant" && $bare =~ /\[\d+\];/;
				print "$name:$.:$operator\n";
			}
		}
	}
	sub balanced { $_[0] =~ tr/(// == $_[0] =~ tr/)// }' "$root"
}

# change PLACE: changes the copy; prints the line before and after
change()
{
	perl -e '
	my ($tree, $place) = @ARGV;
	my ($name, $number, $operator) = split /:/, $place;
	my %swap = ("<" => "<=", "<=" => "<", ">" => ">=", ">=" => ">",
		"==" => "!=", "!=" => "==", "&&" => "||", "||" => "&&",
		"+" => "-", "-" => "+");
	open my $file, "<", "$tree/$name" or die;
	my @lines = <$file>;
	my $line = \$lines[$number - 1];
	my $old = $$line;
	# Change only what is outside of quotation marks.
	my @parts = split /("(?:[^"\\]|\\.)*"|\x27(?:[^\x27\\]|\\.)*\x27)/, $$line;
	for (my $i = 0; $i < @parts; $i += 2) {
		my $part = \$parts[$i];
		last if $operator eq "boundary" &&
			$$part =~ s/ (<=|>=|<|>) / $swap{$1} /;
		last if $operator eq "equality" && $$part =~ s/ (==|!=) / $swap{$1} /;
		last if $operator eq "logic" && $$part =~ s/ (&&|\|\|) / $swap{$1} /;
		last if $operator eq "sum" &&
			$$part =~ s/([\w)\]]) ([+-]) ([\w(])/$1 $swap{$2} $3/;
		last if $operator eq "constant" &&
			$$part =~ s/(?<![\w.%])(\d+)(?![\w.])/$1 + 1/e;
	}
	$$line = join "", @parts;
	$$line =~ s/\bif \((.*)\)( \{)?$/"if (!($1))" . ($2 || "")/e
		if $operator eq "condition";
	$$line =~ s/^(\t+).*;$/$1;/ if $operator eq "statement";
	open $file, ">", "$tree/$name" or die;
	print $file @lines;
	close $file;
	s/^\s+|\s+$//g for $old, (my $new = $$line);
	print "$old  ->  $new\n"' "$tree" "$1"
}

places()
{
	all_places "$@" >"$work/all"
	awk -v count="$count" -v all="$(wc -l <"$work/all")" '
		BEGIN { if (count > all) count = all }
		NR == int((taken + 0.5) * all / count) + 1 {
			print (taken++ * 37) % 101, $0
		}' "$work/all" | sort -n | sed 's/^[0-9]* //'
}

# expand PATTERN...: prints the tests that exist, as they are run
expand()
{
	for pattern; do
		# shellcheck disable=SC2086	# * for any
		for source in tests/$pattern; do
			case $source in
			*.c) [ ! -f "$source" ] || echo "build/${source%.c}.t" ;;
			*.t) [ ! -x "$source" ] || echo "$source" ;;
			esac
		done
	done
}

if [ "$unlisted" = 1 ]; then
	cd "$root" || exit 1
	# shellcheck disable=SC2046,SC2086	# words
	{
		find core plugin -name '*.[ch]' | while read -r file; do
			expand $(tests_of "$file")
		done
		expand $tests_of_no_folder
	} | sort -u >"$work/listed"
	expand 'unit/*.c' 'unit/*.t' | sort | comm -23 - "$work/listed"
	exit
fi
if [ "$list" = 1 ]; then
	places "$@"
	echo "$(wc -l <"$work/all") places in all" >&2
	exit
fi

# ---- the copy, and what its tests do as it is ----

rm -rf "$tree"
mkdir -p "$tree"
git -C "$root" archive HEAD | tar -x -C "$tree"
mkdir -p "$tree/build"
[ ! -d "$root/build/fio" ] || ln -sfn "$root/build/fio" "$tree/build/fio"
if [ -n "$given" ]; then
	grep -o '^[^:]*:[0-9]*:[a-z]*' "$given" >"$work/places"
else
	places "$@" >"$work/places"
fi
cd "$tree" || exit 1
make -s tests >"$work/build.log" 2>&1 || { tail "$work/build.log"; exit 1; }
eval "export $(make -s print-test-env)"

# run_test TEST SECONDS: runs a test as `make check` does, and gives its exit code
run_test()
{
	timeout -k 5 "$2" "$1" >"$work/output" 2>&1 </dev/null
}

while IFS=: read -r file _; do
	# shellcheck disable=SC2046	# words
	expand $(tests_of "$file")
done <"$work/places" | sort -u >"$work/tests"
while read -r test; do
	begin=$(date +%s)
	if run_test "$test" 600 && ! grep -q '^1\.\.0' "$work/output"; then
		echo "$test $((10 * ($(date +%s) - begin) + 10))"
	else
		echo "left out: $test" >&2
	fi
done <"$work/tests" >"$work/limits"

# ---- one change after the other ----

# judge PLACE: prints "killed by TEST", "survived" or "does not build"
judge()
{
	# shellcheck disable=SC2046	# words
	wanted=$(expand $(tests_of "${1%%:*}"))
	programs=$(echo "$wanted" | grep '^build/')
	[ "$programs" = "$wanted" ] || programs="$programs all build/tickwise-recorded"
	# shellcheck disable=SC2086
	if ! make -s $programs >"$work/build.log" 2>&1; then
		echo 'does not build'
		return
	fi
	for test in $wanted; do
		limit=$(sed -n "s|^$test ||p" "$work/limits")
		[ -n "$limit" ] || continue
		run_test "$test" "$limit" || { echo "killed by $test"; return; }
	done
	echo survived
}

: >"$work/results"
while read -r place; do
	[ "$(date +%s)" -lt "$ends" ] || break
	file=${place%%:*}
	cp -p "$file" "$work/saved"
	changed=$(change "$place")
	verdict=$(judge "$place")
	cp "$work/saved" "$file"
	printf '%s\t%s\t%s\n' "$place" "$verdict" "$changed" | tee -a "$work/results"
done <"$work/places"

echo
echo '| folder | changed lines | noticed | survived | score |'
echo '|---|---|---|---|---|'
grep -v '	does not build	' "$work/results" | awk -F '\t' '
	{
		split($1, place, ":")
		folder = place[1]
		sub("/[^/]*$", "", folder)
		for (i = 0; i < 2; i++) {
			name = i ? "all" : folder
			count[name]++
			survived[name] += $2 == "survived"
		}
	}
	END {
		for (name in count)
			printf "%d | %s | %d | %d | %d | %.0f %% |\n", name == "all",
				name, count[name], count[name] - survived[name],
				survived[name],
				100 * (count[name] - survived[name]) / count[name]
	}' | sort | sed 's/^[01] //'
