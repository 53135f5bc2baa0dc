#include "CProcess.h"

#include <stdlib.h>

static int count;
static char **words;

// glibc gives constructors what main gets.
#ifdef __GLIBC__
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  words = argv;
}
#endif

const char *cqa_argument(int index) { return index < count ? words[index] : NULL; }
