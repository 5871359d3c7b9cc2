# SPDX-License-Identifier: MIT
#
# Writes a report of a job with reads on some devices to stdout.
#
#	perl device_reports.pl [KEY=VALUE]... DEVICE...
#
# KEY: name, thread, pid, host, depth; option=NAME=VALUE; digits (of the job, 3).
# DEVICE: NUMBER,NAME,LAT,SLOW[,LAT-OF-PART]... A device has 16000 reads in 16 parts
# of the run: in each 980 of LAT ns and 20 of SLOW ns. The first parts may have
# another LAT. MODEL=... holds for the devices after it. With one device the job's
# own histograms are the device's, without stages but lat. With several, device_time
# is 1000 ns less than lat.

use strict;
use warnings;
use FindBin;
use JSON::PP;

require "$FindBin::Bin/report_values.pl";

my %job = (name => 'drives', thread => 1, pid => 100, host => 'box', depth => 1,
	digits => 3);
my (%options, @devices, $model);

for (@ARGV) {
	if (/^option=(\w+)=(.*)/) {
		$options{$1} = $2;
	} elsif (/^MODEL=(.*)/) {
		$model = $1;
	} elsif (/^(\w+)=(.*)/) {
		$job{$1} = $2;
	} else {
		my ($number, $name, $lat, $slow, @parts) = split /,/;
		$parts[$_] //= $lat for 0 .. 15;
		push @devices, { number => $number, name => $name, model => $model,
			slow => $slow, parts => \@parts };
	}
}

sub values_of {
	my ($device, $less) = @_;

	return map { ($_ - $less, 980, $device->{slow} - $less, 20) }
		@{$device->{parts}};
}

my $start = '1700000000000000000';

# Make a window of 1 ms for each part.
sub windows {
	my ($device) = @_;
	my $i = 0;

	return { width_ns => 1000000, windows => [map +{
		start => $start + 1000000 * $i++ . '',
		read => histogram(1, $_ + 0, 980, $device->{slow} + 0, 20) },
		@{$device->{parts}}] };
}

sub of_device {
	my ($device) = @_;

	return (jobs => 1, ios => counts(16000),
		lat => { read => histogram(2, values_of($device, 0)) },
		device_time => { read => histogram(2, values_of($device, 1000)) },
		over_time => windows($device));
}

my @all = map { values_of($_, 0) } @devices;
my $ios = 16000 * @devices;
my %report = (schema => 'tickwise-report', version => 1,
	jobs => [{ name => $job{name}, groupid => 0, thread_number => $job{thread} + 0,
		subjob_number => 0, pid => $job{pid} + 0, host => $job{host},
		start => $start, first_ns => 0, run_ns => 16000000,
		fio_version => 'fio-3.33', engine => 'tickwise', iodepth => $job{depth} + 0,
		tickwise_version => '0.1', run => "$job{host}-7",
		event_time => JSON::PP::false, event_wait => JSON::PP::false,
		fallback => JSON::PP::false, %options ? (options => {}) : () }],
	ios => counts($ios), stages => { lat => { read =>
		histogram($job{digits}, @all) } },
	clocks => {}, counter => { verdict => 'reliable', reasons => [] },
	slowest => [], devices => [map +{ host => $job{host}, device => $_->{number},
		name => $_->{name}, $_->{model} ? (model => $_->{model}) : (),
		@devices > 1 ? of_device($_) : () }, @devices]);
$report{over_time} = windows($devices[0]) if @devices == 1;
$report{options} = \%options if %options;
print JSON::PP->new->canonical->pretty->encode(\%report);
