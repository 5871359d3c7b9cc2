# SPDX-License-Identifier: GPL-2.0
#
# Print the options of a fio's source, and the member of struct thread_options that each
# one sets, as a table for fio_layout.c:
#
#	awk -f plugin/fio/fio-options.awk TREE/options.c
#
# An option inside #if is not in every fio that is made of this source.

/^struct fio_option fio_options\[/ { is_table = 1 }
!is_table { next }
/^};/ { exit }
/^#[ \t]*if/ { depth++ }
/^#[ \t]*endif/ { depth-- }
/^\t\t\.name[ \t]*=/ {
	split($0, parts, "\"")
	name = parts[2]
	is_optional = depth > 0
}
/^\t\t\.off1[ \t]*= *offsetof\(struct thread_options,/ {
	member = $0
	sub(/.*thread_options, */, "", member)
	sub(/\).*/, "", member)
	printf "{ \"%s\", offsetof(struct thread_options, %s), %d },\n", name, member, is_optional
}
