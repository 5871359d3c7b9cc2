#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/base
#
# What a user names is opened by three functions of core/base alone: tw_input_open(),
# tw_output_open() and tw_private_folder(). These hold against other users who change names.
# Fails if a file opens or makes one by another function. The list below has those that open
# paths of the kernel, each with the number of its calls.

. "$(dirname "$0")/../../tap.sh"

cat >"$scratch/allowed" <<'END'
core/base/open_file.c 4		the functions themselves
core/base/private_folder.c 1
core/command/run/run_settings.c 1	/sys/block
core/command/run/run_target.c 3	/proc/self/fd, and a file without a name in an open folder
core/machine/other_clocks.c 1	devices of clocks
core/machine/vmclock.c 1
core/report/describe.c 1	a program of the build
core/text_file.c 2		files of /proc and /sys
plugin/attach/attach_target.c 1	/proc
plugin/helper/helper_serve.c 2
plugin/kernel/cgroup.c 2	cgroups
plugin/record/schedstat.c 1
plugin/trace/tracefs.c 1	tracefs
END

# calls FOLDER...: prints each file with the number of its calls. A path in the source, such as
# /dev/null, is no user's.
calls()
{
	find "$@" -name '*.[ch]' -o -name '*.sh' | sort | xargs perl -0777 -ne '
		if ($ARGV =~ /\.sh$/) {
			s/^\s*#.*//gm;
			$n = () = /\bmktemp\b/g;
		} else {
			s{/\*.*?\*/}{}gs;
			$n = () = /\b(?:f?open|freopen|openat2?|creat|mk(?:d|s|os)temps?|tmpfile|tmpnam
				|tempnam|json_(?:load|dump)_file)\((?!"\/)/gx;
		}
		print "$ARGV $n\n" if $n'
}

cd "$root" || exit 1
calls core plugin >"$out"
is "$(cat "$out")" "$(sed 's/[[:space:]]*	.*//' "$scratch/allowed")" 'each file opens what it may open'
mkdir "$scratch/core"
echo 'int f(void) { return open(path, O_RDONLY) + openat(1, path) + open("/dev/null", 0); }' \
	>"$scratch/core/a.c"
printf '# mktemp\nwork=$(mktemp -d)\n' >"$scratch/core/b.sh"
is "$(cd "$scratch" && calls core | xargs)" 'core/a.c 2 core/b.sh 1' 'another call is seen'
done_testing
