#include <pcap/pcap.h>
#include <stdio.h>
#include <sys/types.h>

// glibc's fopencookie(3) under another name: the declaration in <stdio.h> needs _GNU_SOURCE, which the importer does not set.
struct callqa_cookie_functions {
  ssize_t (*read)(void *cookie, char *buffer, size_t size);
  ssize_t (*write)(void *cookie, const char *buffer, size_t size);
  int (*seek)(void *cookie, off_t *offset, int whence);
  int (*close)(void *cookie);
};
extern FILE *callqa_fopencookie(void *cookie, const char *mode, struct callqa_cookie_functions functions)
    __asm__("fopencookie");
