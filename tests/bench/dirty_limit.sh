# SPDX-License-Identifier: MIT
# Makes writers wait; sourced by benchmarks.

dirty=$(cat /proc/sys/vm/dirty_bytes)

# limit_dirty: lets no more than 16 MiB of pages be dirty
limit_dirty()
{
	echo 16777216 >/proc/sys/vm/dirty_bytes
}

# unlimit_dirty: puts back what was there; 0 bytes stands for a part of the memory
unlimit_dirty()
{
	[ "$(cat /proc/sys/vm/dirty_bytes)" != "$dirty" ] || return 0
	if [ "$dirty" = 0 ]; then
		echo 20 >/proc/sys/vm/dirty_ratio
	else
		echo "$dirty" >/proc/sys/vm/dirty_bytes
	fi
}
