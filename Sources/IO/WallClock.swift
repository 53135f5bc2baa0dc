import Glibc

/// A clock that never goes back, with an unknown beginning.
public enum MonotonicClock {
  /// The current time, s.
  public static var nowSeconds: Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}

/// The system's wall clock.
public enum WallClock {
  /// The current time, in whole milliseconds since the Unix epoch.
  public static var nowMs: Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) * 1000 + (Double(now.tv_nsec) / 1e6).rounded(.down)
  }
}
