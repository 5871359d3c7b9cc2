// SPDX-License-Identifier: GPL-2.0
/*
 * Names of io_uring's operations: see attach_names.h. The kernel never changes the numbers
 * of operations; newer kernels add operations.
 */
#include "attach/attach_names.h"

#include <stdio.h>

enum {
	READV = 1, WRITEV = 2, FSYNC = 3, READ_FIXED = 4, WRITE_FIXED = 5,
	SYNC_FILE_RANGE = 8, READ = 22, WRITE = 23, URING_CMD = 46,
	READV_FIXED = 60, WRITEV_FIXED = 61,
};

static const char *const names[] = {
	"nop", "readv", "writev", "fsync", "read_fixed", "write_fixed", "poll_add",
	"poll_remove", "sync_file_range", "sendmsg", "recvmsg", "timeout",
	"timeout_remove", "accept", "async_cancel", "link_timeout", "connect",
	"fallocate", "openat", "close", "files_update", "statx", "read", "write",
	"fadvise", "madvise", "send", "recv", "openat2", "epoll_ctl", "splice",
	"provide_buffers", "remove_buffers", "tee", "shutdown", "renameat",
	"unlinkat", "mkdirat", "symlinkat", "linkat", "msg_ring", "fsetxattr",
	"setxattr", "fgetxattr", "getxattr", "socket", "uring_cmd", "send_zc",
	"sendmsg_zc", "read_multishot", "waitid", "futex_wait", "futex_wake",
	"futex_waitv", "fixed_fd_install", "ftruncate", "bind", "listen", "recv_zc",
	"epoll_wait", "readv_fixed", "writev_fixed", "pipe",
};

const char *tw_attach_operation(uint8_t opcode)
{
	static __thread char number[16];

	if (opcode < sizeof(names) / sizeof(*names))
		return names[opcode];
	snprintf(number, sizeof(number), "opcode %u", opcode);
	return number;
}

unsigned tw_attach_direction(uint8_t opcode)
{
	switch (opcode) {
	case READV:
	case READ_FIXED:
	case READ:
	case READV_FIXED:
		return TW_READ;
	case WRITEV:
	case WRITE_FIXED:
	case WRITE:
	case WRITEV_FIXED:
		return TW_WRITE;
	case FSYNC:
	case SYNC_FILE_RANGE:
		return TW_SYNC;
	case URING_CMD:
		return TW_ATTACH_COMMAND;
	default:
		return TW_ATTACH_OTHER;
	}
}
