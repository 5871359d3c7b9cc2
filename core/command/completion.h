/* SPDX-License-Identifier: MIT */
/*
 * Prints scripts for shells that complete command lines. The scripts are
 * printed when the program is built, and installed with it.
 */
#ifndef TW_COMMAND_COMPLETION_H
#define TW_COMMAND_COMPLETION_H

#include <stdio.h>

#include "command/command.h"

void tw_completion_print_bash(const struct tw_command *commands, FILE *out);
void tw_completion_print_zsh(const struct tw_command *commands, FILE *out);

#endif
