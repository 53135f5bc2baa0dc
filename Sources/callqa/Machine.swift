import CProcess
import Glibc

/// What the machine offers.
enum Machine {
  /// Processors that this process may use.
  static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The words of the command line behind the program's name. Swift alone reads them from /proc, which a bare chroot lacks.
  static var words: [String] {
    let words = handedOver
    return Array((words.isEmpty ? CommandLine.arguments : words).dropFirst())
  }

  private static var handedOver: [String] {
    var words: [String] = []
    while let word = cqa_argument(Int32(words.count)) { words.append(String(cString: word)) }
    return words
  }
}
