# SPDX-License-Identifier: MIT
# Uses metadata and protection information of block devices; see ../nvme_metadata.t.
load nvme
. /guest/namespaces.sh
block=512
for n in 1 3; do
	# The third type has no reference tag to check.
	how='--md_per_io_size=64 --pi_chk=GUARD,REFTAG,APPTAG'
	[ $n = 1 ] || how='--md_per_io_size=128 --pi_chk=GUARD,APPTAG'
	how="--pi_act=0 --apptag=0x8888 $how"
	all='tickwise io_uring'
	# shellcheck disable=SC2086
	{
		job write-$n --rw=write $how
		job read-$n --rw=randread $how
		job wrong_tag-$n --rw=read $how --apptag=0x0888
		job verified-$n --rw=randwrite --verify=crc32c $how
		job mixed-$n --rw=randrw --bsrange=512-4k $how
		job options-$n --rw=randrw --fixedbufs=1 --registerfiles=1 $how
		# Each reads what the other wrote.
		all=tickwise
		job seed-$n --rw=write $how
		all=io_uring
		job other_door-$n --rw=read $how
		job seed-$n --rw=write $how
		all=tickwise
		job other_door-$n --rw=read $how
	}
done
n=1
job small_md --rw=write --md_per_io_size=56
job masked --rw=write --md_per_io_size=64 --apptag_mask=0xff
n=4
job no_information --rw=write --md_per_io_size=64
