import Glibc

/// What the machine offers.
enum Machine {
  /// Processors that this process may use.
  static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
