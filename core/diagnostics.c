/* SPDX-License-Identifier: MIT */
/*
 * Calls the listener for what the library decides. Listener and context change
 * together, under a lock that is held while the listener runs. So a thread that
 * replaces the listener knows that the old one has returned. This is the only
 * global state of the library that changes, and no hot path reads it.
 */
#include "diagnostics.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void (*listener)(void *context, int level, const char *message);
static void *listener_context;

/* Whether to format at all. In a program without a listener the lock is never
 * taken. So a child that is forked meanwhile never inherits a held lock. */
static _Atomic int listening;

void tw_set_diagnostics(void (*say)(void *context, int level,
				    const char *message), void *context)
{
	pthread_rwlock_wrlock(&lock);
	listener = say;
	listener_context = context;
	atomic_store_explicit(&listening, say != NULL, memory_order_relaxed);
	pthread_rwlock_unlock(&lock);
}

void tw_say(enum tw_diagnostics_level level, const char *format, ...)
{
	int saved_errno = errno;
	char message[TW_SAY_SIZE];
	va_list args;

	if (!atomic_load_explicit(&listening, memory_order_relaxed))
		return;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	pthread_rwlock_rdlock(&lock);
	if (listener)
		listener(listener_context, (int)level, message);
	pthread_rwlock_unlock(&lock);
	errno = saved_errno;
}
