import Glibc

/// The processors of this machine.
public enum Cores {
  /// How many are at work, at least 1.
  public static var count: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
