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
	timeout $hung_s "$FIO" --name=m --ioengine="external:$memory_so" \
		--rw=randread --size=1m --bs=64k --output-format=json \
		--output=out.json "$@" >out 2>err
	status=$?
}

# sum_of KEY: prints the sum over all reports, of their "load"
sum_of()
{
	perl -MJSON::PP -e 'local $/; my $sum = 0; my $key = shift;
		for my $file (glob "*.memory.json") {
			open my $f, "<", $file;
			$sum += decode_json(<$f>)->{load}{$key};
		}
		print $sum' "$1"
}
