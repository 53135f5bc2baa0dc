import Glibc

/// The clock on the wall.
enum Clock {
  /// Now, milliseconds since the epoch.
  static var nowMs: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) * 1000 + Double(now.tv_nsec) / 1e6
  }
}
