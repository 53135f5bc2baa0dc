#include "CxxGnuplot.h"

#include <cstdio>
#include <exception>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <gnuplot-iostream.h>

struct cqa_gnuplot {
  Gnuplot stream;
  explicit cqa_gnuplot(const char *command) : stream(command) {}
};

namespace {
/// Holds SIGPIPE back in this thread only, and swallows the one that our own write raised: a library must not change
/// what the whole process does with a signal.
class WithoutSigpipe {
public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    if (!was_pending_) {
      const timespec now = {0, 0};
      while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};
} // namespace

cqa_gnuplot *cqa_gnuplot_open(const char *command, char *reason, size_t reason_size) {
  try {
    return new cqa_gnuplot(command);
  } catch (const std::exception &error) {
    if (reason_size > 0) std::snprintf(reason, reason_size, "%s", error.what());
    return nullptr;
  }
}

bool cqa_gnuplot_write(cqa_gnuplot *stream, const char *bytes, size_t count) {
  WithoutSigpipe quiet;
  try {
    if (count > 0) stream->stream.write(bytes, static_cast<std::streamsize>(count));
    return stream->stream.good();
  } catch (const std::exception &) {
    return false;
  }
}

bool cqa_gnuplot_close(cqa_gnuplot *stream) {
  WithoutSigpipe quiet;
  bool good = false;
  try {
    stream->stream.flush();
    good = stream->stream.good();
  } catch (const std::exception &) {
  }
  delete stream; // waits for the process
  return good;
}
