/*
 * Stands between a process and its disk (LD_PRELOAD). For files below SHIM_ROOT it
 *  - writes every change, flush and answer to SHIM_JOURNAL in the order in which they happened, and
 *  - makes the calls number SHIM_FAIL_FROM to SHIM_FAIL_TO fail with SHIM_FAIL_ERRNO; 0 makes a write write only half.
 *    Only calls of the kinds in SHIM_FAIL_CALLS are counted: w(rite), s(ync), t(runcate), n(ame), o(pen), l(ock).
 * A record: kind (1 byte), path length (4), offset (8), data length (4), path, data; numbers as the machine has them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 'w', TRUNCATE = 't', FLUSH = 'f', CREATE = 'c', REMOVE = 'u', RENAME = 'r', ANSWER = 'a', FOLDER = 'd', COUNTED = 'n' };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root;
static size_t root_length;
static int journal = -1;
static long calls, fail_from, fail_to, fail_errno;
static const char *fail_calls;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_open)(const char *, int, ...);
static int (*real_mkdir)(const char *, mode_t);
static int (*real_fcntl)(int, int, ...);

static long number(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

__attribute__((constructor)) static void begin(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_open = dlsym(RTLD_NEXT, "open64");
  real_mkdir = dlsym(RTLD_NEXT, "mkdir");
  real_fcntl = dlsym(RTLD_NEXT, "fcntl64");
  if (real_fcntl == NULL) real_fcntl = dlsym(RTLD_NEXT, "fcntl");
  root = getenv("SHIM_ROOT");
  root_length = root == NULL ? 0 : strlen(root);
  const char *path = getenv("SHIM_JOURNAL");
  if (path != NULL) journal = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  fail_from = number("SHIM_FAIL_FROM");
  fail_to = number("SHIM_FAIL_TO");
  fail_errno = number("SHIM_FAIL_ERRNO");
  fail_calls = getenv("SHIM_FAIL_CALLS");
}

static int is_watched(const char *path) {
  return root_length > 0 && strncmp(path, root, root_length) == 0;
}

/* The path behind a descriptor, if it is one of ours. */
static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 4095);
  if (length < 0) return 0;
  path[length] = 0;
  return is_watched(path);
}

static void put(char kind, const char *path, int64_t offset, const void *data, uint32_t length) {
  if (journal < 0) return;
  char head[17];
  uint32_t path_length = strlen(path);
  head[0] = kind;
  memcpy(head + 1, &path_length, 4);
  memcpy(head + 5, &offset, 8);
  memcpy(head + 13, &length, 4);
  struct iovec parts[] = {{head, 17}, {(void *)path, path_length}, {(void *)data, length}};
  /* One call, so that the records of several processes do not mix. */
  if (real_writev(journal, parts, 3) < 0) abort();
}

/* Whether this call is one of those that have to fail. */
static int fails(char kind) {
  if (fail_calls == NULL || strchr(fail_calls, kind) == NULL) return 0;
  pthread_mutex_lock(&lock);
  long call = ++calls;
  pthread_mutex_unlock(&lock);
  /* Says how many there were: the test has to know which numbers it can choose from. */
  if (fail_from == 0) put(COUNTED, "", call, NULL, 0);
  if (fail_from == 0 || call < fail_from || call > fail_to) return 0;
  errno = fail_errno;
  return 1;
}

/* How much of a write is to be done; nothing if it has to fail. */
static size_t length_of_write(size_t length) {
  if (!fails('w')) return length;
  return fail_errno == 0 ? (length + 1) / 2 : 0;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset) {
  char path[4096];
  if (!path_of(fd, path)) return real_pwrite(fd, data, length, offset);
  if ((length = length_of_write(length)) == 0) return -1;
  put(WRITE, path, offset, data, length);
  return real_pwrite(fd, data, length, offset);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return pwrite64(fd, data, length, offset);
}

ssize_t write(int fd, const void *data, size_t length) {
  char path[4096];
  if (fd == 1) put(ANSWER, "", 0, data, length);
  if (!path_of(fd, path)) return real_write(fd, data, length);
  if ((length = length_of_write(length)) == 0) return -1;
  off_t offset = lseek(fd, 0, SEEK_CUR);
  if (fcntl(fd, F_GETFL) & O_APPEND) offset = lseek(fd, 0, SEEK_END);
  put(WRITE, path, offset, data, length);
  return real_write(fd, data, length);
}

int ftruncate64(int fd, off_t length) {
  char path[4096];
  if (!path_of(fd, path)) return real_ftruncate(fd, length);
  if (fails('t') && fail_errno != 0) return -1;
  put(TRUNCATE, path, length, NULL, 0);
  return real_ftruncate(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int flush(int fd, int (*real)(int)) {
  char path[4096];
  if (!path_of(fd, path)) return real(fd);
  if (fails('s') && fail_errno != 0) return -1;
  int result = real(fd);
  if (result == 0) put(FLUSH, path, 0, NULL, 0);
  return result;
}

int fsync(int fd) { return flush(fd, real_fsync); }
int fdatasync(int fd) { return flush(fd, real_fdatasync); }

int unlink(const char *path) {
  if (!is_watched(path)) return real_unlink(path);
  if (fails('n') && fail_errno != 0) return -1;
  int result = real_unlink(path);
  if (result == 0) put(REMOVE, path, 0, NULL, 0);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  if (!is_watched(path)) return real_mkdir(path, mode);
  if (fails('n') && fail_errno != 0) return -1;
  int result = real_mkdir(path, mode);
  if (result == 0) put(FOLDER, path, 0, NULL, 0);
  return result;
}

int rename(const char *from, const char *to) {
  if (!is_watched(to)) return real_rename(from, to);
  if (fails('n') && fail_errno != 0) return -1;
  int result = real_rename(from, to);
  if (result == 0) put(RENAME, from, 0, to, strlen(to));
  return result;
}

static int open_file(const char *path, int flags, mode_t mode) {
  if (!is_watched(path)) return real_open(path, flags, mode);
  if (fails('o') && fail_errno != 0) return -1;
  if (!(flags & (O_CREAT | O_TRUNC))) return real_open(path, flags, mode);
  struct stat status;
  int is_new = stat(path, &status) != 0;
  int fd = real_open(path, flags, mode);
  if (fd >= 0 && is_new) put(CREATE, path, 0, NULL, 0);
  else if (fd >= 0 && (flags & O_TRUNC)) put(TRUNCATE, path, 0, NULL, 0);
  return fd;
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_file(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open_file(path, flags, mode);
}

static int lock_or_other(int fd, int command, void *argument) {
  char path[4096];
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK;
  if (is_lock && ((struct flock *)argument)->l_type != F_UNLCK && path_of(fd, path) && fails('l') && fail_errno != 0)
    return -1;
  return real_fcntl(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  va_list more;
  va_start(more, command);
  void *argument = va_arg(more, void *);
  va_end(more);
  return lock_or_other(fd, command, argument);
}

int fcntl(int fd, int command, ...) {
  va_list more;
  va_start(more, command);
  void *argument = va_arg(more, void *);
  va_end(more);
  return lock_or_other(fd, command, argument);
}
