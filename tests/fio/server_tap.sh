# SPDX-License-Identifier: MIT
# For tests with fio servers; sourced after fio_tap.sh.

# begin_server FOLDER: starts a server in this folder, with a port of its own; sets $server and
# $port. Another program may take the port first: then the second try has another one. FOLDER.out has
# what it prints. $servers has all of them, for the end of the test.
servers=
begin_server()
{
	for _ in 1 2; do
		port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(
			LocalAddr => "127.0.0.1", Listen => 1)->sockport')
		(cd "$1" && exec "$FIO" --server="127.0.0.1,$port") >"$1.out" 2>&1 &
		server=$!
		waited=0
		while kill -0 $server 2>/dev/null && ! listens && [ $waited -lt 1200 ]; do
			sleep 0.1
			waited=$((waited + 1))
		done
		if listens && kill -0 $server 2>/dev/null; then
			servers="$servers $server"
			return
		fi
		kill $server 2>/dev/null
		wait $server
	done
	echo "1..0 # SKIP no fio server here: $(tail -n 1 "$1.out")"
	exit 0
}

# listens: true if $port does
listens()
{
	grep -q "^ *[0-9]*: 0100007F:$(printf %04X "$port") [0:]* 0A" /proc/net/tcp
}
trap 'for server in $servers; do kill $server 2>/dev/null; done; rm -rf "$scratch"' EXIT
