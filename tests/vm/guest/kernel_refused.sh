# SPDX-License-Identifier: MIT
# Runs on a kernel that refuses the program; see ../kernel_refused.t.
cat /proc/version >version
mount -t securityfs securityfs /sys/kernel/security
cat /sys/kernel/security/lockdown >lockdown
head -c 65536 /dev/zero >/tmp/data
chmod 755 /
chmod 777 /tmp
chmod 666 /tmp/data

# refused NAME [PROGRAM ARGUMENT...]: runs two jobs; one goes on without stages, one ends
refused()
{
	name=$1
	shift
	for word in auto require; do
		(cd /tmp && timeout -s KILL 600 "$@" fio --name=$word \
			--ioengine=external:/tickwise.so --filename=/tmp/data \
			--size=64k --rw=read --tw_kernel=$word --tw_causes=1 \
			--tw_report=/tmp/$name.$word.json --output=/dev/null) \
			2>"$name.$word.err"
		echo $? >"$name.$word.status"
		[ ! -e /tmp/$name.$word.json ] || cp /tmp/$name.$word.json .
	done
	echo "$name (at $(cut -d' ' -f1 /proc/uptime) s)"
}

if grep -q '\[confidentiality\]' lockdown; then
	refused locked env
	null_disk
	fio_job direct tickwise --size=64k --rw=read --tw_kernel=auto --tw_kernel_every=1
	load dm_mod
	refused locked_mapper env
	exit 0
fi

# busybox's setpriv lacks these options.
setpriv=/bin/setpriv
refused no_syslog $setpriv --bounding-set=-syslog
as_user="$setpriv --reuid=65534 --regid=65534 --clear-groups"
# Addresses are visible to all users; after that, no program of an ordinary user is
# allowed.
echo 1 >/proc/sys/kernel/perf_event_paranoid
for value in 0 2; do
	echo $value >/proc/sys/kernel/unprivileged_bpf_disabled
	refused user_$value $as_user
done
mount -t tmpfs tmpfs /sys/kernel/btf
refused no_btf env
umount /sys/kernel/btf
if [ -e /proc/sys/kernel/io_uring_disabled ]; then
	echo 2 >/proc/sys/kernel/io_uring_disabled
	refused no_io_uring env
fi
