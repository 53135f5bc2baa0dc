import Glibc

/// Now, in milliseconds since the Unix epoch.
func nowMs() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Double(now.tv_sec) * 1000 + (Double(now.tv_nsec) / 1e6).rounded(.down)
}
