#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes the file system of the virtual machines, held in memory: this build and a
# fio with their libraries, busybox, the modules, guest/.
#
#	tests/vm/initramfs.sh KERNEL-DIRECTORY BUILD-DIRECTORY FIO OUT.cpio
#
# If the build is for arm64, what is not of the build comes from BUILD-DIRECTORY/root
# (tests/cross/root.sh).
set -eu
LC_ALL=C
export LC_ALL

kernel=$1
build=$2
out=$4
here=$(cd "$(dirname "$0")" && pwd)

root=
run=
path=$PATH:/usr/sbin:/sbin
if [ -d "$build/root" ]; then
	root=$(cd "$build/root" && pwd)
	run="qemu-aarch64-static -L $root"
	path=$root/usr/bin:$root/bin:$root/usr/sbin:$root/sbin
	set -- "$1" "$2" fio "$4"
fi
# file_of_program NAME: prints where it is
file_of_program()
{
	PATH=$path command -v "$1"
}
fio=$(file_of_program "$3")

modules="9p 9pnet_virtio virtio_pci nvme null_blk"
modules="$modules rtc-cmos ptp_kvm mq-deadline"
# File systems, the modules that they ask for by name, and devices on top of devices.
modules="$modules ext4 xfs btrfs crc32c_generic xxhash_generic sha256_generic"
modules="$modules blake2b_generic dm-mod dm-delay dm-crypt dm-multipath dm-round-robin xts ecb"
modules="$modules raid0 raid1 raid10 mq-deadline"
# These are copied if they exist.
programs="mkfs.ext4 mkfs.xfs mkfs.btrfs dmsetup setpriv chrt bpftool"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/bin" "$tree/dev" "$tree/proc" "$tree/sys" "$tree/tmp" \
	"$tree/out" "$tree/etc" "$tree/root"

# Copy programs and the libraries that they are linked with, to their own places.
with_libraries()
{
	for file; do
		if [ -n "$root" ]; then
			$run "$root/lib/ld-linux-aarch64.so.1" --list "$file"
		else
			ldd "$file"
		fi 2>/dev/null | grep -o '/[^ ]*' || :
	done | sort -u | while read -r library; do
		library=${library#"$root"}
		[ -e "$tree$library" ] || install -D "$root$library" "$tree$library"
	done
}

cp "$(file_of_program busybox)" "$tree/bin/busybox"
$run "$tree/bin/busybox" --list | while read -r applet; do
	[ "$applet" = busybox ] || ln -s busybox "$tree/bin/$applet"
done
cp "$fio" "$tree/bin/fio"
cp "$build/tickwise" "$tree/bin/tickwise"
cp "$build/tickwise.so" "$build/tickwise-cmd.so" "$tree/"
for helper in "$build"/tests/vm/guest/*; do
	case $helper in
	*.d|*.o|*'*') ;;
	*.so) cp "$helper" "$tree/" ;;
	*) cp "$helper" "$tree/bin/" ;;
	esac
done
# The programs of the build, and the test programs that send nonsense to the helper, and
# that use io_uring in many ways.
for file in "$build/tickwise-kernel-helper" "$build/tickwise-attach" \
		"$build/tests/fio/helper_client" "$build/tests/fio/attach_kinds" \
		"$build/tests/fio/wait_calls"; do
	[ ! -x "$file" ] || cp "$file" "$tree/bin/"
done
for program in $programs; do
	file=$(file_of_program "$program") || continue
	rm -f "$tree/bin/$program"
	cp "$file" "$tree/bin/"
done
# shellcheck disable=SC2086	# names without spaces
with_libraries $(for program in $programs; do echo "$tree/bin/$program"; done) \
	"$tree/bin/fio" "$tree"/bin/tickwise* "$tree"/*.so

version=$(basename "$kernel"/lib/modules/*)
# file_of NAME: prints a module's file. Dashes and underscores are the same in its name.
file_of()
{
	find "$kernel/lib/modules/$version" -name "$(echo "$1" |
		sed 's/[-_]/[-_]/g').ko*" | head -n 1
}

# add MODULE: adds it after those that it depends on, in the order of insmod
mkdir -p "$tree/modules"
add()
{
	for module; do
		file=$(file_of "$module")
		# The module is built in, or this kernel lacks it.
		[ -n "$file" ] || continue
		name=$(basename "$file" | sed 's/\.ko.*//; s/-/_/g')
		[ ! -e "$tree/modules/$name.ko" ] || continue
		case $file in
		*.xz) xz -dc "$file" ;;
		*.zst) zstd -qdc "$file" ;;
		*) cat "$file" ;;
		esac >"$tree/modules/$name.ko"
		depends=$(tr '\0' '\n' <"$tree/modules/$name.ko" |
			sed -n 's/^depends=//p' | tr ',' ' ')
		for on in $depends; do
			(add "$on")
		done
		echo "$depends" | tr '-' '_' >"$tree/modules/$name.depends"
	done
}
for module in $modules; do
	add "$module"
done

cp "$here/guest/init" "$tree/init"
cp -r "$here/guest" "$tree/guest"
(cd "$tree" && find . | busybox cpio -o -H newc 2>/dev/null) >"$out.new"
mv "$out.new" "$out"
