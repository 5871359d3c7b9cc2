/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of what a program in the kernel writes, as other CPUs and user space see it.
 *
 * The engine reads stamps, what others had in flight, the throttling and a sync without a
 * barrier. All that is written of an I/O is written before the kernel hands the I/O on: to the
 * driver, from the interrupt to the task, from the task to the completion ring. Each of these is a release that the next one
 * acquires; the last is the ring's tail, which the engine acquires before it reads the stamps. It
 * reads before it releases the tail of the submission ring, or enters the kernel, with the next
 * I/O of that index. A ring's base is written before its thread makes the ring.
 *
 * A task that waits adds itself to a queue, under a lock. So who wakes it finds all that was
 * written before, but not what is written as the task leaves its CPU. A sync stores last that
 * it sleeps, and who wakes it adds 0 to that first. Of a followed thread the time of a waking
 * may be lost at that instant. Then the time of the wake-up counts, for which the scheduler
 * holds the lock of the CPU's queue.
 *
 * A flush is over before the sync that waits for it is woken. Those of others may be seen some
 * ns late. Who has a handle in a transaction ends it before the commit, all under its locks.
 *
 * What is read while it may be written has a number or a time that tells so: turns, sleeps,
 * the history of a CPU. The reader acquires it. These programs have no loads that acquire, and
 * no stores that release: the verifier knows them from Linux 6.15 on. Atomic operations that
 * return a value are full barriers: on arm64 the kernel makes them LDADDAL, LDSETAL, SWPAL,
 * CASAL, or a loop that ends in DMB ISH. All accesses before come before its write, and all
 * accesses after come after it. An operation whose value nobody uses becomes STADD, which
 * orders nothing.
 * tests/cross/litmus/ has these cases, for herd7. x86-64 needs none of this.
 */
#ifndef TW_PLUGIN_KERNEL_ORDER_BPF_H
#define TW_PLUGIN_KERNEL_ORDER_BPF_H

/* Store, after all that was written before, and before all that follows. */
#define PUT_ORDERED(at, value)	((void)__sync_lock_test_and_set(at, value))

/* Add to a counter, in the same order, and return what it was. */
#define ADD_ORDERED(at, value) ({					\
	__typeof__(*(at)) was__ = __sync_fetch_and_add(at, value);	\
									\
	asm volatile("" : : "r"(was__));				\
	was__;								\
})

#endif
