#ifndef CXX_GNUPLOT_H
#define CXX_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A stream into gnuplot, or into a file that holds what gnuplot would have been told (gnuplot-iostream's class, boxed).
typedef struct cqa_gnuplot cqa_gnuplot;

/// Opens a shell command that reads a script, or with ">name" a file; NULL with a reason in `reason` where it cannot.
/// popen succeeds even if the command is missing: look for gnuplot first.
cqa_gnuplot *_Nullable cqa_gnuplot_open(
    const char *_Nonnull command, char *_Nonnull reason, size_t reason_size);

/// Sends bytes of the script; false once the other side has gone or the disk is full. Never raises SIGPIPE.
bool cqa_gnuplot_write(cqa_gnuplot *_Nonnull stream, const char *_Nullable bytes, size_t count);

/// Flushes, waits until gnuplot has ended, and frees the stream; false if any byte was lost on the way.
bool cqa_gnuplot_close(cqa_gnuplot *_Nonnull stream);

#ifdef __cplusplus
}
#endif
#endif
