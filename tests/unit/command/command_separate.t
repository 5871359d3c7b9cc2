#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `tickwise attach` and `tickwise kernel-helper` become programs of their own: next
# to the program, or in ../lib/tickwise, with unchanged arguments, streams and exit
# code. If there is none: one line, but --help works. Fails if an argument is lost
# or changed, if SIGPIPE stays ignored, or if a missing program is no error.
. "$(dirname "$0")/../../tap.sh"

installed=$(cat "${TW_BUILD:-$root/build}/engine_dir")
mkdir -p "$scratch/tree/bin" "$scratch/tree/lib/tickwise"
cp "$tickwise" "$scratch/tree/bin/tickwise"
tickwise=$scratch/tree/bin/tickwise
places="$scratch/tree/bin $scratch/tree/lib/tickwise"

for name in attach kernel-helper; do
	if [ -e "$installed/tickwise-$name" ]; then
		tap_count=$((tap_count + 1))
		echo "ok $tap_count # SKIP one is installed in $installed"
	else
		run "$name"
		is "$status $(wc -c <"$out")" '66 0' "no tickwise-$name: exit code 66"
		is "$(sed 's/ next to.*//' "$err")" \
			"tickwise $name: no tickwise-$name" 'and one line'
		run "$name" --help
		is "$status $(head -n 1 "$out" | cut -d ' ' -f -3) $(cat "$err")" \
			"0 usage: tickwise $name " 'its help without it'
		run help "$name"
		is "$status $(head -n 1 "$out" | cut -d ' ' -f -3) $(cat "$err")" \
			"0 usage: tickwise $name " 'help on it without it'
		run "$name" --no-such-option
		is "$status" 64 'an unknown option is known to be one'
	fi
	for place in $places; do
		cat >"$place/tickwise-$name" <<'END'
#!/bin/sh
printf '<%s>\n' "$@"
sed -n 's/^SigIgn:.*\(.\)...$/\1/p' /proc/self/status
cat >&2
exit 42
END
		chmod 755 "$place/tickwise-$name"
		echo 'its input' | env --default-signal=PIPE "$tickwise" "$name" -- 'a  b' '' \
			--help '*' >"$out" 2>"$err"
		is "$?" 42 "$name in ${place##*/}: its exit code"
		is "$(tr '\n' ' ' <"$out")" '<--> <a  b> <> <--help> <*> 0 ' \
			'its arguments, and SIGPIPE is not ignored'
		is "$(cat "$err")" 'its input' 'its streams'
		rm "$place/tickwise-$name"
	done
	echo 'nothing' >"$scratch/tree/bin/tickwise-$name"
	chmod 711 "$scratch/tree/bin/tickwise-$name"
	: >"$scratch/tree/bin/tickwise-$name"
	run "$name"
	is "$status $(wc -l <"$err")" '70 1' 'what is no program: one line'
	has "$err" "tickwise $name: can't run " 'which says so'
	rm "$scratch/tree/bin/tickwise-$name"
done
done_testing
