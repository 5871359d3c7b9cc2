#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A page begins with the figures of each direction and with what was measured:
# device, file, machine, run, options. Fails if a figure or a fact is wrong, is
# invented where the report lacks it, or if a long list pushes the answers down the
# page.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

# with FILE KEYS [variable=value]...: writes a report with more keys
with() {
	file=$1
	keys=$2
	shift 2
	write_report "$file" kernel='"options": {},' "$@"
	sed -i '/^"slowest"/d' "$file"
	printf '%s,\n"slowest": []}\n' "$keys" >>"$file"
}

device='{"host": "box", "device": "8:0", "name": "sda", "model": "Model 7",
"scheduler": "mq-deadline", "nr_requests": 64, "queue_depth": 32, "rotational": true,
"write_cache": "write back", "logical_block_size": 512,
"size": 240057409536, "members": ["sdb", "sdc"]}'
facts='"options": {"rw": "randrw", "bs": "4k", "direct": "1", "iodepth": "32", "time_based":
"", "filename": "/data/file"}, "bytes": {"read": 10485760, "write": 0, "trim": 0},
"machines": [{"host": "box", "cpu": "Processor 9", "cpus": 16, "kernel": "6.12.1",
"hypervisor": "KVMKVMKVM", "governor": "performance", "clocksource": "tsc"}],
"files": [{"host": "box", "path": "/data/file", "size": 1610612736,
"device": "8:0", "filesystem": "xfs"}]'

# head_of: prints the page up to the first blank line
head_of() {
	run report "$@"
	sed '/^$/,$d' "$out"
}

with a.json "$facts, \"devices\": [$device]"
is "$(head_of a.json)" "\
randread: randrw, bs 4k, direct, iodepth 32, 10.00 s
          IOPS   MiB/s  mean lat   p50 lat   p99 lat p99.9 lat   max lat
read     10.00   1.000    189 ns    100 ns    900 ns         -  1.000 us
device   sda (Model 7), 224 GiB, of sdb + sdc, rotational, scheduler
           mq-deadline, nr_requests 64, queue depth 32, write back
file     /data/file, 1.5 GiB, xfs
machine  box, Processor 9, 16 CPUs, guest of KVM, Linux 6.12.1, governor
           performance, clocksource tsc
run      2023-11-14 22:13:20 UTC, fio-3.33, engine tickwise
options  rw=randrw bs=4k direct=1 iodepth=32 time_based filename=/data/file
report   a.json" 'all facts'
is "$(awk 'length > 79' "$out")" '' 'in 79 columns'

write_report b.json
is "$(head_of b.json)" "\
randread: iodepth 32, 10.00 s
          IOPS  mean lat   p50 lat   p99 lat p99.9 lat   max lat
read     10.00    189 ns    100 ns    900 ns         -  1.000 us
machine  box
run      2023-11-14 22:13:20 UTC, fio-3.33, engine tickwise
report   b.json" 'of an older engine what there is'

with a.json '"options": {"bssplit": "4k/50", "bs": "8k", "direct": "0"}'
is "$(head_of a.json | head -n 1)" \
	'randread: bssplit 4k/50, buffered, iodepth 32, 10.00 s' 'other options'
with a.json '"bytes": {"read": 0, "write": 0, "trim": 0}'
is "$(head_of a.json | awk '$1 == "read" { print $3 }')" 0 'no byte was moved'

# Lists.
devices= files=
for i in 0 1 2 3 4 5; do
	on="\"host\": \"box\", \"device\": \"8:$i\""
	devices="$devices${devices:+, }{$on, \"name\": \"sd$i\"}"
	files="$files${files:+, }{$on, \"path\": \"/f$i\", \"filesystem\": \"ext4\"}"
done
with a.json "\"devices\": [$devices], \"files\": [$files, {\"host\": \"box\", \"path\": \"/g\"}]"
is "$(head_of a.json | sed -n '/^device/,/^machine/p' | sed '$d')" "\
device   sd0
         sd1
         sd2
         sd3, and 2 more
file     /f0, ext4 on sd0
         /f1, ext4 on sd1
         /f2, ext4 on sd2
         /f3, ext4 on sd3, and 3 more" 'some of many devices and files'
with c.json "\"devices\": [{\"host\": \"box\", \"device\": \"8:9\", \"name\": \"sd9\"}]" thread=2
with a.json "\"devices\": [{\"host\": \"box\", \"device\": \"8:8\"}]"
is "$(head_of a.json c.json | sed -n '/^device/,/^machine/p' | sed '$d')" "\
device   8:8
         sd9" 'devices of two jobs, one without a name'
has "$out" 'randread: iodepth 32, 2 jobs, 10.00 s' 'two jobs'
has "$out" 'reports  a.json, c.json' 'and both reports'
# Files and options of several jobs, and devices of several hosts with one number.
with a.json '"options": {"rw": "read", "directory": "/d"},
"devices": [{"host": "box", "device": "8:0", "name": "sda", "model": "One"}],
"files": [{"host": "box", "path": "/d/f", "device": "8:0"}], "files_left_out": 3' \
	kernel='"options": {}, "options_left_out": 2,'
with c.json '"options": {"rw": "read", "directory": "/e"},
"devices": [{"host": "box", "device": "8:16", "name": "sdb"}],
"files": [{"host": "box", "path": "/d/f", "device": "8:0"},
{"host": "box", "path": "/e/f", "device": "8:16"}], "files_left_out": 0' thread=2
is "$(head_of a.json c.json | sed -n '/^file/,/^machine/p; /^options/p' | sed '/^machine/d')" "\
file     /d/f on sda
         /e/f on sdb, and at least 3 more
options  of the first job: rw=read directory=/d, and 2 more" 'files and options of two jobs'
is "$(head_of a.json | sed -n '/^file/p; /^options/p')" "\
file     /d/f, and 3 more
options  rw=read directory=/d, and 2 more" 'and of one'
with c.json '"devices": [{"host": "box", "device": "8:0", "name": "sda", "model": "Two"}],
"files": [{"host": "box", "path": "/d/f", "device": "8:0"}], "files_left_out": 0' thread=2
sed -i 's/"host": "box"/"host": "far"/' c.json
is "$(head_of --merge-hosts a.json c.json | sed -n '/^device/,/^machine/p' | sed '$d')" "\
device   box:sda (One)
         far:sda (Two)
file     box:/d/f on sda
         far:/d/f on sda, and at least 3 more" 'the same number on two hosts is two devices'
run report --json --merge-hosts a.json c.json
has "$out" '"host": "far"' 'as in the JSON'
write_report b.json group=3
run report a.json b.json
has "$out" 'randread: iodepth 32, group 3, 10.00 s' 'the group, where there are several'

# HTML: what is long is folded.
with a.json "$facts"
run report --html=page.html a.json
has page.html '<details><summary>6 options of the job</summary>' 'options are folded'
has page.html '<dd>rw=randrw bs=4k direct=1' 'and all there'
has page.html '<details><summary>1 report</summary>' 'and reports'
is "$(grep -c '<dt>options</dt>' page.html)" 1 'once'
done_testing
