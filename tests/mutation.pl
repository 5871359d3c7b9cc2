#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Prints a mutation score by folder: changes one line at a time, builds, and runs the tests of
# its file (make print-tests-of) until one fails. A change that no test notices has survived.
#
#	tests/mutation.pl [-n COUNT] [-s SEED] [-j JOBS] [-p PLACES | -l] [FOLDER...]
#
# -n: the number of places (100), spread evenly over FOLDER... (core plugin). Another SEED (0)
# has other places. -p: the places in the file PLACES, in lines as -l prints them. -l lists the
# places and changes nothing. -j: JOBS places at a time (as many as there are CPUs).
#
# Works in copies of HEAD in build/mutation; the tree stays as it is. Before the first change
# each test runs once, and is left out if it fails or is skipped. A test that later takes ten
# times as long, and ten seconds more, has noticed the change. TW_MUTATION_SECONDS= ends the
# run after that time; places that are left are not counted.
#
# Changes that make no difference are left out: sizes of buffers, freed memory, the smaller or
# larger of two. So are those after which the object has the same bytes.
use strict;
use warnings;
use Getopt::Std;
use POSIX ();
use Cwd 'abs_path';

my %option = (n => 100, s => 0, j => `nproc` + 0);
getopts("n:s:j:p:l", \%option) or exit 2;
my @folders = @ARGV ? @ARGV : qw(core plugin);
my $places_file = $option{p} ? abs_path($option{p}) : "";
my $ends = time + ($ENV{TW_MUTATION_SECONDS} // 1e9);
chdir abs_path($0) =~ s|/tests/[^/]*$||r or die;
my $work = abs_path(".") . "/build/mutation";

my %swap = ("<" => "<=", "<=" => "<", ">" => ">=", ">=" => ">", "==" => "!=", "!=" => "==",
	"&&" => "||", "||" => "&&", "+" => "-", "-" => "+");
# What to change, and where a change makes no difference.
my %operators = (
	boundary => [qr/(?<= )(<=?|>=?)(?= )/, qr/(\S+) [<>]=? (\S+) \? (?:\1 : \2|\2 : \1)\W|\bfd\w* [<>]=? 0\b/],
	equality => [qr/(?<= )([=!]=)(?= )/],
	logic => [qr/(?<= )(&&|\|\|)(?= )/],
	sum => [qr/(?<=[\w)\]] )([+-])(?= [\w(])/],
	constant => [qr/(?<![-\w.%])(\d+)(?![\w.])/, qr/\w\[\d+\]|sizeof|alloc\(|= \{ ?0 ?\}/],
	condition => [qr/\bif (\(.*\))(?= \{$|$)/],
	statement => [qr/^\t+((?:(?:[\w.\[\]]|->)+ [-+|&*]?= .*|\w+\(.*\));)$/,
		qr/^\t+(?:va_end|json_decref|\w*(?:free|cleanup|destroy))\(/],
);

# Return a line's code: no comment, and nothing between quotation marks.
my $in_comment;
sub bare
{
	my $line = shift;
	$line =~ s/(["'])((?:[^"'\\]|\\.)*)\1/$1 . "_" x length($2) . $1/ge;
	$line = "" if $in_comment && $line !~ s|^.*?\*/||;
	$in_comment &&= $line eq "";
	$line =~ s|/\*.*?\*/||g;
	$in_comment ||= $line =~ s|/\*.*||s;
	return $line =~ s/\s+$//r;
}

sub read_lines
{
	open my $file, "<", $_[0] or die "$_[0]: $!";
	return <$file>;
}

# Return each place of a file as FILE:LINE:OPERATOR.
sub places_of
{
	my ($name, $number, $before, @places) = (shift, 0, ";");
	$in_comment = 0;
	for my $line (read_lines($name)) {
		my $bare = bare($line);
		$number++;
		next if $bare !~ /^\t.*[^\\]$/;
		for my $operator (sort keys %operators) {
			my ($pattern, $same) = @{$operators{$operator}};
			next if $bare !~ $pattern || ($same && $bare =~ $same);
			next if $operator eq "condition" && $bare =~ tr/(// != $bare =~ tr/)//;
			next if $operator eq "statement" && $before !~ /(?:[;{}:)]|\belse)$/;
			push @places, "$name:$number:$operator";
		}
		$before = $bare;
	}
	return @places;
}

# Change a file of the copy. Return the line before and after.
sub change
{
	my ($name, $number, $operator) = split /:/, shift;
	my @lines = read_lines($name);
	my $old = $lines[$number - 1];
	$in_comment = 0;
	bare($old) =~ $operators{$operator}[0] or return "not there";
	my ($from, $length) = ($-[1], $+[1] - $-[1]);
	for (substr $lines[$number - 1], $from, $length) {
		$_ = $operator eq "constant" ? ($_ eq "1" ? 0 : $_ + 1) :
			$operator eq "condition" ? "(!$_)" :
			$operator eq "statement" ? ";" : $swap{$_};
	}
	open my $file, ">", $name or die;
	print $file @lines;
	close $file;
	return join "  ->  ", map { s/^\s+|\s+$//gr } $old, $lines[$number - 1];
}

sub places
{
	return map { /^([^:]+:\d+:\w+)/ ? $1 : () } read_lines($places_file) if $places_file;
	my @all = map { places_of($_) }
		grep { !/\.bpf\.|example|counter\/read|with_cpu/ }
		map { chomp; $_ } `git ls-files @folders | grep '\\.[ch]\$' | sort`;
	my $step = @all / ($option{n} < @all ? $option{n} : @all);
	print STDERR scalar(@all), " places in all\n";
	my @some = map { $all[(($_ + $option{s} * 0.382) * $step) % @all] } 0 .. @all / $step - 1;
	# The order goes over all folders again and again.
	return map { $some[$_] } sort { $a * 37 % 101 <=> $b * 37 % 101 } 0 .. $#some;
}

# Run a program; true if it ends well within the time.
sub passes
{
	my ($seconds, @command) = @_;
	my $quiet = ">output 2>&1 </dev/null";
	return !system "timeout -k 5 $seconds env --default-signal @command $quiet";
}

my %limit;	# the tests that can notice something, and how many seconds they may take

# Return "killed by TEST", "survived", "no difference" or "does not build". The tests in C run
# first: scripts need more to be built.
sub judge
{
	my $file = shift;
	my $object = $file =~ /\.c$/ ? "build/" . $file =~ s/c$/o/r : "";
	my @tests = grep { $limit{$_} } split " ", `make -s print-tests-of FILE=$file`;
	if ($object && -f $object) {
		system "cp -p $object object.old";
		return "does not build" if !passes(600, "make -s $object");
		return "no difference" if !system "cmp -s $object object.old";
	}
	for my $part (qr/^build/, qr/^tests/) {
		my @part = sort { $limit{$a} <=> $limit{$b} } grep { /$part/ } @tests or next;
		return "does not build" if !passes(900, "make -s ready TEST='@part'");
		passes($limit{$_}, $_) or return "killed by $_" for @part;
	}
	return "survived";
}

# Make a copy of the tree, and run the tests of all places once, as `make check` does.
sub prepare
{
	my %files = map { s/:.*//r => 1 } @_;
	system "rm -rf $work && mkdir -p $work/1/build && git archive HEAD | tar -x -C $work/1" .
		" && { [ ! -d build/fio ] || ln -s $work/../fio $work/1/build/fio; }";
	chdir "$work/1" or die;
	my %tests = map { $_ => 1 } map { split " ", `make -s print-tests-of FILE=$_` } keys %files;
	my @tests = sort keys %tests;
	passes(9999, "make -s -j$option{j} ready TEST='@tests'") or die `tail output`;
	for (`make -s print-test-env` =~ /(\w+='[^']*'|\w+=\S*)/g) {
		my ($name, $value) = /(\w+)='?([^']*)/;
		$ENV{$name} = $value;
	}
	for (`prove --timer -j$option{j} --exec 'env --default-signal' @tests 2>/dev/null </dev/null`) {
		$limit{$1} = $2 / 100 + 10 if /(\S+\.t) \.* ok +(\d+) ms/;
	}
	print STDERR "left out: $_\n" for grep { !$limit{$_} } @tests;
	system "cp -a $work/1 $work/$_" for 2 .. $option{j};
}

my @places = places();
print map { "$_\n" } @places if $option{l};
exit if $option{l};
prepare(@places);
open my $results, ">>", "$work/results" or die;
for my $job (1 .. $option{j}) {
	next if fork;
	chdir "$work/$job" or die;
	s|\Q$work/1\E/|$work/$job/|g for values %ENV;
	for (my $i = $job - 1; $i < @places && time < $ends; $i += $option{j}) {
		my $file = $places[$i] =~ s/:.*//r;
		system "cp -p $file saved";
		my $changed = change($places[$i]);
		my $verdict = $changed eq "not there" ? "no difference" : judge($file);
		my $line = join("\t", $places[$i], $verdict, $changed) . "\n";
		syswrite $_, $line for $results, *STDOUT;
		system "cp saved $file";
	}
	POSIX::_exit(0);
}
1 while wait != -1;

my (%count, %survived);
for (read_lines("$work/results")) {
	my ($place, $verdict) = split /\t/;
	next if $verdict =~ /^(?:does not build|no difference)/;
	for my $folder ($place =~ s|/[^/]*$||r, "~ all") {
		$count{$folder}++;
		$survived{$folder} += $verdict eq "survived";
	}
}
print "\n| folder | changed lines | noticed | survived | score |\n|---|---|---|---|---|\n";
printf "| %s | %d | %d | %d | %.0f %% |\n", s/~ //r, $count{$_}, $count{$_} - $survived{$_},
	$survived{$_}, 100 * (1 - $survived{$_} / $count{$_}) for sort keys %count;
