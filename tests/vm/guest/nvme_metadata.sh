# SPDX-License-Identifier: MIT
# Uses metadata, protection information and other kinds of write; see ../nvme_metadata.t.
load nvme
# shellcheck disable=SC2034	# for fio_job
fio_seconds=300
has()
{
	fio --enghelp=io_uring_cmd 2>/dev/null | grep -q "^$1 "
}
has md_per_io_size && touch has_metadata
has write_mode && touch has_modes
has verify_bytchk && touch has_mix
all='tickwise-cmd io_uring_cmd'

. /guest/namespaces.sh

# With pi_act=1 the device makes and strips 8 bytes, and the job has blocks of 512.
protect='--pi_chk=GUARD,REFTAG,APPTAG --apptag=0x8888'
# shellcheck disable=SC2086
[ ! -e has_metadata ] || for n in 1 2 3; do
	# The third type has no reference tag to check.
	[ $n -lt 3 ] || protect='--pi_chk=GUARD,APPTAG --apptag=0x8888'
	for act in 0 1; do
		block=512 md=64
		case $n$act in
		11 | 21) md=0 ;;
		20) block=520 md=0 ;;
		3*) md=128 ;;
		esac
		how="--pi_act=$act --md_per_io_size=$md $protect"
		job write$act-$n --rw=write $how
		job read$act-$n --rw=randread $how
		job wrong_tag$act-$n --rw=read $how --apptag=0x0888
	done
	# What the device protected (act is 1) fio checks.
	block=512 md=0
	[ $n != 1 ] || md=64
	[ $n != 2 ] || block=520
	[ $n != 3 ] || md=128
	how="--pi_act=0 --md_per_io_size=$md $protect"
	all=tickwise-cmd
	job seed-$n --rw=write $how
	all=io_uring_cmd
	job other_door-$n --rw=read $how
	job seed-$n --rw=write $how
	all=tickwise-cmd
	job other_door-$n --rw=read $how
	all='tickwise-cmd io_uring_cmd'
done
n=1 block=512
how='--pi_act=0 --md_per_io_size=64 --pi_chk=GUARD,REFTAG,APPTAG'
# shellcheck disable=SC2086
if [ -e has_metadata ]; then
	job verified --rw=randwrite --verify=crc32c $how
	job mixed --rw=randrw --bsrange=512-4k --numjobs=1 $how
	job fixedbufs --rw=randwrite --verify=crc32c --fixedbufs=1 $how
	job vectored --rw=randwrite --verify=crc32c --nonvectored=0 $how
	all=tickwise-cmd
	job small_md --rw=write $how --md_per_io_size=56
else
	all=tickwise-cmd
	job no_metadata --rw=write --md_per_io_size=64
fi

all=tickwise
job no_blocks --rw=write --md_per_io_size=64

n=4 block=512
all='tickwise-cmd io_uring_cmd'
# The first and the last quarter stay.
quarters()
{
	for at in 0 1 2 3; do
		dd "if=/dev/$disk" bs=64k skip=$at count=1 iflag=direct 2>/dev/null |
			tr -d '\0' | head -c 1 | wc -c
	done | tr -d '\n'
}
# shellcheck disable=SC2086
if [ -e has_modes ]; then
	for all in tickwise-cmd io_uring_cmd; do
		job seed --rw=write
		job zeroes --rw=write --offset=64k --size=128k --write_mode=zeroes
		quarters >kept-$all
	done
	all='tickwise-cmd io_uring_cmd'
	job verify --rw=write --write_mode=verify --nonvectored=0
	job uncor --rw=write --write_mode=uncor
	# A header of fio has times that it can't write again to compare.
	how='--verify=pattern --verify_pattern=0x5a%o --verify_mode=compare'
	job compare --rw=randwrite $how
	printf x | dd "of=/dev/$disk" bs=1 seek=70000 conv=notrunc,fsync 2>/dev/null
	job compare_changed --rw=write --verify_only=1 $how
	all=tickwise-cmd
	job zeroes_hipri --rw=write --write_mode=zeroes --hipri=1
else
	all=tickwise-cmd
	job no_modes --rw=write --write_mode=zeroes
fi
all='tickwise-cmd io_uring_cmd'
[ ! -e has_mix ] || job mix --rw=randwrite --bs=512 --verify=crc32c \
	--write_mode=write/:zeroes/
