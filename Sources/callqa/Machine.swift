import CProcess
import Glibc

/// Data from the operating system.
enum Machine {
  /// The command-line arguments without the program name. Swift reads them only from /proc, which is missing in a bare
  /// chroot.
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
