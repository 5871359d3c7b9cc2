#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/memory core/memory/command
#
# Compares all that tickwise memlat prints, with memory that takes what is recorded.
# Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

golden_on reliable help memlat --help
golden_on reliable page memlat
golden_on unreliable guest memlat --max=64M --steps=1 --html=guest.html
golden_file guest.html guest.html
golden_on reliable json memlat --json --max=4M --steps=1 --html=page.html
golden_file page.html page.html
golden_on reliable csv memlat --csv --max=64M --steps=1 --curves=random,page \
	--pages=small,transparent
golden_on undecided no_caches memlat --max=1M --curves=window --cpu=1 --node=0
golden_on unreliable node_json memlat --json --max=16K --steps=1 --node=1 \
	--curves=sequential
golden_on reliable seed_table memlat --seed-table
golden_on reliable seed_table_json memlat --seed-table --json
golden_on too_busy too_busy memlat
golden_on disabled disabled memlat
TW_MACHINE=reliable
usage_errors memlat <<'LINES'
--jsn
file
--min=0
--max=1X
--min=2M --max=1M
--stride=12
--window=5000
--passes=65
--steps=2.5
--point=0
--batch=9
--cpu=-1
--cpu=9
--node=x
--node=5
--curves=random,rnadom
--pages=
--pages=reserved
--max=64T
--html=none/page.html
LINES
golden_done
