// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: the wall clock of the process is off by the whole seconds that stand in the file $CLOCK_STEP, and waits
// until a wall time end as the kernel's would. The steady clock is left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLICE 20000000L /* ns; how often a wait looks at the clock */

static long step(void) {
  char text[32] = {0};
  int file = open(getenv("CLOCK_STEP"), O_RDONLY);
  if (file < 0) return 0;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  return size > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (!failed && clock == CLOCK_REALTIME) now->tv_sec += step();
  return failed;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

static int before(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  static int (*wait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  if (!wait) wait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!wait) wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  if (until->tv_sec < 1000000000) return wait(condition, mutex, until); /* of a condition on the steady clock */
  for (;;) {
    struct timespec now, next, left = *until;
    clock_gettime(CLOCK_REALTIME, &now);
    if (!before(&now, until)) return ETIMEDOUT;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &next);
    next.tv_nsec += SLICE;
    if (next.tv_nsec >= 1000000000L) { next.tv_nsec -= 1000000000L; next.tv_sec++; }
    left.tv_sec -= step();
    int ended = wait(condition, mutex, before(&left, &next) ? &left : &next);
    if (ended != ETIMEDOUT) return ended;
  }
}
