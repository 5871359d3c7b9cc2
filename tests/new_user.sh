#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures how long a new user needs, from the Debian packages to a report of their
# own job. Types the README's commands in fresh systems of Debian 12 and 13. Prints
# what the terminals showed and the seconds of each command:
#
#	tests/new_user.sh [debian-12] [debian-13]
#
# Each system has four users, each in a fresh copy of the system:
#
#	user	installs the packages, runs a job, asks for the page with plots, with
#		sudo where the README has it
#	root	does the same without sudo
#	plain	runs the job without sudo, and thus without stages inside the kernel
#	helper	does so while `tickwise kernel-helper` runs in a second terminal
#
# The packages are those that tests/deb.sh left in NAME/deb-build; it runs if they
# are older than this commit. Before the clock starts apt has its lists, sudo is
# installed and the job is written. No package has been downloaded. tests/type.pl
# types. Each line "ok" or "not ok" is one test: three commands, at most 120 s, and
# a report with stages. Stages inside the kernel are expected where this machine
# allows them.
#
# tests/deb.sh explains the variables. NAME/new-user.log has the output of all commands.
#
# Needs root. Exit 0, 1 if a test failed, 69 if nothing could be tried.
set -u
LC_ALL=C
export LC_ALL

root=$(cd "$(dirname "$0")/.." && pwd)
tip=$(git -C "$root" rev-parse HEAD)
distros=${TW_DISTROS:-$root/build/distros}
child=
count=0
failed=0
max_seconds=120

fail()
{
	echo "new_user: $*" >&2
	exit 69
}

# shellcheck source=tests/distros_common.sh
. "$root/tests/distros_common.sh"

# ok STATUS WHAT
ok()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $name, $who: $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name, $who: $2"
	fi
}

# readme PATTERN: prints the README's command that begins so, without its comment.
# The README itself is tested: without the command there is no test.
readme()
{
	sed -n "s/ *#.*//; s/^    \($1\)/\1/p" "$root/README.md" |
		head -n 1 | grep . || fail "README.md has no command '$1'"
}

# ---- the packages ----

# Packages of another commit serve as long as nothing differs that is in them.
packages_are_there()
{
	clone=$distros/$1/deb-build/root/tickwise
	ls "$clone"/build/deb/fio-tickwise_*.deb >/dev/null 2>&1 &&
		commit=$(git -C "$clone" rev-parse HEAD) &&
		git -C "$root" diff --quiet "$commit" "$tip" -- .ci Makefile core debian plugin
}

# ---- a system ----

write_job()
{
	printf '%s\n' '[global]' 'ioengine=io_uring' 'filename=data' 'size=64m' \
		'rw=randread' 'bs=4k' 'iodepth=32' 'direct=1' 'runtime=10' \
		'time_based' '[mine]' >"$1"
}

# Sets $dir to a fresh system with the packages in the folder of the user.
new_system()
{
	dir=$distros/$name/new-user
	log=$distros/$name/new-user.log
	rm -rf --one-file-system "$dir"
	if ! mkdir -p "$dir/archives/partial" ||
		! cp -a "$distros/$name/base" "$dir/root" ||
		! mkdir -p "$dir/root/root/tickwise"; then
		fail "no room for $name in $distros"
	fi
	settings
	inside "$dir" sh -c 'apt-get -q update && apt-get -q -y install sudo &&
		useradd -m -s /bin/bash -G sudo user && echo user:tickwise | chpasswd &&
		mkdir -p /home/user/build/deb' ||
		fail "a user can't be made: $log"
	cp "$clone"/build/deb/*.deb "$dir/root/home/user/build/deb/"
	rm -f "$dir"/root/home/user/build/deb/*-dbgsym* "$dir"/archives/*.deb
	write_job "$dir/root/home/user/myjob.fio"
	inside "$dir" chown -R user: /home/user
	cp "$root/tests/type.pl" "$dir/root/root/tickwise/"
}

# ---- typing ----

# Print what was typed and answered, without apt's hundreds of lines.
shown()
{
	awk '/^[^ ]+@[^ ]+:[^ ]*[$#] / {
			is_apt = / apt install /
			print "    " $0
			next
		}
		is_apt { sub(/^ +/, "") }
		!is_apt || /^(Need to get|Download size|.*\[Y\/n\]|Fetched)/ { print "    " $0 }
	' "$typed"
}

# type_as SHELL STEP...: types the steps; sets $typed to a file of what was shown
type_as()
{
	typed=$distros/$name/new-user.typed
	all=$log
	log=$typed
	: >"$typed"
	shell=$1
	shift
	inside "$dir" env TERM=xterm perl type.pl "$shell" \
		'cd /home/user; stty cols 80 rows 24' "$@"
	status=$?
	cat "$typed" >>"$all"
	log=$all
	shown
	ok "$status" "$# commands typed"
}

has_line()
{
	grep -q -e "$1" "$typed"
	ok $? "$2"
}

judge()
{
	seconds=$(sed -n 's/^# \([0-9]*\)[.0-9]* s  in total$/\1/p' "$typed")
	[ "${seconds:-$((max_seconds + 1))}" -le "$max_seconds" ]
	ok $? "from the packages to the report in ${seconds:-?} s"
	sed -n "s/^ *\(Fetched .* in .*\)/# $name, $who: apt: \1/p" "$typed"
	has_line 'sum of stages' "the report has fio's lat and its stages"
}

has_kernel_stages()
{
	inside "$dir" sh -c '/usr/lib/*/tickwise/tickwise-kernel-helper --check' || {
		echo "# SKIP $name, $who: this machine allows no stages inside the kernel"
		return
	}
	has_line '[+ ]device [0-9]' 'the report has the stages inside the kernel'
}

has_page()
{
	grep -q '<svg' "$dir/root/home/user/page.html"
	ok $? 'and the page has plots'
}

test_user()
{
	who=user
	new_system
	type_as 'su -l user' "$install" "$run" "$page"
	judge
	has_kernel_stages
	has_page
}

test_root()
{
	who=root
	new_system
	type_as 'su -l' "${install#sudo }" "${run#sudo }" "$page"
	judge
	has_kernel_stages
	has_page
}

test_plain()
{
	who=plain
	new_system
	type_as 'su -l user' "$install" "${run#sudo }" "$page"
	judge
	has_line 'sudo tickwise' 'the report names what the stages inside the kernel need'
	has_page
}

test_helper()
{
	who=helper
	new_system
	type_as 'su -l user' "$install" "second terminal: $helper" "${run#sudo }"
	judge
	has_kernel_stages
}

[ "$(id -u)" = 0 ] || fail "needs root, to mount and to change the root"
[ $# -gt 0 ] || set -- debian-12 debian-13
install=$(readme 'sudo apt install') || exit
run=$(readme 'sudo tickwise run') || exit
page=$(readme 'tickwise report --html') || exit
helper='sudo tickwise kernel-helper'
mkdir -p "$distros" || exit 69
distros=$(cd "$distros" && pwd)
for name; do
	packages_are_there "$name" || "$root/tests/deb.sh" "$name" ||
		fail "there are no packages for $name"
	packages_are_there "$name" ||
		fail "there are no packages of this commit for $name: $distros/$name/deb.log"
	: >"$distros/$name/new-user.log"
	test_user
	test_root
	test_plain
	test_helper
done
rm -rf --one-file-system "$dir"
echo "$((count - failed)) passed, $failed failed"
[ "$failed" = 0 ]
