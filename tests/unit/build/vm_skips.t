#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a test that boots machines (tests/vm/boot.sh) skips, with the reason,
# if there is no qemu or no kernel, or if qemu can't start. It skips what is not
# done in the time of the machine or of all of them, and keeps what was shown
# before. It leaves nothing running, also when it is ended itself. A machine that
# came up and broke is a failure. Defect: a slow machine, or one without the
# packages, that makes a build fail; a crash passed off as slowness; a qemu that
# stays.
. "$(dirname "$0")/../../tap.sh"

mkdir -p "$scratch/vm/kernel" "$scratch/bin" "$scratch/test"
touch "$scratch/vm/base.cpio" "$scratch/vm/kernel/vmlinux"
cp "$root/tests/vm/boot.sh" "$root/tests/tap.sh" "$scratch"
mkdir -p "$scratch/tests/vm"
mv "$scratch/boot.sh" "$scratch/tests/vm/"
mv "$scratch/tap.sh" "$scratch/tests/"

# qemu SCRIPT: makes a program of that name; it runs where the shared folder is
qemu()
{
	cat >"$scratch/bin/qemu-system-x86_64" <<-END
	#!/bin/sh
	echo \$\$ >"$scratch/pid"
	for argument; do
		case \$argument in
		local,*) shared=\${argument#*path=}; shared=\${shared%%,*} ;;
		esac
	done
	$1
	END
	chmod +x "$scratch/bin/qemu-system-x86_64"
}

# A test with one check before the machine and two after.
cat >"$scratch/tests/vm/one.t" <<'END'
. "$(dirname "$0")/boot.sh"
VM_GRACE=${grace:-120}
seconds=${limit:-60}
ok 0 "before"
boot guest
ok $? "the machine ran"
ok 0 "after"
done_testing
END

# vm_test [NAME=VALUE...]: runs it; sets $status, $out
vm_test()
{
	env PATH="${path:-$scratch/bin:$PATH}" TICKWISE="$tickwise" \
		TW_VM="$scratch/vm" "$@" sh "$scratch/tests/vm/one.t" \
		>"$out" 2>&1
	status=$?
}

gone()
{
	! kill -0 "$(cat "$scratch/pid")" 2>/dev/null
}

qemu 'echo "up 3.1"; echo 0 >"$shared/status"'
vm_test
is "$status $(grep -c '^ok' "$out")" '0 3' 'a machine that does what it should'

path=$scratch/few
mkdir "$path"
for name in sh dirname basename mktemp chmod rm mkdir cat date; do
	ln -s "$(command -v $name)" "$path/$name"
done
vm_test
is "$status $(cat "$out")" \
	'0 1..0 # SKIP no qemu-system-x86_64 (package qemu-system-x86)' 'no qemu'
path=

mv "$scratch/vm/base.cpio" "$scratch/vm/away"
vm_test
is "$status $(cat "$out")" \
	'0 1..0 # SKIP no kernel (make check-vm fetches it)' 'no kernel'
mv "$scratch/vm/away" "$scratch/vm/base.cpio"

vm_test TW_VM_DEADLINE=$(($(date +%s) - 1))
is "$status $(cat "$out")" "0 1..0 # SKIP the time for all of these tests \
(TW_VM_SECONDS) is over" 'no time left for another test'

qemu 'exec sleep 600'
vm_test limit=1
is "$status $(grep -c '^ok 1 - before$' "$out")" '0 1' \
	"not done in the machine's time: what was shown before counts"
has "$out" 'ok 2 # SKIP machine guest: not done after 1 s' 'the rest is skipped'
is "$(tail -n 1 "$out")" '1..2' 'and that is the end'
gone
ok $? 'the machine was ended'

vm_test grace=1 TW_VM_DEADLINE=$(($(date +%s) + 2))
is "$status" 0 'not done when all should be'
grep -q '^ok . # SKIP machine guest: not done after [123] s\|(TW_VM_SECONDS) is' \
	"$out"
ok $? 'is skipped, long before its own 60 s'

qemu 'echo "qemu-system-x86_64: warning: odd"
	echo "qemu-system-x86_64: cannot set up guest memory"; exit 1'
vm_test
is "$status" 0 'a qemu that cannot start'
has "$out" 'SKIP machine guest: qemu: qemu-system-x86_64: cannot set up' \
	'is skipped, with what it says'

qemu 'echo "up 3.1"; echo "Kernel panic"; exit 1'
vm_test
is "$status" 1 'a machine that came up and broke: fails'
has "$out" 'not ok 2 - the machine ran' 'there, and not before'
has "$out" '# Kernel panic' "with the end of its log"

qemu 'echo "up 3.1"; echo 2 >"$shared/status"'
vm_test
is "$status" 1 'one whose script failed: fails'

# In mid-run, as soon as there is a machine.
qemu 'exec sleep 600'
rm "$scratch/pid"
env PATH="$scratch/bin:$PATH" TICKWISE="$tickwise" TW_VM="$scratch/vm" \
	sh "$scratch/tests/vm/one.t" >"$out" 2>&1 &
test_pid=$!
i=0
while [ ! -s "$scratch/pid" ] && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
kill -TERM $test_pid
wait $test_pid
is $? 143 'a test that is ended ends'
i=0
while ! gone && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
gone
ok $? 'with its machine'
done_testing
