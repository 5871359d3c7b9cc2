# SPDX-License-Identifier: MIT
#
# Virtual machines for the tests of this folder, to be sourced. A test boots one
# with guest/NAME.sh in it and judges what that left in $shared, the folder that
# both have in common.
#
#	boot NAME [QEMU-ARGUMENT...]	start and wait; false: it did not end well
#	start NAME [...]; wait_end	the same, with time for something between
#
# What the machine is, set before that: $machine, $accel, $cpu, $cpus, $memory
# (MB), $append (for the kernel), $seconds (the longest it may take), $lying (1:
# its counters obey $shared/counter, see preload/lying_counter.c).
#
# Software emulation, since few machines that run tests let guests use the
# hardware. Its log stays in build/vm/. Skips, with the reason, where qemu, the
# kernel or io_uring in the build can't be had.

. "$(dirname "$0")/../tap.sh"

TW_BUILD=${TW_BUILD:-$root/build}
FIO=${FIO:-fio}
vm=$root/build/vm
shared=$scratch/shared
machine=q35
accel=tcg,thread=multi
cpu=max,+invtsc,x-force-features=on
cpus=2
memory=1024
append=
seconds=120
lying=
qemu_pid=

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1"
}

# to the terminal, where make check-vm has opened it as 3
progress()
{
	{ printf '  %-7s %s\n' VM "$*" >&3; } 2>/dev/null
}

command -v qemu-system-x86_64 >/dev/null ||
	skip_all "no qemu-system-x86_64 (package qemu-system-x86)"
[ -e "$vm/base.cpio" ] || skip_all "no kernel (make check-vm fetches it)"
kernel=$vm/kernel/vmlinux
[ -e "$kernel" ] || kernel=$vm/kernel/vmlinuz

stop()
{
	[ -z "$qemu_pid" ] || { kill "$qemu_pid"; wait "$qemu_pid"; } 2>/dev/null
	qemu_pid=
}
trap 'stop; rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start NAME [QEMU-ARGUMENT...]
start()
{
	guest=$1
	shift
	log=$vm/$(basename "$0" .t)-$guest.log
	rm -rf "$shared"
	mkdir -p "$shared"
	share=local,id=out,path=$shared,security_model=none,multidevs=remap
	share_device=virtio-9p-pci
	[ "${machine%%,*}" != microvm ] || share_device=virtio-9p-device
	began=$(date +%s)
	LD_PRELOAD=${lying:+$TW_BUILD/tests/vm/preload/lying_counter.so} \
	LYING_COUNTER=$shared/counter \
	timeout -k 5 "$seconds" qemu-system-x86_64 -M "$machine" \
		-accel "$accel" -cpu "$cpu" -smp "$cpus" -m "$memory" \
		-nodefaults -no-user-config -display none -no-reboot -net none \
		-serial stdio -kernel "$kernel" -initrd "$vm/base.cpio" \
		-fsdev "$share" -device "$share_device,fsdev=out,mount_tag=out" \
		-append "console=ttyS0 quiet loglevel=4 panic=-1 reboot=t rdinit=/init tw_run=$guest $append" \
		"$@" >"$log" 2>&1 </dev/null &
	qemu_pid=$!
}

wait_end()
{
	wait "$qemu_pid"
	ended=$?
	qemu_pid=
	progress "$(basename "$0" .t)-$guest ($(($(date +%s) - began)) s)"
	[ "$ended" -eq 0 ] && [ "$(cat "$shared/status" 2>/dev/null)" = 0 ] &&
		return 0
	echo "# qemu's exit code $ended, the guest's" \
		"$(cat "$shared/status" 2>/dev/null || echo unknown); $log ends:"
	tail -n 20 "$log" | tr -d '\r' | sed 's/^/# /'
	return 1
}

boot()
{
	start "$@"
	wait_end
}

# row INJECTED MUST HAPPENED STOCK: a line of the table in tests/README.md, of
# this test; make vm-table puts them there
rows=$vm/rows-$(basename "$0" .t)
rm -f "$rows"
row()
{
	printf '| %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" >>"$rows"
}

# json FILE PERL-EXPRESSION: $j is the parsed file; true or false. What fio says
# in front of its JSON is passed over.
json()
{
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or exit 2;
		my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		our $j = eval { JSON::PP->new->decode($text) } or exit 3;
		my $r = eval $ARGV[1]; die $@ if $@; exit($r ? 0 : 1)' "$1" "$2"
}

# value FILE PERL-EXPRESSION: prints it
value()
{
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or exit 2;
		my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		our $j = eval { JSON::PP->new->decode($text) } or exit 3;
		my $r = eval $ARGV[1]; die $@ if $@; print $r' "$1" "$2"
}
