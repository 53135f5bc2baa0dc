import CProcess
import Glibc

/// What the system hands over.
enum Machine {
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
