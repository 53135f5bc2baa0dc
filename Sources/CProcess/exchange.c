#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int cqa_exchange(const char *one, const char *other) {
#ifdef RENAME_EXCHANGE
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
#else
  errno = ENOSYS;
  return -1;
#endif
}
