#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
#
# Writes what each scripted job of a run did to JOB.txt, for engine_scripts.t: fio's own
# figures and the engine's report. A line has the path of an object, and those of its
# numbers and words that are not 0, false or empty. fio's output is out.json in the run's
# directory; the report is JOB.json or, in a run of several jobs, JOB.json.N.
#
#	engine_scripts.pl DIRECTORY...
#
# Values that differ from one run to the next are left out: process, host, times of
# day, clocks, the counter's verdict, versions, the facts of machine, files and
# devices. So is fio's own lat, which is among its figures. Also left out are the
# sums of stages by lat, the histograms' bins, of which the percentiles are made,
# and what is computed from other values. Two counts that fio's versions make
# differently are left out as well (see @miscounted).
use strict;
use warnings;
use JSON::PP;

my @percentiles = ("1.000000", "50.000000", "90.000000", "99.000000",
		   "99.900000");

# Jobs with fdatasync or sync_file_range. Up to 3.42 fio counts these syncs past the
# end of its array of total_ios: as short reads or short writes, and not as syncs.
# Its commit af511749 counts them as syncs. With every fio, the samples of sync's
# lat_ns and the report's ios.sync have the right number.
my @miscounted = ("order_fdatasync", "order_range", "serial_replay");

# fio may print an error in front of its JSON.
sub parsed
{
	my ($file) = @_;
	local $/;

	open my $f, "<", $file or return;
	my $text = <$f>;
	$text =~ s/\A.*?^(?=\{)//ms;
	return JSON::PP->new->decode($text);
}

# Print a line for the object's own values, then those of the objects in it.
sub show
{
	my ($path, $object) = @_;
	my (@own, @objects);

	for my $key (sort keys %$object) {
		my $value = $object->{$key};

		if (ref $value eq "HASH") {
			push @objects, ["$path.$key", $value];
		} elsif (ref $value eq "ARRAY") {
			push @objects, map {
				[sprintf("%s.%s.%02d", $path, $key, $_),
				 $value->[$_]]
			} 0 .. $#$value;
		} elsif ($value) {
			push @own, "$key=$value";
		}
	}
	print "$path: @own\n" if @own;
	show(@$_) for @objects;
}

sub only
{
	my ($object, @keys) = @_;

	return { map { $_ => $object->{$_} }
		 grep { defined $object->{$_} } @keys };
}

sub figures_of_fio
{
	my ($job) = @_;
	my $figures = only($job, "error", "total_err", "first_error");

	for my $direction ("read", "write", "trim", "sync") {
		my $of = $job->{$direction} // {};
		my @times = grep { ($of->{$_} // {})->{N} }
			"slat_ns", "clat_ns", "lat_ns";

		next unless @times || $of->{total_ios};
		$figures->{$direction} = {
			%{only($of, "total_ios", "short_ios", "drop_ios",
			       "io_bytes")},
			map { $_ => only($of->{$_}, "N", "min", "max", "mean") }
				@times,
		};
	}
	if (grep { $_ eq $job->{jobname} } @miscounted) {
		delete $figures->{sync}{total_ios};
		delete $_->{short_ios} for grep { ref } values %$figures;
	}
	return $figures;
}

sub cut_histogram
{
	my ($histogram) = @_;

	my $of = delete $histogram->{percentiles};

	delete @$histogram{"bins", "digits", "mean_ns", "stddev_ns"};
	$histogram->{"p" . ($_ + 0)} = $of->{$_} for @percentiles;
}

sub cut_report
{
	my ($report) = @_;

	my $job = $report->{jobs}[0];

	delete @$report{"schema", "version", "jobs", "clocks", "counter",
			"options", "machines", "files", "files_left_out", "devices",
			"devices_other_files", "devices_other_ios", "fio_lat",
			"stages_by_lat", "over_time"};
	$report->{job} = only($job, "iodepth", "first_ns", "run_ns", "test_nop",
			      "event_time", "event_wait");
	# Nothing is split in simulated time.
	delete $report->{kernel_stages} if $job->{kernel}{state} eq "off";
	for (@{$report->{slowest} // []}) {
		my $stages = delete $_->{stages};

		delete @$_{"job", "ticks", "raw_ns", "monotonic_ns"};
		%$_ = (%$_, %$stages);
	}
	cut_histogram($_) for map { values %$_ }
		values %{$report->{stages} // {}},
		grep { $_ } $report->{submitting_call};
	cut_histogram($_) for grep { $_ } values %{$report->{fio_times}{residual} // {}};
	return $report;
}

for my $directory (@ARGV) {
	my $fio = parsed("$directory/out.json") or next;

	for my $job (@{$fio->{jobs}}) {
		my $path = "$directory/$job->{jobname}";
		my ($report) = map { parsed($_) } glob "$path.json*";

		open my $out, ">", "$path.txt" or die "$path.txt: $!\n";
		select $out;
		show("fio", figures_of_fio($job));
		$report ? show("report", cut_report($report)) :
			print "no report\n";
		close $out;
	}
}
