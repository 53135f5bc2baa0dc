import Bytes
import Glibc

/// Finds the data folders of the tool: `queries`, `reports`, `dialects`.
public struct ResourceFolder: Sendable {
  /// The folder's path, without a trailing slash.
  public let path: String

  /// Searches in this order: `$CALLQA_HOME`, `share/callqa` beside the executable's folder or the one above, and last a
  /// checkout above the executable. Nil if there is none.
  public init?(_ name: String) {
    let inCheckout = name == "dialects" ? "Sources/EventLogs/Dialects" : name
    var candidates: [String] = []
    if let home = getenv("CALLQA_HOME") {
      let home = String(cString: home)
      candidates += ["\(home)/\(name)", "\(home)/\(inCheckout)"]
    }
    if let executable = Self.executablePath() {
      let folder = Self.parent(of: executable)
      // Installed as bin/callqa, or with its libraries as lib/callqa/callqa.
      let above = Self.parent(of: folder)
      candidates += [above, Self.parent(of: above)].map { "\($0)/share/callqa/\(name)" }
      candidates += Self.checkout(above: folder).map { ["\($0)/\(inCheckout)"] } ?? []
    }
    // In a bare chroot without /proc, the executable's path is unknown.
    if Self.executablePath() == nil {
      candidates += ["/usr/local/share", "/usr/share"].map { "\($0)/callqa/\(name)" }
    }
    guard let found = candidates.first(where: Self.isFolder) else { return nil }
    path = found
  }

  /// The folder in an environment variable; nil if it is not set. Throws `BytesError` if it is not a folder.
  public init?(environment variable: String) throws {
    guard let value = getenv(variable), value.pointee != 0 else { return nil }
    path = String(cString: value)
    guard Self.isFolder(path) else {
      throw BytesError(.missing, "\(variable) names \(path), which is no folder")
    }
  }

  /// Sorted names of the folder's files with a suffix such as `.sql`.
  public func files(endingIn suffix: String) -> [String] {
    (RawPath.names(in: path) ?? []).filter { $0.hasSuffix(suffix) }
  }

  /// The contents of a file in the folder. Throws `BytesError`.
  public func contents(of name: String, largest: Int = 16 << 20) throws -> [UInt8] {
    try allBytes(of: InputFile(path: "\(path)/\(name)", largest: largest))
  }

  private static func executablePath() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func checkout(above folder: String) -> String? {
    var folder = folder
    while !folder.isEmpty {
      if access("\(folder)/Package.swift", R_OK) == 0 { return folder }
      folder = parent(of: folder)
    }
    return nil
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

/// All bytes of a source known to be small.
public func allBytes(of source: any ByteSource) throws -> [UInt8] {
  var all: [UInt8] = []
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
  defer { buffer.deallocate() }
  while true {
    let count = try source.read(into: buffer)
    if count == 0 { return all }
    all.append(contentsOf: buffer[..<count])
  }
}
