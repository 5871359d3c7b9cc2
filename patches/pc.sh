#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Print a tickwise.pc, with which fio's configure finds a library that is built, but not
# installed:
#
#	patches/pc.sh LIBRARY
#
# LIBRARY is a directory with libtickwise.a and include/tickwise.h.
set -eu

library=$(cd "$1" && pwd)
cat <<END
Name: Tickwise
Description: time by the CPU's own counter
Version: $(sed -n 's/^#define TW_VERSION[^"]*"\(.*\)"/\1/p' \
	"$library/include/tickwise.h")
Libs: -L$library -l:libtickwise.a
Cflags: -I$library/include
END
