#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares what tickwise prints by itself: its help, its version, and its answers to
# what it does not know. Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

golden none
golden help --help
golden short_help -h
golden help_command help bench
golden help_unknown help no-such-command
golden version --version
golden short_version -V
golden command no-such-command
golden near chekc
golden help_help help help
golden help_help_option help --help
golden help_option --help bench
golden help_extra help bench check
golden version_extra --version x
golden option --no-such-option
golden_done
