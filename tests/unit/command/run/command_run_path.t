#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tickwise run PATH: a folder, a file or a block device is read, by two jobs of depths 1 and
# 32. Fails if a job file is taken for data, or data for a job file; if fio could write; if
# a file of the user's changes; or if anything stays in the folder, however the run ends.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"
. "$(dirname "$0")/run_fake.sh"

# Both jobs leave a report, unless FAKE_DO is something else.
for job in '1 1' '32 2'; do
	# shellcheck disable=SC2086	# two words
	set -- $job
	write_report depth$1.made name=depth$1 depth=$1 thread=$2 pid=$2 run='"run": "RUN-1",' \
		start=170000000000000000$2 run_ns=1000000 split=all slow=5000 \
		kernel_stages="$(on_of 100 0 0 0)" kernel="$(on_or_off)"
done
cat >write <<'END'
for depth in 1 32; do
	sed "s/RUN/$$/" depth$depth.made >depth$depth.1.9.tickwise.json
done
END
FAKE_JOBS=
reads='. ./write'

# reads_path WHAT ARGUMENT...: passes if it is read, and both depths are on the page
reads_path()
{
	what=$1
	shift
	rm -f ./*.tickwise.json
	page='' FAKE_DO="$reads;${more-}" fio_run "$@"
	is "$status $(grep -c 'random 4 KiB reads' "$out") $(grep -cE '^(1|32) +1000' "$out")" '0 1 2' \
		"$what" || shows "$out" "$err"
}

# job: prints the job file that fio got
job()
{
	sed "s|external:$engine|ENGINE|; s|fd/[0-9]*|fd/N|" "$seen/1" | xargs -d '\n'
}

# in_blocks COUNT CHARACTER: prints this many KiB of it, in lines that are not long
in_blocks()
{
	head -c $(($1 * 1024)) /dev/zero | tr '\0' "$2" | sed 's/.\{64\}/&\n/g'
}

# ---- a file ----

in_blocks 64 x >data
touch -d '2020-01-02 03:04:05' data
before="$(cksum <data) $(stat -c '%y %z %a' data)"
reads_path 'a file' --for=300ms data
is "$(job | sed 's/direct=1 invalidate=0/direct=0/')" "[global] ioengine=ENGINE filename=data \
rw=randread bs=4096 direct=0 allow_file_create=0 norandommap=1 randrepeat=0 time_based=1 \
runtime=300ms [depth1] iodepth=1 [depth32] stonewall iodepth=32" \
	'two jobs in turn, which only read'
is "$(head -n 1 "$seen/arguments")" --readonly 'fio may not write'
is "$(cksum <data) $(stat -c '%y %z %a' data)" "$before" 'the file has not changed'
has "$err" 'tickwise run: data: reads for 0.6 s' 'how long it takes'
has "$err" '  tickwise report depth1.1.9.tickwise.json depth32.1.9.tickwise.json' \
	'how to read all of it'
has "$err" 'run it again with --causes' 'and how to learn more'
is "$(sed 's/.*KiB reads of data, //; s/^direct/DIRECT/; s/^through.*here/DIRECT/' "$out" |
	sed '2,4d' | xargs -d '\n' | tr -s ' ')" \
	"DIRECT, 0.3 s at each depth stage depth 1 depth 32 queue 25.4ns 25.4ns \
submit 7.7ns 7.7ns blockq 15.1ns 15.1ns device 121.9ns 121.9ns complete 19.4ns 19.4ns \
reap 9.7ns 9.7ns deliver 29.8ns 29.8ns lat 229.0ns 229.0ns \
depth 32: largest stage device, 53 %: in the driver and the drive" 'the answers' || shows "$out"

reads_path 'without a given time' data
has "$seen/1" runtime=5000ms 'five seconds at each depth'
reads_path 'with options of the engine' --kernel=off data
is "$(grep -c tw_kernel=off "$seen/1") $(tail -n 1 "$seen/1")" '2 tw_kernel=off' \
	'which both jobs have'
mv data 'a b:c'
reads_path 'a name that fio would take apart' 'a b:c'
is "$(sed -n 's|^filename=/proc/self/fd/||p' "$seen/1" | tr -d 0-9)" '' \
	'is opened by its descriptor'
# shellcheck disable=SC2016
more='cmp "$(sed -n "s/^filename=//p" "$SEEN/1")" "a b:c" && touch same' reads_path 'which fio inherits' 'a b:c'
[ -e same ]
ok $? 'and which is of that file'
mv 'a b:c' data

fio_run --report data
has_not "$out" 'random 4 KiB reads' '--report: the whole page instead'
page='' FAKE_DO=$reads fio_run --report data
is "$status $(grep -c 'more: report ' "$out")" '0 1' 'which is that of tickwise report'
FAKE_DO=$reads fio_run --no-report data
is "$status $(wc -c <"$out")" '0 0' '--no-report: none'
FAKE_DO=$reads page='' fio_run --quiet data
is "$status $(grep -c . "$out") $(grep -vc "^fio's errors" "$err")" \
	"0 $(grep -c . "$out") 0" '--quiet: nothing else'

# ---- what is a job file ----

while IFS='|' read -r what text; do
	# shellcheck disable=SC2059	# escapes
	{ printf "$text"; in_blocks 8 '#'; } >file
	reads_path "data: $what" file
done <<'CASES'
a byte of 0|[a]\n\000ioengine=io_uring\n
a bracket within a line|x [a]\n
CASES
while IFS='|' read -r what text; do
	# shellcheck disable=SC2059	# escapes
	{ in_blocks 8 '#'; printf "\n$text\n"; } >file
	FAKE_JOBS=a fio_run file
	is "$status $(grep -c 'ioengine=external:' "$seen/1") $(cat "$out")" "0 1 fio's output" \
		"a job file: $what"
done <<'CASES'
a section|[a]\nioengine=io_uring
a section behind blanks|\t [a]\nioengine=io_uring
CASES
in_blocks 8 x >job.fio
refuses 65 'job.fio:1: ' job.fio
printf 'some text\n' >small
refuses 65 'small: no job file (no line begins with a [section]), and too small' small
refuses 64 'data: no job file, so it is to be read, and takes no arguments of fio' data --minimal
refuses 64 'data: --ab and --dry-run need a job file' --dry-run data
refuses 64 'data: --ab and --dry-run need a job file' --ab=a --ab=b data
refuses 64 '--for is for a PATH' --for=1 job.fio
refuses 66 'none: No such file or directory' --for=1 none
for seconds in 0 90000; do
	refuses 64 '--for takes seconds, 0.1 to 86400' --for=$seconds data
done

# ---- a folder ----

mkdir folder
# A link to a file of the user's, by any name, is not followed: there is no name.
ln -s ../data folder/link
left()
{
	is "$(find folder | sort | xargs) $(ls "$TMPDIR") $(cksum <data)" \
		"folder folder/link  ${before%% 20*}" "$1"
}
if [ "$(df -Pm folder | awk 'NR == 2 { print $4 }')" -ge 200 ]; then
	# shellcheck disable=SC2016
	more='fd=$(sed -n "s/^filename=//p" "$SEEN/1")
		stat -Lc "%h %s %A" "$fd" >made
		ls -A folder >>made
		sed -n "s/^flags:.*\(.\)$/\1/p" "/proc/self/fdinfo/${fd##*/}" >>made
		head -c 4194304 "$fd" | gzip | wc -c >size' reads_path 'a folder' folder
	is "$(sed 's/ [0-9]* / SIZE /' made | xargs)" '0 SIZE -r-------- link 0' \
		'a file without a name, which fio can only read'
	size=$(awk 'NR == 1 { print $2 }' made)
	[ "$size" -ge $((16 << 20)) ] && [ "$size" -le $((256 << 20)) ] &&
		[ "$(cat size)" -gt $((4 << 20)) ]
	ok $? 'of 16 to 256 MiB that cannot be compressed' || shows made size
	has "$err" "folder: writes a temporary file of $((size >> 20)) MiB without a name" 'reported'
	has "$out" "of a temporary file of $((size >> 20)) MiB" 'and on the page'
	left 'nothing stays'
	FAKE_EXIT=3 fio_run folder
	is "$status $(wc -c <"$out")" '3 0' 'fio fails: its exit code'
	left 'nothing stays'
	fio_run folder
	is "$status $(grep -c 'left no report' "$err")" '70 2' 'no reports: an error'
	FAKE_DO='kill -9 $$' fio_run folder
	is "$status" 137 'fio is killed'
	left 'nothing stays'
	for signal in INT TERM HUP; do
		# fio ends itself upon a signal.
		# shellcheck disable=SC2016
		FAKE_DO='trap "exit 128" INT TERM HUP; kill -'$signal' $PPID; sleep 30 & wait' \
			fio_run folder
		is "$status $(tail -n 1 "$err")" \
			'128 tickwise run: interrupted: there is no result' "SIG$signal"
		left 'nothing stays'
	done
	# shellcheck disable=SC2016
	FAKE_DO="$reads"'; trap "exit 128" INT; kill -INT $PPID; sleep 30 & wait' fio_run folder
	is "$status $(grep -c 'no result' "$err") $(grep -c '2 reports. To read' "$err")" '128 0 1' \
		'interrupted later: what was read is named'
	rm -f ./*.tickwise.json
	terminal=${TW_BUILD:-$root/build}/tests/reader/on_terminal
	if "$terminal" true; then
		FAKE_DO="$reads; sleep 3" "$terminal" "$tickwise" run \
			--engine="$engine" --for=2s folder >terminal
		grep -qE '%, [0-9]+ s left, reads' terminal
		ok $? 'the time left is on a terminal' || shows terminal
	else
		skip 'no terminal can be made here'
	fi
	engine=$scratch/refuses.so
	: >"$engine"
	refuses 70 "can't load" folder
	has_not "$err" 'temporary file' 'before a file is made'
	engine=$scratch/built/tickwise.so
else
	skip 'less than 200 MiB are free for a file'
fi
is "$(find . -name '.tickwise*' | wc -l)" 0 'no file of ours anywhere'
done_testing
