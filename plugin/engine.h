/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's hooks for fio, and the parts from which command.c makes its own hooks.
 */
#ifndef TW_PLUGIN_ENGINE_H
#define TW_PLUGIN_ENGINE_H

#include "job_state.h"

/* tickwise.c or command.c: which engine this library is. */
extern const bool tw_engine_commands;

/* A system call in place of an operation of the ring. */
typedef int tw_call(struct thread_data *td, struct io_u *io_u);
tw_call tw_call_trim;

/* engine.c */
int tw_prep(struct thread_data *td, struct io_u *io_u);
enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u);
int tw_commit(struct thread_data *td);
int tw_getevents(struct thread_data *td, unsigned min, unsigned max,
		 const struct timespec *t);
struct io_u *tw_event(struct thread_data *td, int event);
struct io_uring_sqe *tw_prep_entry(struct tw_job *job, const struct io_u *io_u);
void tw_prep_done(struct thread_data *td, struct tw_job *job, const struct io_u *io_u);
enum fio_q_status tw_requeue(struct tw_job *job, const struct io_u *io_u);
enum fio_q_status tw_queue_call(struct thread_data *td, struct io_u *io_u, tw_call *call);
enum fio_q_status tw_queue_entry(struct thread_data *td, struct io_u *io_u);
struct io_u *tw_event_at(const struct tw_job *job, int event, int *result);
void tw_event_done(struct thread_data *td, struct tw_job *job, struct io_u *io_u,
		   int event);

/* engine_job.c. tw_try() logs why a ring can't be made. */
int tw_init(struct thread_data *td);
int tw_post_init(struct thread_data *td);
int tw_io_u_init(struct thread_data *td, struct io_u *io_u);
void tw_cleanup(struct thread_data *td);
int tw_open_file(struct thread_data *td, struct fio_file *f);
int tw_close_file(struct thread_data *td, struct fio_file *f);
int tw_try(struct thread_data *td);

/* ring.c: return 0 or -errno. tw_ring_set_up() and tw_ring_register() log why. */
int tw_ring_set_up(struct thread_data *td, struct tw_job *job);
int tw_ring_register(struct thread_data *td, struct tw_job *job);
void tw_ring_tear_down(struct tw_job *job);
const char *tw_ring_failure(int error);

#endif
