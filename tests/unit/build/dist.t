#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make dist` packs the same files into the same bytes, wherever they are, whenever
# they were written, and whoever may read them. Built files are left out. Fails if a
# time, an owner, a folder or the order of the files gets into the archive.

. "$(dirname "$0")/../../tap.sh"

# tree NAME UMASK TIME FILE...: makes a small tree with these files, written in this order
tree()
{
	dir=$scratch/$1
	mkdir -p "$dir/.ci" "$dir/debian" "$dir/b/c" "$dir/build"
	cp "$root/.ci/dist" "$dir/.ci/"
	cp "$root/debian/changelog" "$dir/debian/"
	(
		umask "$2"
		time=$3
		shift 3
		for file; do
			rm -f "$dir/$file"
			echo "$file" >"$dir/$file"
			touch -d "@$time" "$dir/$file"
		done
		chmod 700 "$dir/b/run"
	)
	chmod -R g-w "$dir"
	echo x >"$dir/build/x"
	(cd / && "$dir/.ci/dist" tickwise-1 "$scratch/$1.tar.gz") >"$out" 2>"$err"
	is "$? $(cat "$out" "$err")" '0 ' "$1: packs it"
}

tree one 022 1000000 a b/run 'b/a name'
tree elsewhere 077 2000000 'b/a name' b/run a
cmp "$scratch/one.tar.gz" "$scratch/elsewhere.tar.gz" >"$out" 2>&1
ok $? 'the same bytes'
is "$(tar -tzf "$scratch/one.tar.gz" | tr '\n' ' ')" "tickwise-1/.ci/dist tickwise-1/a \
tickwise-1/b/a name tickwise-1/b/run tickwise-1/debian/changelog " 'of all but what is built'
mkdir "$scratch/unpacked"
tar -C "$scratch/unpacked" -xpzf "$scratch/one.tar.gz"
is "$(cd "$scratch/unpacked/tickwise-1" && stat -c '%a' a b/run | tr '\n' ' ')" \
	'644 755 ' 'which everybody may read'

if command -v git >/dev/null; then
	(cd "$scratch/one" && git init -q && git add a b/run .ci debian) >"$out" 2>&1
	rm "$scratch/one/b/run"
	"$scratch/one/.ci/dist" tickwise-1 "$scratch/known.tar.gz" >"$out" 2>"$err"
	is "$? $(tar -tzf "$scratch/known.tar.gz" | tr '\n' ' ')" "0 tickwise-1/.ci/dist \
tickwise-1/a tickwise-1/debian/changelog " 'in a clone: of what git knows and is there'
else
	skip 'no git'
fi
done_testing
