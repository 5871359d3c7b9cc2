#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin plugin/collect
#
# Behaviour: the report tells what it is about: fio's options as fio itself prints
# them, how many bytes were moved, the machine, the files and the devices that hold
# them. What the job's headline needs is there even if the user did not set it.
# Defect: an option of [global] that is lost, a value that the job did not run with,
# bytes that are not fio's. Also a file on the wrong device, or a list without bound.
. "$(dirname "$0")/fio_tap.sh"

# $fio is fio's JSON, in an expression on a report.
with_fio='our $fio = do { local $/; open my $f, "<", "out.json" or die;
	JSON::PP->new->decode(<$f> =~ s/\A.*?^(?=\{)//msr) };'

long=$(printf '%0400d' 0)
cat >job.fio <<EOF
[global]
ioengine=external:$TICKWISE_SO
readwrite=write
blocksize=8k
size=1m
loops=1
[a]
rw=randrw
filename=x
tw_report=a.json
description=$long
thread
EOF
timeout $hung_s "$FIO" --output-format=json --output=out.json job.fio >err 2>&1
ok $? 'a job with options of [global] and of its own'
json a.json "$with_fio"'
	my %fio = (%{$fio->{"global options"}},
		%{$fio->{jobs}[0]{"job options"}});
	$fio{description} = "0" x 253 . "...";
	$fio{iodepth} //= 1;
	$fio{direct} //= 0;
	# fio leaves out options without a value.
	$fio{thread} = "";
	JSON::PP->new->canonical->encode({map { $_, "$fio{$_}" } keys %fio}) eq
		JSON::PP->new->canonical->encode($j->{options})'
ok $? 'its options are those of fio'"'"'s JSON, cut off'
json a.json '$j->{options}{rw} eq "randrw" && $j->{options}{bs} eq "8k" &&
	!exists $j->{options_left_out}'
ok $? 'the last one of a name counts, under the name of no alias'
json a.json "$with_fio"'
	my $job = $fio->{jobs}[0];
	0 == grep { ($j->{bytes}{$_} // -1) != ($job->{$_}{io_bytes} // 0) }
		qw(read write trim)'
ok $? 'bytes are those of fio'

run_fio --name=b --filename=x --size=64k --buffered=0 --tw_report=b.json \
	--tw_test_nop=1 --description="a$(printf '\033')[1mb"
json b.json '$j->{options}{rw} eq "read" && $j->{options}{bs} eq "4k" &&
	$j->{options}{iodepth} eq "1" && $j->{options}{direct} eq "1" &&
	$j->{options}{tw_test_nop} eq "1"'
ok $? 'what was not given is there as the job ran with it'
json b.json '$j->{options}{description} eq "a?[1mb"'
ok $? 'there are no control characters'
"$tickwise" report b.json | grep -q '^WARNING: tw_test_nop=1: no data was read or written'
ok $? 'the page warns of a job that moved no data'
run_fio --name=c --filename=x --size=64k --rw=trimwrite --bsrange=4k-8k \
	--tw_report=c.json --tw_test_nop=1
json c.json '!exists $j->{options}{bs} && $j->{options}{bsrange} eq "4k-8k"'
ok $? 'no bs where there is a range'

cat >sections.fio <<EOF
[global]
ioengine=external:$TICKWISE_SO
tw_test_nop=1
filename=x
size=64k
bs=4k
readwrite=randread:4
iodepth=4
buffered=0
unit_base=8
loops=1
[early]
tw_report=early.json
[global]
bs=16k
readwrite=write
iodepth=2
buffered=1
unit_base=1
loops=1
bsrange=4k-8k
[late]
tw_report=late.json
[own]
readwrite=readwrite
unit_base=8
bsrange=8k-16k
tw_report=own.json
EOF
# a line that fio'"'"'s options are compared with
options()
{
	from_json "$1" 'my $o = $j->{options};
		print join " ", map { $_ . "=" . ($o->{$_} // "none") }
		qw(rw bs bsrange iodepth direct unit_base loops)'
}
timeout $hung_s "$FIO" sections.fio >err 2>&1
ok $? 'a job with another [global] after it'
is "$(options early.json.1)" \
	'rw=randread:4 bs=4k bsrange=none iodepth=4 direct=1 unit_base=none loops=1' \
	'it has none of its options'
is "$(options late.json.2)" \
	'rw=write bs=none bsrange=4k-8k iodepth=2 direct=0 unit_base=none loops=1' \
	'a job after both has those of the last one'
is "$(options own.json.3)" \
	'rw=readwrite bs=none bsrange=8k-16k iodepth=2 direct=0 unit_base=8 loops=1' \
	'its own count in any case'

# ---- the machine ----

json a.json '
	open my $f, "<", "/sys/devices/system/clocksource/clocksource0/" .
		"current_clocksource";
	my $name = $f ? <$f> =~ s/\s+\z//r : "";
	($j->{machines}[0]{clocksource} // "") eq $name'
ok $? 'the clocksource, if the kernel names it'

# A sum for each sample. The thread that takes them may wait for a CPU: then fio runs again.
for mode in 0 1; do
	for again in 1 2 3 4 5 6 7 8 9 10; do
		run_fio --name=s --filename=s --size=64k --direct=1 --numjobs=2 --thread=$mode \
			--exec_postrun='sleep 1' --tw_report=s.json
		json s.json.1 '@{$j->{jobs}[0]{machine_over_time}{at_ns}} > 1' &&
			json s.json.2 '@{$j->{jobs}[0]{machine_over_time}{at_ns}} > 1' && break
	done
	for report in s.json.1 s.json.2; do
		json $report '
			my $over = $j->{jobs}[0]{machine_over_time};
			my $samples = @{$over->{at_ns}};
			my $falls = 0;
			for (qw(at_ns stolen_ns cpu_of_others_ns disk_bytes)) {
				my @row = @{$over->{$_}};
				die "$_\n" if @row != $samples && ($_ eq "at_ns" || @row);
				$falls += grep { $row[$_] < $row[$_ - 1] } 1 .. $#row;
			}
			my $direct = $j->{jobs}[0]{storage_read_bytes} // 0;
			$samples > 1 && !$falls && !-e "/proc/self/io" == ($direct < 65536) && $over->{cpus} > 0 &&
				!exists $over->{disk} == !@{$over->{disk_bytes}} &&
				-e "/proc/stat" == (@{$over->{stolen_ns}} > 0)'
		ok $? "thread=$mode: what the machine did, in $report"
	done
done
json a.json '!exists $j->{jobs}[0]{machine_over_time}{disk}'
ok $? 'no disk of a job with the page cache'

# ---- for how long fio counts ----

run_fio --name=f --size=1m --rw=write --verify=crc32c --end_fsync=1 --tw_report=f.json
for rw in read write; do
	ms=$(value out.json "\$j->{jobs}[0]{$rw}{runtime}")
	is "$(value f.json "\$j->{jobs}[0]{fio_run_ns}{$rw} // 0")" "$((ms * 1000000))" "fio's run of ${rw}s"
done

# ---- files ----

json a.json '
	my $file = $j->{files}[0];
	@{$j->{files}} == 1 && $file->{path} eq "x" && $file->{size} == 1 << 20'
ok $? 'its file'
filesystem=$(from_json a.json 'print $j->{files}[0]{filesystem} // "none"')
[ "$filesystem" = none ] || awk '{ print $NF }' /proc/filesystems |
	grep -qx "${filesystem%%.*}"
ok $? "its file system is one of the kernel's: $filesystem"
device=$(from_json a.json 'print $j->{files}[0]{device} // "none"')
is "$device" "$(stat -c %Hd:%Ld x)" 'it is on its device'
json a.json '
	my @wanted = grep { defined } $j->{files}[0]{device};
	"@wanted" eq join " ", map { $_->{device} } @{$j->{devices}}'
ok $? 'which is the one among the devices'

# A file without blocks, where the file system tells.
truncate -s 1m sparse
run_fio --name=sparse --filename=sparse --size=1m --rw=randread --tw_report=sparse.json
case $filesystem in
ext* | xfs) json sparse.json '$j->{files}[0]{holes} == 1 << 20' ;;
*) json sparse.json '!exists $j->{files}[0]{holes}' ;;
esac
ok $? 'the holes of a sparse file'
run_fio --name=x --filename=x --size=1m --rw=randread --tw_report=full.json
json full.json '!exists $j->{files}[0]{holes}'
ok $? 'a file that was written has none'

# ---- a disk of its own ----

truncate -s 4m image
loop=$(losetup -f --show image 2>losetup.err)
trap '[ -z "$loop" ] || losetup -d "$loop"; rm -rf "$scratch"' EXIT
if [ -z "$loop" ]; then
	skip "no loop device: $(head -n 1 losetup.err)"
else
	run_fio --name=loop --filename="$loop:x" --size=64k --rw=read \
		--tw_report=loop.json
	LOOP=$loop json loop.json '
		my ($name) = $ENV{LOOP} =~ m{([^/]+)$};
		my %file = map { $_->{path}, $_ } @{$j->{files}};
		my $disk = $file{$ENV{LOOP}};
		my ($device) = grep { $_->{device} eq $disk->{device} }
			@{$j->{devices}};
		open my $f, "<", "/sys/block/$name/queue/scheduler";
		my ($scheduler) = ($f ? <$f> : "") =~ /\[(.*?)\]/;
		$disk->{size} == 4 << 20 && !exists $disk->{filesystem} &&
			(!$f || $device->{name} eq $name &&
			$device->{size} == 4 << 20 &&
			($device->{scheduler} // "none") eq ($scheduler // "none"))'
	ok $? 'a block device and what the kernel says of it'
fi
done_testing
