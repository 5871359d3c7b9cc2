#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests the series for fio HEAD; see steps.sh. Fails if a patch does not apply or
# build on the one before, or breaks fio's own tests, an engine or a report.

series=fio-HEAD
. "$(dirname "$0")/steps.sh"
