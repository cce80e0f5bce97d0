/* Makes calls on files in one folder fail, and steps the time of day, for the processes of a run.
 *
 * The processes load this library by LD_PRELOAD. They share a page of memory, mapped from a file, which says what holds
 * now. So a fault begins and ends in all processes at once. The page holds:
 *
 *   int32 error      the error number with which calls on files in the folder fail; 0: no call fails
 *   int32 reads      whether calls that only read fail too
 *   int64 offset_s   seconds that are added to the time of day, for calls by the Python interpreter only. Waits in C++
 *                    until a time of day are done by the kernel, which does not know the offset: they would last as
 *                    much longer as the offset is.
 *
 * MH_CHAOS_PAGE names the file, MH_CHAOS_FOLDER the folder. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct page {
  volatile int32_t error;
  volatile int32_t reads;
  volatile int64_t offset_s;
};

static struct page nothing;
static struct page *page = &nothing;
static char folder[PATH_MAX];
static size_t folder_length;
static void *interpreter;
/* The address at which the program is loaded, if the program is Python: dladdr has no library name for it. */

static int resolve(char *to, const char *link) {
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, to, PATH_MAX - 1);
  if (length < 0) return 0;
  to[length] = 0;
  return 1;
}

static int is_python(const char *path) {
  const char *name = strrchr(path, '/');
  name = name ? name + 1 : path;
  return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *shared = getenv("MH_CHAOS_PAGE"), *inside = getenv("MH_CHAOS_FOLDER");
  if (!shared || !inside || strlen(inside) >= sizeof folder) return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, shared, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct page), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) return;
  strcpy(folder, inside);
  folder_length = strlen(folder);
  page = mapped;
  char program[PATH_MAX];
  Dl_info found;
  if (resolve(program, "/proc/self/exe") && is_python(program) && dladdr((void *)getauxval(AT_ENTRY), &found))
    interpreter = found.dli_fbase;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* ------------------------------------------------------------------ files */
static int is_inside(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || !path[folder_length]);
}

static int fd_inside(int fd) {
  char link[40], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return resolve(path, link) && is_inside(path);
}

static int path_inside(int at, const char *path) {
  char from[PATH_MAX], whole[2 * PATH_MAX];
  if (!path) return 0;
  if (path[0] == '/') return is_inside(path);
  if (at == AT_FDCWD) {
    if (!resolve(from, "/proc/self/cwd")) return 0;
  } else {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    if (!resolve(from, link)) return 0;
  }
  snprintf(whole, sizeof whole, "%s/%s", from, path);
  return is_inside(whole);
}

/* Whether a call must fail now. `only_reads`: the call changes nothing. If it need not fail, errno stays as it was. */
#define FAILS(inside, only_reads) (page->error && (!(only_reads) || page->reads) && kept_inside(inside))
#define kept_inside(inside) ({ int before = errno; int found = (inside); errno = before; found; })
#define FAIL(value) do { errno = page->error ? page->error : EIO; return value; } while (0)

#define CHANGES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND))

static mode_t mode_of(int flags, va_list rest) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = mode_of(flags, rest); \
    va_end(rest); \
    if (FAILS(path_inside(AT_FDCWD, path), !CHANGES(flags))) FAIL(-1); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = mode_of(flags, rest); \
    va_end(rest); \
    if (FAILS(path_inside(at, path), !CHANGES(flags))) FAIL(-1); \
    return real(at, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name) \
  FILE *name(const char *path, const char *mode) { \
    REAL(name); \
    if (FAILS(path_inside(AT_FDCWD, path), !strpbrk(mode, "wa+"))) FAIL(NULL); \
    return real(path, mode); \
  }
FOPEN(fopen)
FOPEN(fopen64)

#define CALL(result, name, parameters, arguments, inside, only_reads, failed) \
  result name parameters { \
    REAL(name); \
    if (FAILS(inside, only_reads)) FAIL(failed); \
    return real arguments; \
  }
#define OF_FD(result, name, parameters, arguments, only_reads) \
  CALL(result, name, parameters, arguments, fd_inside(fd), only_reads, -1)
#define OF_PATH(name, parameters, arguments, inside) CALL(int, name, parameters, arguments, inside, 0, -1)

OF_FD(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), 0)
OF_FD(ssize_t, writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), 0)
OF_FD(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), 0)
OF_FD(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), 0)
OF_FD(int, ftruncate, (int fd, off_t size), (fd, size), 0)
OF_FD(int, ftruncate64, (int fd, off64_t size), (fd, size), 0)
OF_FD(int, fsync, (int fd), (fd), 1)
OF_FD(int, fdatasync, (int fd), (fd), 1)
OF_FD(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size), 1)
OF_FD(ssize_t, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at), 1)
OF_FD(ssize_t, pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at), 1)
CALL(DIR *, opendir, (const char *path), (path), path_inside(AT_FDCWD, path), 1, NULL)

OF_PATH(mkdir, (const char *path, mode_t mode), (path, mode), path_inside(AT_FDCWD, path))
OF_PATH(mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), path_inside(at, path))
OF_PATH(rmdir, (const char *path), (path), path_inside(AT_FDCWD, path))
OF_PATH(unlink, (const char *path), (path), path_inside(AT_FDCWD, path))
OF_PATH(unlinkat, (int at, const char *path, int flags), (at, path, flags), path_inside(at, path))
OF_PATH(chmod, (const char *path, mode_t mode), (path, mode), path_inside(AT_FDCWD, path))
OF_PATH(link, (const char *from, const char *to), (from, to), path_inside(AT_FDCWD, to))
OF_PATH(symlink, (const char *from, const char *to), (from, to), path_inside(AT_FDCWD, to))
OF_PATH(rename, (const char *from, const char *to), (from, to),
        path_inside(AT_FDCWD, from) || path_inside(AT_FDCWD, to))
OF_PATH(renameat, (int at, const char *from, int there, const char *to), (at, from, there, to),
        path_inside(at, from) || path_inside(there, to))

/* ------------------------------------------------------------------ time */
static int by_interpreter(void *caller) {
  Dl_info found;
  if (!dladdr(caller, &found)) return 0;
  return found.dli_fbase == interpreter || (found.dli_fname && is_python(found.dli_fname));
}

#define STEPPED() (page->offset_s && by_interpreter(__builtin_return_address(0)))

int clock_gettime(clockid_t clock, struct timespec *now) {
  REAL(clock_gettime);
  int failed = real(clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && STEPPED()) now->tv_sec += page->offset_s;
  return failed;
}

int gettimeofday(struct timeval *now, void *zone) {
  REAL(gettimeofday);
  int failed = real(now, zone);
  if (!failed && STEPPED()) now->tv_sec += page->offset_s;
  return failed;
}

time_t time(time_t *to) {
  REAL(time);
  time_t now = real(NULL);
  if (STEPPED()) now += page->offset_s;
  if (to) *to = now;
  return now;
}
