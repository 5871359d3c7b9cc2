/* SPDX-License-Identifier: MIT */
/*
 * Prints how NTP steers CLOCK_MONOTONIC and CLOCK_REALTIME now, for peers.sh. It
 * prints nothing if they run at the rate of CLOCK_MONOTONIC_RAW.
 */
#include <stdio.h>
#include <sys/timex.h>

int main(void)
{
	struct timex now = { 0 };

	if (adjtimex(&now) < 0) {
		perror("adjtimex");
		return 1;
	}
	/* freq is in 2^-16 ppm. A tick is 10000 us: one more is 100 ppm. */
	if (now.freq || now.offset || now.tick != 10000)
		printf("NTP steers by %+.3f ppm, with %ld %s to go\n",
		       (double)now.freq / 65536 + (double)(now.tick - 10000) * 100,
		       now.offset, now.status & STA_NANO ? "ns" : "us");
	return 0;
}
