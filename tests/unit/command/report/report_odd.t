#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/command/analysis
#
# Behaviour: the I/Os of all jobs are put together by device, host or file. They are in
# order of the mean of lat. One is named as odd only if it has the larger mean in nearly all of
# 16 parts of the run and stands out. Jobs that do different things are not compared. Of a device that is made of several disks, the disk is told that has
# almost all of the slow I/Os' time. Defect: the histograms of one
# device in another one's row, a verdict by chance or by the work that a device had
# to do; a disk is told though others have some of the slow I/Os.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1

# job FILE ARGUMENT...: writes a report; see device_reports.pl
job()
{
	job_file=$1
	shift
	perl "$root/tests/device_reports.pl" "$@" >"$job_file"
}

# rows FILE...: prints the names of the page's table, in its order
rows()
{
	run report "$@"
	sed -n '/^[a-z]*: read /,/^$/p' "$out" | sed '1d; /^odd: /,$d; /^not /,$d; /^ /d; /^$/d' |
		cut -d' ' -f1 | tr '\n' ' '
}

# tell PERL FILE...: prints an expression; $j is the merged JSON
tell()
{
	tell_what=$1
	shift
	run report --json "$@"
	of_json "$tell_what"
}

# says TEXT DESCRIPTION FILE...: passes if the page has TEXT
says()
{
	says_text=$1 says_why=$2
	shift 2
	run report "$@"
	tr -s ' \n' ' ' <"$out" >text
	has text "$says_text" "$says_why"
}

# ---- a job with four devices ----
job four.json 8:0,sda,100000,200000 8:16,sdb,110000,220000 8:32,sdc,100100,205000 \
	8:48,sdd,100200,199000
is "$(rows four.json)" 'sdb sdc sdd sda ' 'a row for each device, by the mean'
says 'odd: device sdb: 1.10 times the lat of the others (' 'the one that stands out is named' \
	four.json
has text 'most of the difference is in the stage device' 'and in which stage that is'
is "$(tell 'join " ", map { "$_->{device} $_->{ios}{read} $_->{jobs} " .
	$_->{lat}{read}{max_ns} . " " . $_->{device_time}{read}{max_ns} }
	@{$r->{devices}}' four.json)" '8:0 16000 1 200000 199000 '\
'8:16 16000 1 220000 219000 8:32 16000 1 205000 204000 8:48 16000 1 199000 198000' \
	'each has its own I/Os in the JSON'
is "$(tell 'join " ", map { $_->{name} }
	@{$r->{analysis}{odd}{devices}{read}{order}}' four.json)" \
	'sdb sdc sdd sda' 'and the order'
is "$(tell '$r->{analysis}{odd}{devices}{read}{slow}' four.json)" \
	'[{"host":"box","name":"sdb"}]' 'and the slow one'

even='8:64,sde,100050,200000 8:80,sdf,100150,199000'	# two that are like sda
job tail.json 8:0,sda,100000,900000 8:16,sdb,130000,200000 8:32,sdc,100100,205000 $even
is "$(rows tail.json)" 'sdb sda sdc sdf sde ' 'the slow one is first, whatever the tail of others'

# ---- jobs with one device each ----
i=0
for lat in 100000 100500 100200 112000; do
	i=$((i + 1))
	job "job$i.json" name=job$i thread=$i pid=10$i 259:$i,nvme$i,$lat,20${i}000
done
is "$(rows job?.json)" 'nvme4 nvme2 nvme3 nvme1 ' 'devices of several jobs are one table'
says 'odd: device nvme4' 'by what the jobs have themselves' \
	job?.json
is "$(tell 'join " ", map { scalar @{$_->{devices}} . ($_->{analysis}{odd}{devices} ||
	$_->{devices}[0]{ios} ? " has" : "") } @r' job?.json)" '1 1 1 1' \
	'a report of one device has no numbers of it'
is "$(rows job1.json)" '' 'nor has a page on one device a table'
job again.json thread=2 pid=200 8:0,sda,100000,300000 8:16,sdb,110000,220000
job again1.json thread=3 pid=201 8:0,sda,100000,300000
is "$(tell 'join " ", map { "$_->{device} $_->{ios}{read} $_->{jobs} " .
	$_->{lat}{read}{digits} . " " . $_->{lat}{read}{count} . " " .
	$_->{lat}{read}{max_ns} . " " . $_->{lat}{read}{sum_ns} }
	@{$r->{devices}}' again.json again1.json)" \
	'8:0 32000 2 2 32000 300000 3328000000 8:16 16000 1 2 16000 220000 1795200000' \
	'a job with one device, three digits, adds to one with several, two digits'
is "$(tell 'my $h = $r->{devices}[0]{lat}{read};
	join " ", map { "$_ $h->{bins}{$_}" } sort { $a <=> $b } keys %{$h->{bins}}' \
	again.json again1.json)" '100351 31360 301055 640' 'in bins of two digits'
job again2.json thread=4 pid=202 8:32,sdc,100000,300000 8:48,sdd,100000,300000
says 'odd: none of 3 devices' 'those with as many jobs are compared' again.json again1.json \
	again2.json
job far.json host=far name=job2 thread=2 pid=300 259:1,nvme1,150000,300000
is "$(rows job1.json far.json)" 'far box ' \
	'jobs on several hosts are named by the host'

# ---- not slow throughout, not standing out ----
job part.json 8:0,sda,100000,200000 8:16,sdb,130000,200000,99000,99000,99000 \
	8:32,sdc,100100,200000 $even
says 'odd: none of' 'one that is faster in three parts of the run is not named' part.json
job start.json 8:0,sda,100000,200000,900000,100000 8:16,sdb,110000,200000,99000 \
	8:32,sdc,100100,200000 $even
says 'odd: device sdb' 'but two parts may be different' start.json
job steps.json 8:0,sda,100000,200000 8:16,sdb,102000,200000 8:32,sdc,104000,200000 \
	8:48,sdd,106000,200000
says 'odd: none of' 'nor the slowest of an even row' steps.json
job three.json 8:0,sda,100000,200000 8:16,sdb,133000,300000 8:32,sdc,100100,200000
says 'odd: none of 3 devices, by a factor only' \
	'nor one of three that is slower by a third' three.json
is "$(rows three.json)" 'sdb sdc sda ' 'which are in order'
is "$(tell 'scalar @{$r->{analysis}{odd}{devices}{read}{slow}}' three.json)" 0 \
	'in JSON none is slow'
job twice.json 8:0,sda,100000,200000 8:16,sdb,210000,300000 8:32,sdc,100100,200000
says 'odd: device sdb' 'but one that takes twice as long' twice.json
job two_faster.json 8:0,sda,100000,200000 8:16,sdb,210000,300000,90000,90000 \
	8:32,sdc,100100,200000
says 'odd: device sdb' 'also if not in two parts of the run' \
	two_faster.json
job early.json 8:0,sda,100000,200000 8:16,sdb,210000,300000,90000,90000,90000,90000,90000
says 'odd: none of 2' 'unless not in five parts of the run' early.json
job pair.json 8:0,a,100000,200000 8:1,b,100000,200000 8:2,c,100000,200000 \
	8:3,d,101000,200000 8:4,e,130000,200000 8:5,f,100000,200000 \
	8:6,g,131000,200000 8:7,h,100000,200000
says 'odd: devices g and e: at least 1.29 times' 'two of eight, too' pair.json

# ---- too little of the run ----
# in_parts FILE COUNT: four devices with I/Os in the first COUNT of 16 parts of the run,
# the first of them in all if the third argument is "first"
in_parts()
{
	perl -MJSON::PP -0777 -e 'my $j = JSON::PP->new->decode(<STDIN>);
		my ($count, $first) = @ARGV;
		for my $d (@{$j->{devices}}) {
			next if $first && $d == $j->{devices}[0];
			splice @{$d->{over_time}{windows}}, $count;
		}
		print JSON::PP->new->encode($j)' "$2" "${3-}" <four.json >"$1"
}

in_parts parts.json 4
says 'not judged: sda lacks I/Os in some of 16 parts' \
	'busy throughout, but of four intervals' parts.json
in_parts parts.json 15 first
says 'not judged: sdb lacks I/Os' 'one that began or ended at another time' \
	parts.json
job paused.json 8:0,sda,100000,2300000 8:16,sdb,110000,2300000 8:32,sdc,100100,2300000 \
	8:48,sdd,100200,2300000
perl -MJSON::PP -0777 -e 'my $j = JSON::PP->new->decode(<STDIN>);
	for my $d (@{$j->{devices}}) {
		my $i = 0;
		my $half;
		$half = sub { ref $_[0] ? +{ map { $_ => $half->($_[0]{$_}) }
			keys %{$_[0]} } : $_[0] / 2 };
		$d->{over_time}{windows} = [map { my $h = $_->{read}; map +{
			start => 1700000000000000000 + 1000000 * $i++ . "", read => {
			%$h, bins => $half->($h->{bins}), count => $h->{count} / 2,
			sum_ns => $h->{sum_ns} / 2 . "",
			sum_squares_ns2 => $h->{sum_squares_ns2} / 2 . "" } }, 1, 2 }
			@{$d->{over_time}{windows}}];
	}
	splice @{$j->{devices}[2]{over_time}{windows}}, 8, 2;
	print JSON::PP->new->encode($j)' <paused.json >parts.json
says 'odd: device sdb: 1.07 times' 'one that paused with I/Os in flight is judged' parts.json
# Of two devices the slower one ends no I/O in four of 16 parts.
job pauses.json 8:0,sda,1000,1000 8:16,sdb,10000,4000000
job busy.json 8:0,sda,1000,1000 8:16,sdb,10000,3999999
# pauses MS [FILE]: each part takes so long
pauses()
{
	perl -MJSON::PP -0777 -e 'my $j = JSON::PP->new->decode(<STDIN>);
		for my $over_time (map { $_->{over_time} } @{$j->{devices}}) {
			my $i = 0;
			$over_time->{width_ns} *= $ARGV[0];
			$_->{start} += ($ARGV[0] - 1) * 1000000 * $i++ for @{$over_time->{windows}};
			$_->{start} .= "" for @{$over_time->{windows}};
		}
		splice @{$j->{devices}[1]{over_time}{windows}}, 5, 4;
		print JSON::PP->new->encode($j)' "$1" <"${2-pauses.json}" >parts.json
}
pauses 1
says 'odd: device sdb' 'so the slowest is named, one of whose I/Os takes as long' parts.json
pauses 1 busy.json
says 'not judged: sdb lacks I/Os' 'but not by many short I/Os in flight' parts.json
pauses 32
says 'not judged: sdb lacks I/Os' 'nor one that was idle in between' parts.json

# ---- jobs that do different things ----
# Three more jobs, each with a device of its own, that do the same as each other.
# more ARGUMENT...
more()
{
	for n in 3 4 5; do
		job "more$n.json" name=more$n thread=$n "$@" "8:$n,sd$n,100${n}00,300000"
	done
}

more
job deep.json name=deep thread=2 depth=8 8:16,sdb,200000,300000
job flat.json name=flat 8:0,sda,100000,300000
says 'they differ in iodepth' 'another depth is another work' \
	flat.json deep.json more?.json
more option=bs=4k option=filename=/dev/sdd
job big.json name=big thread=2 option=bs=1m option=filename=/dev/sdb 8:16,sdb,200000,300000
job small.json name=small option=bs=4k option=filename=/dev/sda 8:0,sda,100000,300000
says 'they differ in bs' 'and another block size' big.json small.json more?.json
job same.json name=big thread=2 option=bs=4k option=filename=/dev/sdb 8:16,sdb,200000,300000
says 'odd: device sdb' 'but not another file' same.json small.json more?.json
job same.json name=big thread=2 option=bs=4k option=tw_interval=1 option=log_avg_msec=5 \
	option=create_serialize=0 option=randseed=7 8:16,sdb,200000,300000
says 'odd: device sdb' 'nor how it is recorded, or another seed' same.json small.json more?.json

# ---- models, few I/Os ----
job models.json MODEL=Slow 8:0,sda,100000,200000 MODEL=Fast 8:16,sdb,90000,100000
run report models.json
has "$out" '           Slow' 'models are told where they differ'
job model.json MODEL=Slow 8:0,sda,100000,200000 8:16,sdb,90000,100000
run report model.json
is "$(grep -c Slow "$out")" 2 'and else only in the headline'
# ---- jobs, hosts and files ----
i=0
for lat in 100000 100500 210000; do
	i=$((i + 1))
	job "same$i.json" name=same thread=$i pid=10$i 8:0,sda,$lat,300000
	job "host$i.json" name=same host=h$i pid=10$i 8:0,sda,$lat,300000
	job "other$i.json" name=other$i thread=$i pid=10$i depth=$i 8:0,sda,$lat,300000
done
says 'odd: job same3.json: 2.03 times the lat of the others (' \
	'a slow one of the jobs of a group is named by its report' same?.json
has text 'throughout; of 3: by a factor only' 'with what that rests on'
says 'odd: host h3: 2.03 times' 'and a slow host' host?.json
is "$(rows host?.json)" 'h3 h2 h1 ' 'in a row each'
says 'odd: host h3: 2.03 times' 'also of hosts that are merged' --merge-hosts host?.json
i=0
for host in storage-node-prod-eu-01 storage-node-prod-eu-11; do
	i=$((i + 1))
	job "long$i.json" name=same host=$host.example.com pid=10$i 8:0,sda,${i}00000,300000
done
is "$(rows long?.json)" '...age-node-prod-eu-11 ...age-node-prod-eu-01 ' 'long names of hosts differ'
job host_f.json host=f 8:0,vda,100000,200000 8:16,vdb,100000,200000
job host_s.json host=s thread=2 pid=101 8:0,vda,6000000,9000000 8:16,vdb,100000,200000
says 'odd: device s:vda: 59.41 times' 'a device of several hosts has its host' \
	--merge-hosts host_f.json host_s.json
says 'not compared: they differ in iodepth' 'jobs of other depths are not compared' other?.json
is "$(rows other?.json)" 'other3 other2 other1 ' 'but have a row each'
is "$(tell '$r->{analysis}{odd}{jobs}{read}{slow}' other?.json)" '' 'and none is slow'

write_full full.json
# two_files IOS TIMES: finds the odd one of a report of attach with two files. The second one has IOS
# reads, which take TIMES as long as those of the first.
two_files()
{
	changes <<END
full
	my \$o = \$r->{attached}{operations}; \$o->[1] = { %{\$o->[0]} };
	@{\$o->[0]}{qw(operation file ios bytes)} = ("read", "/a", 100, 409600);
	@{\$o->[1]}{qw(operation file ios bytes)} = ("read", "/b", $1, 4096 * $1);
	\$o->[0]{stages} = { lat => reads(100, 100)->{read} };
	\$o->[1]{stages} = { lat => reads(100 * $2, $1)->{read} }; \$#{\$o} = 1;
END
	changed 1 @
	grep '^odd: \|^not compared' "$out"
}
is "$(two_files 100 3)" 'odd: file /b: 3.00 times the lat of the other (300 ns, 100 ns); by p50 only, so' \
	'a file that takes three times as long'
is "$(two_files 100 1.5)$(two_files 99 3)" '' 'not half as long again, nor of few I/Os'

# ---- the disks below a device ----
write_report whole.json split=all kernel="$(on_or_off)" kernel_stages="$(on_of 100 0 0 0)"

# leg MEMBERS DISKS: prints the disk that is told to have the time of slow I/Os, each of which
# ended at one of the disks
leg()
{
	perl -MJSON::PP -0777 -e 'my ($members, $disks) = map { [split] } @ARGV;
		my $j = decode_json(<STDIN>);
		$j->{devices} = [{ host => "box", device => "9:0", members => $members }];
		$j->{slowest} = [map +{ job => 0, offset => 0, size => 4096, ddir => "read",
			disk => $_, stages => { device => 900, reap => 100, lat => 1000 } },
			@$disks];
		print encode_json($j)' "$1" "$2" <whole.json >leg.json
	tell 'join " ", map { join("+", map { "$_->{name}=$_->{share}" } @{$_->{disks}}) || "-" }
		@{$r->{analysis}{tail}{read}{causes}}' leg.json
}
ten='b b b b b b b b b b'
is "$(leg 'a b' "$ten $ten a a")" 'b=0.818181818181818 -' \
	'the disk with almost all of the slow I/Os, and only of device'
is "$(leg 'a b' 'b b b a')" '- -' 'none if the others have some'
is "$(leg 'a b c d' 'b b b a')" 'b=0.675+a=0.225 -' 'two of four'
is "$(leg 'a b c' 'b b b a')" '- -' 'but not two of three'
is "$(leg 'a b c d e f' 'a a b b c c')" '- -' 'and not three'
is "$(leg b "$ten")" '- -' 'nor the only one'
# ---- jobs of one name in one file ----
write_report name.1.json group=1 pid=7
write_report name.2.json group=2 pid=8 thread=2
run report --json name.1.json name.2.json
cp "$out" both.json
is "$(rows both.json)" 'randread.1.7 randread.2.8 ' 'have the names that their own files would have'

done_testing
