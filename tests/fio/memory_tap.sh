# SPDX-License-Identifier: MIT
#
# For the tests of the memory engine, after fio_tap.sh; to be sourced.

. "$(dirname "$0")/../fio/fio_tap.sh"

memory_so=$TW_BUILD/tickwise-memory.so

# memory_fio ARGUMENT...: runs a job on it, named m; out.json is fio's output, err
# its stderr, $status its exit code. A megabyte is enough to see it work.
memory_fio()
{
	rm -f ./*.json
	timeout $hung_s "$FIO" "$plain_clock" --name=m --ioengine="external:$memory_so" \
		--rw=randread --size=1m --bs=64k --output-format=json \
		--output=out.json "$@" >out 2>err
	status=$?
}
