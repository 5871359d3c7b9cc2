#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: counters that begin to lie while the kernel's watchdog looks at them
# (the default): the kernel may turn to another clock, and the program and the
# engine's report name the fault all the same, also that which all CPUs have in
# common.
# Defect: a clock that goes on by the counter when the kernel has given it up.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/lying.sh"

lying=1
for lie in 1000000000 both:1000ppm; do
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
		[ "$(verdict $name-during)" != reliable ]
		ok $? "$lie: the report says $(verdict $name-during)"
		;;
	esac
	lie_row $name "$lie, the kernel's watchdog on" "found, marked"
done
done_testing
