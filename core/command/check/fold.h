/* SPDX-License-Identifier: MIT */
/*
 * Text on stdout that no terminal of 80 columns breaks.
 */
#ifndef TW_CHECK_FOLD_H
#define TW_CHECK_FOLD_H

/**
 * tw_check_fold - print a paragraph, its lines no longer than 79 columns
 * @indent: blanks before every line but the first
 *
 * Lines end between words; a word that is too long alone stands alone. Bytes
 * are counted, not characters.
 */
void tw_check_fold(unsigned indent, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
