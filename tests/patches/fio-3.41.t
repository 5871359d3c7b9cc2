#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The series for fio 3.41, put together of others' patches: see steps.sh. Fails
# when a patch does not apply, or with all of them fio does not build or breaks
# its own tests, an engine or a report.

series=fio-3.41
only_all=yes
. "$(dirname "$0")/steps.sh"
