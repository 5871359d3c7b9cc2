/* SPDX-License-Identifier: MIT */
/*
 * Bytes as text: see base64.h.
 */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits64[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tw_base64_put(char *text, const unsigned char *bytes, size_t size)
{
	char *at = text;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;

		three |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < size ? bytes[i + 2] : 0;
		*at++ = digits64[three >> 18];
		*at++ = digits64[three >> 12 & 63];
		*at++ = i + 1 < size ? digits64[three >> 6 & 63] : '=';
		*at++ = i + 2 < size ? digits64[three & 63] : '=';
	}
	return (size_t)(at - text);
}

size_t tw_base64_get(unsigned char *bytes, const char *text, size_t length)
{
	size_t padding = 0, size;
	uint32_t bits = 0;

	while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
		padding++;
	if (length % 4)
		return 0;
	size = length / 4 * 3 - padding;
	for (size_t i = 0; i < length; i++) {
		const char *digit = i < length - padding ? memchr(digits64, text[i], 64) :
							   digits64;

		if (!digit)
			return 0;
		bits = bits << 6 | (uint32_t)(digit - digits64);
		if (i % 4 != 3)
			continue;
		bytes[i / 4 * 3] = (unsigned char)(bits >> 16);
		bytes[i / 4 * 3 + 1] = (unsigned char)(bits >> 8);
		bytes[i / 4 * 3 + 2] = (unsigned char)bits;
	}
	/* Of the last digit, bits that no byte has are 0. */
	return bits & ((1U << 8 * padding) - 1) ? 0 : size;
}
