#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests x86-64 processors with other features than this one's. The library reports
# what CPUID reports, and executes nothing that CPUID does not promise. Fails, by
# SIGILL, if rdtscp is used without its bit, or if a bit is read in the wrong place.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/cross.sh"

set_up x86_64 x86_64 || done_testing
programs=$programs/cross

# facts_of CPU: writes its facts to $out
facts_of() {
	cpu=$1
	QEMU_CPU=$1
	export QEMU_CPU
	emulated "$programs/print_facts"
	is "$status" 0 "$cpu: runs"
}

# fact FACT...: checks that facts_of left these lines
fact() {
	for line; do
		grep -qx -e "$line" "$out"
		ok $? "$cpu: $line"
	done
}

facts_of qemu64
fact state=ok read_with_cpu=0 invariant=0 cpu_allowed=1 emulated=1 \
	hypervisor=TCGTCGTCGTCG 'processor=QEMU Virtual CPU.*' cpuid_khz=0
passes "$programs/processor.t"

facts_of max
fact state=ok read_with_cpu=1 invariant=0 cpu_allowed=1
passes "$programs/processor.t"

facts_of max,-rdtscp
fact state=ok read_with_cpu=0 cpu_allowed=1
passes "$programs/processor.t"

# Emulation promises no constant rate. Forced to claim one, it shows that the bit is
# read.
facts_of max,+invtsc,x-force-features=on
fact state=ok read_with_cpu=1 invariant=1

facts_of EPYC
fact state=ok read_with_cpu=1 'processor=AMD EPYC.*'
passes "$programs/processor.t"

facts_of max,-hypervisor
fact hypervisor= state=ok

# -ENOTSUP, before the first read.
facts_of qemu64,-tsc
fact state=absent rate=-95
done_testing
