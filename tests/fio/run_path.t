#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tickwise run PATH with a real fio: a folder, a file, a block device. Both depths
# are read on the engine. Defect: something of the user's changes, something stays in a
# folder, or fio writes; also where files need a name, or have no direct I/O.
. "$(dirname "$0")/fio_tap.sh"

export FIO

# reads WHAT BYTES FILES ARGUMENT...: passes if two jobs read blocks of 4 KiB of FILES,
# a regular expression, with this size
reads()
{
	what=$1 size=$2 files=$3
	shift 3
	rm -f ./*.tickwise.json
	timeout -s KILL $hung_s "$tickwise" run --engine="$TICKWISE_SO" --for=200ms "$@" >out 2>err
	status=$?
	is "$status $(ls ./*.tickwise.json | wc -l) $(grep -c '^depth 32: largest stage' out)" '0 2 1' \
		"$what" || shows out err
	for depth in 1 32; do
		json depth$depth.*.tickwise.json '
			my $f = $j->{files}[0];
			my $n = $j->{ios}{read};
			$n > 0 && $j->{bytes}{read} == 4096 * $n && !$j->{ios}{write} &&
			$j->{jobs}[0]{iodepth} == '$depth' && $f->{size} == '"$size"' &&
			$f->{path} =~ m{^'"$files"'$}'
		ok $? "at depth $depth" || shows depth$depth.*.tickwise.json
	done
}

# ---- a file ----

head -c 1048576 /dev/urandom >data
touch -d '2020-01-02 03:04:05' data
seen_before=$(cksum <data; stat -c '%y %z %a' data)
reads 'a file' 1048576 data data
is "$(cksum <data; stat -c '%y %z %a' data)" "$seen_before" 'it has not changed'
chmod 400 data
ln data 'a:b $c'
reads 'a file of an odd name' 1048576 '/proc/self/fd/\d+' 'a:b $c'
rm -f 'a:b $c'
if has_direct data; then
	has out ', direct, ' 'around the page cache'
	LACKS=direct LD_PRELOAD=$TW_BUILD/tests/fio/preload/plain_files.so \
		reads 'a file without direct I/O' 1048576 data data
	has out ', through the page cache, as there is no direct I/O' 'which is reported'
else
	has out ', through the page cache, as there is no direct I/O' 'which has no direct I/O'
fi

# ---- a folder ----

mkdir folder
left()
{
	is "$(ls -A folder)$(find . -name '.tickwise*')" '' "$1"
}
if [ "$(df -Pm folder | awk 'NR == 2 { print $4 }')" -ge 200 ]; then
	reads 'a folder' '(($f->{size} & ((1 << 20) - 1)) == 0 ? $f->{size} : -1)' \
		'/proc/self/fd/\d+' folder
	left 'nothing stays'
	LACKS=tmpfile LD_PRELOAD=$TW_BUILD/tests/fio/preload/plain_files.so \
		reads 'a folder where each file has a name' '$f->{size}' '/proc/self/fd/\d+' folder
	left 'nothing stays'
	# While fio runs: its processes have the file open, which has no name.
	for signal in INT TERM HUP; do
		rm -f ./*.tickwise.json
		# A shell has its children ignore SIGINT.
		env --default-signal=INT "$tickwise" run --engine="$TICKWISE_SO" --for=60 folder \
			>out 2>err &
		tool=$!
		waited=0
		until grep -qs 'reads for' err || [ $waited -ge 600 ]; do
			sleep 0.1
			waited=$((waited + 1))
		done
		left 'while it runs: no name'
		kill -$signal $tool
		wait $tool
		# The signal may kill it before it waits for fio, or fio before it handles signals. fio
		# that is interrupted at its beginning may say that a job failed.
		status=$?
		[ $status -ge 128 ] || grep -q interrupted err
		works "SIG$signal: it ends ($status)" test $? = 0 || sed 's/^/# /' err
		left 'nothing stays'
	done
	FIO=false "$tickwise" run --engine="$TICKWISE_SO" folder >out 2>err
	is "$? $(wc -l <err)" '70 1' 'a fio that can do nothing'
	left 'nothing stays'
	mkdir -m 500 closed
	if [ "$(id -u)" != 0 ]; then
		"$tickwise" run --engine="$TICKWISE_SO" closed >out 2>err
		is "$? $(grep -c "closed: can't make a file" err)" '74 1' 'a folder that is closed'
	fi
else
	skip 'less than 200 MiB are free for a file'
fi

# ---- a device ----

if [ "$(id -u)" = 0 ] && device=$(losetup -f --show data 2>/dev/null); then
	trap 'losetup -d "$device"; rm -rf "$scratch"' EXIT
	if [ -r "$device" ] && head -c 4096 "$device" >part 2>/dev/null; then
		reads 'a block device' 1048576 "$device" "$device"
		is "$(cksum <data; stat -c '%y %a' data)" \
			"$(echo "$seen_before" | sed '2s/\(.*\) .* .* .* .*$/\1 400/')" \
			'which has not changed'
	else
		skip 'loop devices cannot be read here'
	fi
else
	skip 'no loop device: not root, or the kernel has none'
fi
done_testing
