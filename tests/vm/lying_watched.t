#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: counters begin to lie while the kernel's watchdog checks them (the
# default). The kernel may switch to another clock. The program and the engine's
# report still name the fault, also one that all CPUs have in common. Defect: a
# clock that continues by the counter when the kernel has given it up.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/lying.sh"

lying=1
for lie in 1000000000 1000ppm both:1000000000 both:1000ppm; do
	name=$(echo "$lie" | tr : _)
	append="lie=$lie"
	boot lying
	ok $? "$lie: the machine ran"
	for label in $name-before $name-during; do
		no_nonsense $label
	done
	case $lie in
	both:*) ;;
	*)
		found $name
		if ! over $name-during; then
			[ "$(verdict $name-during)" != reliable ]
			ok $? "$lie: the report says $(verdict $name-during)"
		fi
		;;
	esac
	must="found, marked"
	case $lie in
	both:*) must="seen by a job that it begins in; afterwards all agree, and \
check names the kernel's doubt" ;;
	esac
	case $lie in
	1000000000) what="CPU 1 ahead by 1000000000 ticks" ;;
	1000ppm) what="CPU 1 fast by 1000 ppm" ;;
	both:1000000000) what="all CPUs jump by 1e9 ticks" ;;
	*) what="all CPUs fast by 1000 ppm" ;;
	esac
	lie_row $name "$what, the kernel's watchdog on" "$must"
done
done_testing
