import Bytes
import IO
import Packets

/// Captures whose interfaces are read as captures of their own.
enum CaptureTaps {
  /// The names of the interfaces of a file, by their numbers, as `PcapngTaps` finds them; empty for other files.
  static func names(of path: RawPath, _ request: ImportRequest) -> [String?] {
    // Most files are text, and need not be opened twice.
    guard let first = UnpackedArchive.head(of: path), !isText(first),
      let head = try? HeadedSource(request.open(path, hashing: false), count: 4),
      PcapngTaps.isPcapng(head.head)
    else { return [] }
    return PcapngTaps.names(head)
  }

  // Neither a capture nor a compressed one begins with so much text.
  private static func isText(_ head: [UInt8]) -> Bool {
    head.allSatisfy { (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) }
  }

  /// The digest of what is read of a file: of the whole of it, and of one of its interfaces.
  static func digest(_ whole: String, of tap: Int?) -> String {
    tap.map { sha256(ofText: "\(whole) \($0)") } ?? whole
  }
}
