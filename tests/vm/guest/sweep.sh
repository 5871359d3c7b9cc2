# SPDX-License-Identifier: MIT
# Sweeps a namespace that qemu limits, ten times or as SWEEPS tells; see ../sweep.t.
load nvme
for i in $(seq "$(word tw_sweeps)"); do
	tickwise sweep --engine=/tickwise.so --goal='p99<50ms' --for=60 --quiet --json \
		--output="/tmp/$i.json" /dev/nvme0n1 2>>/tmp/err
	echo "$i: $?" >>/tmp/codes
	cp "/tmp/$i.json" /tmp/err /tmp/codes .
done
