/// Files that hold something else, or what callqa reads in a wrapping it does not undo: told by their first bytes what they
/// are and what to do with them.
enum KnownElsewhere {
  private static let kinds: [(at: Int, magic: [UInt8], words: String)] = [
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "compressed with xz: unpack it with `xz -d`"),
    (0, Array("BZh".utf8), "compressed with bzip2: unpack it with `bzip2 -d`"),
    (0, [0x04, 0x22, 0x4D, 0x18], "compressed with lz4: unpack it with `lz4 -d`"),
    (0, [0x50, 0x4B, 0x03, 0x04], "a zip archive: unpack it with `unzip`, and import the folder"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive: unpack it, and import the folder"),
    (257, Array("ustar".utf8), "a tar archive: unpack it with `tar -xf`, and import the folder"),
    (0, Array("SQLite format 3\0".utf8), "an SQLite database: --db names the one to use"),
    (0, Array("%PDF-".utf8), "a PDF document"),
  ]

  /// What the first bytes of a file say, with the remedy; nil where they say nothing.
  static func words(_ head: [UInt8]) -> String? {
    kinds.first { $0.at <= head.count && head[$0.at...].starts(with: $0.magic) }?.words
  }
}
