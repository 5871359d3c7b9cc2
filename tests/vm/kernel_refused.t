#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: if a kernel refuses the program or cannot load it, one line tells the
# reason: no type information (BTF), no CAP_SYSLOG, an ordinary user with
# unprivileged_bpf_disabled or without, lockdown in its mode "confidentiality". There
# Linux 6.12 takes the program that splits, as long as it has no device mapper to follow.
# tw_kernel=auto goes on with `kernel` as one stage, tw_kernel=require ends the job.
# Without io_uring there is no job at all. Defect: stages that are silently missing,
# an error's number instead of a reason, a job that fails for something that it does
# not need.
. "$(dirname "$0")/boot.sh"

# refused NAME REASON: checks the jobs; REASON is a part of the line
refused()
{
	succeeds "$1.auto" "$suite, $1: auto goes on"
	why=$(value "$shared/$1.auto.json" '$j->{jobs}[0]{kernel}{why} // "split"')
	json "$shared/$1.auto.json" '$j->{jobs}[0]{kernel}{state} eq "off" &&
		$j->{stages}{kernel}{read}{count} == 16'
	ok $? "$suite, $1: and splits nothing: $why"
	works "$suite, $1: for the reason \"$2\"" test "${why#*"$2"}" != "$why"
	is "$(cat "$shared/$1.require.status" 2>/dev/null)" 1 \
		"$suite, $1: require does not"
	is "$(grep '^tickwise' "$shared/$1.require.err")" \
		"tickwise: require: tw_kernel=require, but the stages inside \
the kernel can't be had: $why" \
		"$suite, $1: one line, the same reason" || shows "$shared/$1.require.err"
	case $happened in
	*"$why"*) happened="$1, $happened" ;;
	*) happened="$1: $why${happened:+; }$happened" ;;
	esac
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	happened=
	append=tsc=reliable
	boot kernel_refused
	ok $? "$suite: the machine ran"
	refused no_syslog CAP_SYSLOG
	refused user_0 CAP_BPF
	refused user_2 CAP_BPF
	refused no_btf /sys/kernel/btf/vmlinux
	if [ -e "$shared/no_io_uring.auto.status" ]; then
		is "$(cat "$shared/no_io_uring.auto.status")" 1 \
			"$suite: io_uring switched off: the job ends"
		is "$(grep -c '^tickwise: auto: .*kernel.io_uring_disabled' \
			"$shared/no_io_uring.auto.err")" 1 \
			"$suite: and a line tells why"
	fi
	append="tsc=reliable lockdown=confidentiality"
	boot kernel_refused
	ok $? "$suite: the locked machine ran"
	if grep -q '\[confidentiality\]' "$shared/lockdown"; then
		if [ $suite = bookworm ]; then
			refused locked "locked down"
		else
			succeeds direct "$suite, locked: direct I/O"
			json "$shared/direct.report.json" \
				'$j->{kernel_stages}{split}{read} == 16'
			ok $? "$suite, locked: is split"
			succeeds locked.require "$suite, locked: require, too"
			json "$shared/locked.require.json" '$j->{jobs}[0]{causes}{state} eq
				"off" && $j->{jobs}[0]{causes}{why} =~ /locked down/'
			ok $? "$suite, locked: without causes, for that reason"
		fi
		refused locked_mapper "locked down"
	else
		skip "$suite: no lockdown: $(cat "$shared/lockdown")"
	fi
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version") \
that refuses the program" "one line with the reason; auto goes on" "$happened" \
		"has no stages"
done
done_testing
