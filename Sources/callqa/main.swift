import ArgumentParser
import CProcess
import Glibc

// When a reader goes away (`callqa calls | head`), write(2) should return EPIPE instead of killing the process.
signal(SIGPIPE, SIG_IGN)
// When a file exceeds the size limit, write(2) should return EFBIG, so that the database can roll back.
signal(SIGXFSZ, SIG_IGN)
// Output contains personal data, so only the owner can read it unless --mode says otherwise.
ModeOptions.apply(0o600)

exit(Entry.run(Machine.words))

/// Data from the operating system.
private enum Machine {
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
