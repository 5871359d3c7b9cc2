#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tickwise prints by itself: its help, its version, and what it does with what it
# does not know. Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

golden none
golden help --help
golden short_help -h
golden version --version
golden command no-such-command
golden option --no-such-option
golden_done
