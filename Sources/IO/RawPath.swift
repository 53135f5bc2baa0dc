import Glibc

/// A path in the form the system has it: bytes, which need not be UTF-8.
public struct RawPath: Hashable, Sendable {
  /// The bytes, without a terminating zero.
  public let bytes: [UInt8]

  /// A path of bytes.
  public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// A path of text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// The path that a command line argument names, with its bytes on disk: arguments have U+FFFD for bytes that are not
  /// UTF-8.
  public init(word path: String) {
    guard path.unicodeScalars.contains("\u{FFFD}"), access(path, F_OK) != 0 else {
      self.init(path)
      return
    }
    var found = RawPath(path.hasPrefix("/") ? "/" : ".")
    for part in path.split(separator: "/") {
      let name = found.entries?.first { String(decoding: $0, as: UTF8.self) == part }
      found = found.appending(name ?? Array(part.utf8))
    }
    self = found
  }

  /// Names in the folder in byte order; nil if it cannot be opened.
  public var entries: [[UInt8]]? {
    guard let folder = withCString({ opendir($0) }) else { return nil }
    defer { closedir(folder) }
    var names: [[UInt8]] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
        name.baseAddress.map { Array(name.prefix(strlen($0.assumingMemoryBound(to: CChar.self)))) }
      }
      if let name { names.append(name) }
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Names in a folder as text, in byte order, without `.` and `..`; nil if it cannot be opened.
  public static func names(in folder: String) -> [String]? {
    RawPath(folder).entries?.map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." && $0 != ".." }
  }

  /// The path of an item in this folder.
  public func appending(_ name: [UInt8]) -> RawPath {
    RawPath(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name)
  }

  /// The parent folder and the name; nil for a name without folder, for the root, and for a path that ends with a
  /// slash.
  public var parted: (folder: RawPath, name: [UInt8])? {
    guard let end = bytes.lastIndex(of: UInt8(ascii: "/")), end + 1 < bytes.count else { return nil }
    return (RawPath(bytes: bytes[..<max(end, 1)]), Array(bytes[(end + 1)...]))
  }

  /// The path as text: bytes that are not UTF-8 are written as `\xFF`, so that different paths look different.
  public var text: String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var decoder = UTF8()
    var rest = bytes[...]
    while !rest.isEmpty {
      var ahead = rest.makeIterator()
      if case .scalarValue(let scalar) = decoder.decode(&ahead) {
        text.unicodeScalars.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        let digits = String(rest[rest.startIndex], radix: 16, uppercase: true)
        text += "\\x" + (digits.count == 1 ? "0" : "") + digits
        rest = rest.dropFirst()
      }
      decoder = UTF8()
    }
    return text
  }

  /// Passes the path as a C string.
  public func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
    try (bytes + [0]).withUnsafeBufferPointer { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { chars in
        guard let start = chars.baseAddress else { return try "".withCString(body) }
        return try body(start)
      }
    }
  }
}
