#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# Calls are counted exactly, where they happen: in recursion, after longjmp, in
# signal handlers on their own stack, in loaded objects, in children of fork. So
# they are in threads, also those that end by pthread_exit(), and in what
# destructors of threads call. The example that users are shown builds as they build
# it, without a warning. Fails if a call is lost, or counted for another process, if the
# C library's own empty hooks are used, or if the example does not follow the header.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

# ---- the example ----
compile gcc words -std=c11 -Wall -Wextra -pedantic -Werror \
	<"$root/core/example/profile.c"
record '' "$scratch/words"
is "$program_status $status $(wc -l <"$scratch/program_out")" '0 0 3' 'the example: runs'
calls make_word 200000 find 200000 hash 200000 build 1
record '' "$scratch/words" more
calls find 200000

# ---- longjmp and recursion ----
compile gcc jumps <<'END'
#include <setjmp.h>
#define BARE __attribute__((noinline))
static jmp_buf back;
static volatile int sink;
static BARE void deepest(void) { sink++; longjmp(back, 1); }
static BARE void middle(void) { deepest(); sink++; }
static BARE void after(void) { sink++; }
static BARE int jump(int left)
{
	if (setjmp(back) == 0)
		middle();
	after();
	if (left)
		jump(left - 1);
	sink++;
	return sink;
}
int main(void) { jump(9); after(); return 0; }
END
record '' "$scratch/jumps"
is "$program_status $status" '0 0' 'jumps: runs'
calls main 1 jump 10 middle 10 deepest 10 after 11
is "$(field middle 5) $(field deepest 5) $(field jump 5)" '10 10 0' \
	'those jumped over are left, the others are not'

compile gcc walks <<'END'
static volatile int sink;
static __attribute__((noinline)) void walk(int left)
{
	sink++;
	if (left) {
		walk(left - 1);
		walk(left - 1);
	}
}
int main(void) { walk(9); return 0; }
END
record '' "$scratch/walks"
calls walk 1023
is "$(field walk 5) $(grep -c '^dropped 0 0 0 0 ' "$scratch/profile")" '0 1' \
	'a function that calls itself last leaves no call'

# ---- link-time optimization ----
compile gcc optimized -flto <<'END'
static __attribute__((noinline)) int work(int n) { return n + 1; }
int main(void) { int n = 0; while (n < 5) n = work(n); return n != 5; }
END
record '' "$scratch/optimized"
calls main 1 work 5

# ---- threads ----
compile gcc threads <<'END'
#include <pthread.h>
#include <stdlib.h>
#define BARE __attribute__((noinline))
static pthread_key_t key;
static volatile int sink;
static BARE void work(void) { sink++; }
static BARE void destroyed(void *x) { (void)x; work(); }
static BARE void *thread(void *how)
{
	pthread_setspecific(key, &key);
	for (int i = 0; i < 10000; i++)
		work();
	if (how)
		pthread_exit(NULL);
	return NULL;
}
int main(void)
{
	pthread_t threads[64];

	pthread_key_create(&key, destroyed);
	for (int round = 0; round < 2; round++) {
		for (long i = 0; i < 64; i++)
			pthread_create(&threads[i], NULL, thread,
				       i % 2 ? threads : NULL);
		for (int i = 0; i < 64; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
END
record '' "$scratch/threads"
is "$program_status $status" '0 0' 'threads: runs'
calls thread 128 destroyed 128 work 1280128
is "$(field thread 5)" 64 'half of them left by pthread_exit()'
is "$(grep -c '^dropped 0 0 0 0 ' "$scratch/profile")" 1 'nothing is dropped'

# ---- threads that have ended, and threads that wait at the end ----
compile gcc waiting <<'END'
#include <pthread.h>
#include <unistd.h>
#define BARE __attribute__((noinline))
static pthread_barrier_t barrier;
static volatile int sink;
static BARE void work(void) { sink++; }
static BARE void waits(void)
{
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
}
static BARE void *ends(void *x) { work(); work(); return x; }
static BARE void *stays(void *x) { waits(); return x; }
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, ends, NULL);
	pthread_join(thread, NULL);
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_create(&thread, NULL, stays, NULL);
	pthread_create(&thread, NULL, stays, NULL);
	pthread_barrier_wait(&barrier);
	return 0;
}
END
record events "$scratch/waiting"
is "$program_status $status" '0 0' 'waiting: runs'
is "$(field waits 6) $(field stays 6) $(field ends 6)" '2 2 0' \
	'what two threads are in has not returned twice'
is "$(grep -c '^event ' "$scratch/profile")" 4 \
	'events of a thread that has ended, and of main'

# ---- loaded objects ----
compile gcc loaded.so -shared -fPIC <<'END'
static __attribute__((noinline)) int inner(int x) { return x + 1; }
int outer(int x);
int outer(int x) { return inner(x) + inner(x + 1); }
END
cat >"$scratch/host.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int round = 0; round < 3; round++) {
		void *object = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*outer)(int);

		if (!object)
			return 1;
		*(void **)&outer = dlsym(object, "outer");
		for (int i = 0; i < 100; i++)
			argc += outer(i);
		dlclose(object);
	}
	return argc == 0;
}
END
gcc -O2 -o "$scratch/host" "$scratch/host.c" -ldl
record '' "$scratch/host" "$scratch/loaded.so"
is "$program_status $status" '0 0' 'a plain program loads one: runs'
calls outer 300 inner 600

# ---- signals ----
compile gcc signals <<'END'
#include <signal.h>
#include <stdlib.h>
#define BARE __attribute__((noinline))
static volatile int sink;
static BARE void in_handler(void) { sink++; }
static BARE void handler(int number) { (void)number; in_handler(); }
static BARE void raiser(void) { raise(SIGUSR1); sink++; }
static BARE void outer(void) { raiser(); sink++; }
int main(void)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 1000; i++)
		outer();
	return 0;
}
END
record '' "$scratch/signals"
is "$program_status $status" '0 0' 'signals: runs'
calls handler 1000 in_handler 1000 outer 1000
is "$(field outer 5) $(field raiser 5)" '0 0' \
	"a handler on its own stack ends nobody's call"

# ---- fork ----
compile gcc forks <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define BARE __attribute__((noinline))
static volatile int sink;
static BARE void before(void) { sink++; }
static BARE void child_only(void) { sink++; }
static BARE void after(void) { sink++; }
int main(void)
{
	pid_t child;

	for (int i = 0; i < 7; i++)
		before();
	child = fork();
	if (child == 0)
		for (int i = 0; i < 5; i++)
			child_only();
	else
		waitpid(child, NULL, 0);
	after();
	exit(0);
}
END
record '' "$scratch/forks"
is "$program_status $status" '0 0' 'fork: runs'
calls before 7 child_only none after 1
set -- "$scratch"/profile.[0-9]*
is "$#" 1 'the child has a file of its own'
run profile --csv "$1"
cp "$out" "$csv"
is "$(field before 3) $(field child_only 3) $(field after 3) $(field main 3)" \
	'0 5 1 0' 'with what it called itself'
run profile -- "$scratch/forks"
is "$(cat "$err")" 'tickwise profile: 1 process that it forked is not shown: --keep=FILE keeps its '\
'in FILE.PID' 'a run tells of it'

# ---- C++ ----
if command -v g++ >/dev/null; then
	compile g++ throws <<'END'
#include <stdexcept>
#define BARE __attribute__((noinline))
static volatile int sink;
struct Local { BARE ~Local() { sink = sink + 1; } };
BARE static void thrower(int x) { if (x >= 0) throw std::runtime_error("x"); }
BARE static void middle(int x) { Local local; thrower(x); sink = sink + 1; }
BARE static void after() { sink = sink + 1; }
int main()
{
	for (int i = 0; i < 50; i++) {
		try { middle(i); } catch (const std::exception &) { }
		after();
	}
}
END
	record '' "$scratch/throws"
	is "$program_status $status" '0 0' 'exceptions: runs'
	calls main 1 thrower 50 middle 50 after 50 Local::~Local 50
fi
done_testing
