/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of what a program in the kernel writes, as other CPUs and user space see it.
 *
 * The engine reads without a barrier: stamps, what others had in flight, throttling, a sync.
 * All that is written of an I/O is written before the kernel hands the I/O on: to the driver,
 * from the interrupt to the task, from the task to the completion ring. Each of these is a
 * release that the next one acquires. The last is the ring's tail, which the engine acquires
 * before it reads the stamps. The engine reads before it releases the tail of the submission
 * ring, or enters the kernel, with the next I/O of that index. A ring's base is written before
 * its thread makes the ring.
 *
 * A task that waits adds itself to a queue, under a lock. The task that wakes it finds all that
 * was written before this, but not what is written while the sleeper leaves its CPU. So a sync
 * stores the time of its sleep last, and the task that wakes it first adds 0 to that time. The
 * time at which a followed thread is being woken may be lost at that instant. Then the time of
 * the wakeup counts, for which the scheduler holds the lock of the CPU's queue.
 *
 * A flush is over before the sync that waits for it is woken. The end of another flush may be
 * seen some ns late. A task ends its handle in a transaction before the commit, under the locks
 * of the transaction.
 *
 * What is read while it may be written has a number or a time that tells so: periods off the
 * CPU, sleeps, the history of a CPU. The reader acquires it. These programs have no loads that
 * acquire, and no stores that release: the verifier knows them from Linux 6.15 on. Atomic
 * operations that return a value are full barriers: on arm64 the kernel makes them LDADDAL,
 * LDSETAL, SWPAL, CASAL, or a loop that ends in DMB ISH. All accesses before come before its
 * write, and all accesses after come after it. An operation whose value nobody uses becomes
 * STADD, which orders nothing.
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
