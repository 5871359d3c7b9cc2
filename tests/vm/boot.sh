# SPDX-License-Identifier: MIT
#
# Virtual machines for the tests of this folder, to be sourced. A test boots a
# machine that runs guest/NAME.sh, and judges what the script left in $shared, the
# folder that host and guest share.
#
#	boot NAME [QEMU-ARGUMENT...]	start and wait; false: it did not end well
#	on_nvme NAME [...]		boot with an NVMe device
#	on_kernel SUITE			boot another release's kernel from here on
#
# These describe the machine, and are set before: $accel, $cpu, $cpus,
# $memory (MB), $append (for the kernel), $seconds (the longest it may take), $lying
# (1: its counters obey $shared/counter, see preload/lying_counter.c). Unless a test
# sets otherwise the kernel trusts its counter: under load its watchdog would take a
# late timer for a fault.
#
# TW_VM_ARCH=arm64: a machine with that processor instead of x86-64.
#
# The machines are emulated by software, since few machines that run tests let
# guests use the hardware. Their logs stay in build/vm/ ($TW_VM). A test skips, with
# the reason, where qemu or the kernel is missing, and what a slow machine does not
# finish. After $TW_VM_DEADLINE (seconds since 1970; empty: never) no test begins,
# and a running one ends VM_GRACE seconds later.

. "$(dirname "$0")/../tap.sh"

TW_BUILD=${TW_BUILD:-$root/build}
FIO=${FIO:-fio}
vm=${TW_VM:-$root/build/vm${TW_VM_ARCH:+-$TW_VM_ARCH}}
shared=$scratch/shared
accel=tcg,thread=multi
case ${TW_VM_ARCH:-amd64} in
amd64)
	qemu=qemu-system-x86_64
	machine=q35
	cpu=max,+invtsc,x-force-features=on
	console="ttyS0 reboot=t"
	append=tsc=reliable
	;;
arm64)
	qemu=qemu-system-aarch64
	machine=virt,gic-version=3
	cpu=cortex-a72
	console=ttyAMA0
	append=
	;;
esac
# How much longer than on x86-64 a machine may take.
slower=1
[ "${TW_VM_ARCH:-amd64}" = amd64 ] || slower=3
cpus=2
memory=1024
seconds=120
lying=
qemu_pid=
VM_GRACE=120

# Write to the terminal, which make check-vm has opened as 3.
progress()
{
	# On a terminal, run.sh's line is there.
	{ [ ! -t 3 ] || printf '\r\033[K' >&3; printf '  %-7s %s\n' VM "$*" >&3; } 2>/dev/null
}

# The releases of Debian whose kernels are tried.
suites=${VM_SUITES:-bookworm trixie}

command -v "$qemu" >/dev/null || skip_all "no $qemu (make check-vm installs it)"
[ -e "$vm/base.cpio" ] || skip_all "no kernel (make check-vm fetches it)"
[ "${TW_VM_DEADLINE:-}" = "" ] || [ "$(date +%s)" -lt "$TW_VM_DEADLINE" ] ||
	skip_all "the time for all of these tests (TW_VM_SECONDS) is over"
# on_kernel [SUITE]: machines boot the kernel of that release of Debian, or without
# SUITE the one that this machine's apt knows. False, with the reason in $no_kernel,
# if there is none.
on_kernel()
{
	suffix=${1:+-$1}
	initrd=$vm/base$suffix.cpio
	kernel=$vm/kernel$suffix/vmlinux
	[ -e "$kernel" ] || kernel=$vm/kernel$suffix/vmlinuz
	no_kernel="no kernel of ${1-this release} ($(tail -n 1 "$vm/kernel$suffix.log" \
		2>/dev/null || echo "make check-vm fetches it"))"
	[ -e "$initrd" ] && [ -e "$kernel" ]
}
on_kernel

stop()
{
	[ -z "$qemu_pid" ] || { kill "$qemu_pid"; wait "$qemu_pid"; } 2>/dev/null
	qemu_pid=
}
trap 'stop; rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# End the test after a machine that did not finish in its time, or that qemu could
# not start: it proves nothing about us. Earlier checks count. A program that hangs
# in a machine is ended there (guest/fio.sh).
too_slow()
{
	case $ended in
	124|137) why="not done after $limit s" ;;
	0) return ;;
	*)	! grep -q '^up ' "$log" || return 0
		why="qemu: $(grep -v warning: "$log" | tail -n 1 | tr -d '\r')" ;;
	esac
	skip "machine $guest: $why ($log)"
	done_testing
}

boot()
{
	guest=$1
	shift
	log=$vm/$(basename "$0" .t)-$guest$suffix.log
	rm -rf "$shared"
	mkdir -p "$shared"
	share=local,id=out,path=$shared,security_model=none,multidevs=remap
	began=$(date +%s)
	limit=$((seconds * slower))
	if [ -n "${TW_VM_DEADLINE:-}" ]; then
		rest=$((TW_VM_DEADLINE + VM_GRACE - began))
		[ "$rest" -ge "$limit" ] || limit=$rest
		[ "$limit" -ge 1 ] || limit=1
	fi
	# With two CPUs qemu may run an instruction that the kernel replaces, also while it
	# boots. Nothing of ours has run then, so it boots again.
	for boots in 1 2 3; do
		LD_PRELOAD=${lying:+$TW_BUILD/tests/vm/preload/lying_counter.so} \
		LYING_COUNTER=$shared/counter \
		timeout -k 5 "$limit" "$qemu" -M "$machine" \
			-accel "$accel" -cpu "$cpu" -smp "$cpus" -m "$memory" \
			-nodefaults -no-user-config -display none -no-reboot -net none \
			-serial stdio -kernel "$kernel" -initrd "$initrd" \
			-fsdev "$share" -device virtio-9p-pci,fsdev=out,mount_tag=out \
			-append "console=$console quiet loglevel=4 panic=-1 rdinit=/init tw_run=$guest $append" \
			"$@" >"$log" 2>&1 </dev/null &
		qemu_pid=$!
		wait "$qemu_pid"
		ended=$?
		qemu_pid=
		[ "$ended" = 0 ] && ! grep -q '^up ' "$log" || break
		echo "# the kernel ended before its first process: $log, $boots"
	done
	told="$(basename "$0" .t)-$guest$suffix ($(($(date +%s) - began)) s)"
	progress "$told"
	echo "# $told"
	[ "$ended" -eq 0 ] && [ "$(cat "$shared/status" 2>/dev/null)" = 0 ] &&
		return 0
	too_slow
	echo "# qemu's exit code $ended, the guest's" \
		"$(cat "$shared/status" 2>/dev/null || echo unknown); $log ends:"
	tail -n 20 "$log" | tr -d '\r' | sed 's/^/# /'
	return 1
}

# row INJECTED MUST HAPPENED STOCK: adds a line of this test to the table in
# results.md; make vm-table puts it there
rows=$vm/rows-$(basename "$0" .t)
rm -f "$rows"
row()
{
	printf '| %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" >>"$rows"
}

# on_nvme NAME [QEMU-ARGUMENT...]: boots a machine whose NVMe device has two namespaces,
# with blocks of 512 and of 4096 bytes
on_nvme()
{
	truncate -s 64M "$scratch/512.img" "$scratch/4096.img"
	guest=$1
	shift
	boot "$guest" \
		-drive "file=$scratch/512.img,if=none,id=nv1,format=raw,cache=unsafe,discard=unmap" \
		-drive "file=$scratch/4096.img,if=none,id=nv2,format=raw,cache=unsafe,discard=unmap" \
		-device nvme,id=nvme0,serial=tickwise,max_ioqpairs=8 \
		-device nvme-ns,drive=nv1,bus=nvme0,nsid=1 \
		-device nvme-ns,drive=nv2,bus=nvme0,nsid=2,logical_block_size=4096,physical_block_size=4096 \
		"$@"
}

# succeeds LABEL DESCRIPTION: passes if the program's exit code was 0
succeeds()
{
	is "$(cat "$shared/$1.status" 2>/dev/null)" 0 "$2" || shows "$shared/$1.err"
}

# whole LABEL: passes if the job succeeded, the report counts what fio counted, and
# the stages add up to lat
whole()
{
	succeeds "$1" "$1: fio succeeds"
	cp "$shared/$1.fio.json" "$scratch/fio.json" 2>/dev/null
	json "$shared/$1.report.json" '
		my $r = $j; my $fine = 1; my $all = 0;
		open my $f, "<", "'"$scratch"'/fio.json" or die;
		local $/; my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		my $fio = JSON::PP->new->decode($text)->{jobs}[0];
		for my $d ("read", "write", "trim", "sync") {
			my $n = $r->{ios}{$d}; $all += $n;
			my $m = ($fio->{$d}{clat_ns} //
				$fio->{$d}{lat_ns} // {})->{N} // 0;
			$m = $fio->{sync}{lat_ns}{N} // 0 if $d eq "sync";
			next if !$n && !$m;
			$n == $m or $fine = 0, print "# $d: $n, fio $m\n";
			my $lat = $r->{stages}{lat}{$d};
			my $off = -$lat->{sum_ns};
			$off += $r->{stages}{$_}{$d}{sum_ns} // 0
				for grep { $_ ne "lat" } keys %{$r->{stages}};
			$off == 0 or $fine = 0,
				print "# $d: stages off by $off ns\n";
			$lat->{min_ns} > 0 && $lat->{max_ns} < 60e9 or $fine = 0,
				print "# $d: $lat->{min_ns} to $lat->{max_ns}\n";
		}
		$fine && $all && !grep { $r->{clock_went_back}{$_} || $r->{errors}{$_} }
			keys %{$r->{errors}}'
	ok $? "$1: counts are fio's, the stages add up to lat"
}
