#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/memory_engine
#
# Behaviour: the memory engine loads into this fio. Its options are those of the
# table in tickwise-memory(7). What makes no sense is refused in one line that names
# it, by a failing exit and before a job begins. Files are left alone. Defect: an
# option that is not documented, a silent success, a crash, a file of the other job
# that is created, read or removed.
. "$(dirname "$0")/memory_tap.sh"

"$FIO" --enghelp="$memory_so" 2>err | awk '/ : / { print $1 }' | sort >has
sed -n 's/^\.BI \(tw_[a-z]*\)= .*/\1/p' "$root/core/man/tickwise-memory.7" | sort >described
[ -s has ] && cmp has described
ok $? "its options are those of the table"

# refuses WHAT TEXT ARGUMENT...: passes if the job is refused with this text
refuses()
{
	what=$1
	text=$2
	shift 2
	memory_fio "$@"
	is "$((status > 0 && status < 128)) $(messages | grep -c '^tickwise') $(messages |
		grep '^tickwise' | grep -cF "$text") $(ls ./*.memory.json 2>/dev/null)" '1 1 1 ' \
		"$what: a failing exit, no report, one line of ours: $text"
}

# The sum, with 2 MiB for each job, refuses the second of two; the first, a small one, runs.
all=$(awk '/MemTotal/ { print $2 }' /proc/meminfo)
memory_fio --size=1m --tw_report=none --name=n \
	--ioengine="external:$memory_so" --rw=randread --bs=64k \
	--size="$((all + 1048576))k"
[ "$status" -eq 1 ] && sed -n 's/^tickwise-memory: n: \([0-9]*\) bytes.*(\([0-9]*\) by jobs.*/\1 \2/p' err |
	awk '{ found = $2 - $1 == 1048576 + 2 * 2097152 } END { exit !found }' ||
	{ sed 's/^/# /' err; false; }
ok $? "jobs that run together are added up"
while IFS='|' read -r what text arguments; do
	# shellcheck disable=SC2086	# words of a line
	refuses "$what" "$text" $arguments
done <<'CASES'
no size|size= must say how much|--size=0 --thread=1
more than there is|are available|--size=100t --thread=1
half a line|bs=96 is not a multiple of 64|--bs=96
a share of a file|size= must say how much|--size=50%
writes|only loads are timed|--rw=randwrite
reads and writes|only loads are timed|--rw=randrw
trims|only loads are timed|--rw=randtrim
several block sizes|bs: one size|--bsrange=4k-64k
a split of block sizes|bs: one size|--bssplit=4k/50:64k/50
verify|verify: there is no data|--verify=crc32c
pre_read|pre_read: there is no file|--pre_read=1
offload|io_submit_mode=offload|--io_submit_mode=offload
random pages, sequentially|tw_pattern=page is a random order|--rw=read --tw_pattern=page
sequential, randomly|tw_pattern=sequential is what rw=read does|--tw_pattern=sequential
less than a page|is less than one page|--tw_pattern=page --size=1k --bs=64
half a window|tw_window=96 is not a multiple of 64|--tw_pattern=window --tw_window=96
a node that is not there|tw_node=1000|--tw_node=1000
CASES
printf 'fio version 2 iolog\nm add\nm open\nm read 0 4096\n' >replay
refuses "a log to be replayed" "read_iolog" --read_iolog=replay

free=$(awk '/HugePages_Free/ { print $2 }' /proc/meminfo)
if [ "${free:-0}" -eq 0 ]; then
	refuses "no reserved pages" "reserved pages: " --tw_pages=reserved
else
	skip "pages are reserved here"
fi
small=$TW_BUILD/tests/bench/small_pages
if [ -x "$small" ] && [ -e /sys/kernel/mm/transparent_hugepage/enabled ]; then
	# Keep huge pages off, as with "never" in that file.
	fio=$FIO
	printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$small" "$fio" >kept_off
	chmod +x kept_off
	FIO=$scratch/kept_off
	refuses "no transparent huge page" \
		"on transparent pages: none is available" \
		--tw_pages=transparent --size=4m
	FIO=$fio
else
	skip "no transparent pages to be kept off"
fi

# fio's own refusals, which name the option.
memory_fio --tw_pages=tiny
[ "$status" -eq 1 ] && grep -q tw_pages err
ok $? "pages of an unknown kind"
memory_fio --tw_repeat=0
[ "$status" -eq 1 ] && grep -q tw_repeat err
ok $? "no loads at all"

# A report that can't be written is reported.
memory_fio --tw_report=missing/x
[ "$status" -eq 1 ] && [ "$(messages | grep -c '^tickwise')" -eq 1 ]
ok $? "a directory that is not there: one line of ours"
memory_fio --tw_report=none
is "$status $(ls ./*.memory.json 2>/dev/null)" "0 " "tw_report=none: no report"
memory_fio --tw_report=here
json here '$j->{schema} eq "tickwise-memory"'
ok $? "tw_report=here: there"

# A sync engine has a depth of one; a newer fio warns about it.
memory_fio --iodepth=4
is "$status" 0 "iodepth=4 runs"

# [global] names files for other jobs.
echo precious >precious
memory_fio --filename=precious --unlink=1 --create_on_open=1 --direct=1 \
	--overwrite=1 --invalidate=1
is "$status $(cat precious)" "0 precious" "another job's file is left alone"
memory_fio --nrfiles=3 --filename_format=made.\$filenum
is "$status $(ls | grep -c made)" "0 0" "none is made"
done_testing
