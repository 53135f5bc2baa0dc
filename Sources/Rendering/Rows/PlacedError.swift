/// An error in a file, with file name and line.
public struct PlacedError: Error, Sendable, Equatable, CustomStringConvertible {
  public var file: String
  /// 1-based; nil if the error concerns the whole file.
  public var line: Int?
  public var what: String

  /// An error at a place.
  public init(_ file: String, _ line: Int?, _ what: String) {
    self.file = file
    self.line = line
    self.what = what
  }

  /// The message with its place, e.g. `gates/release.gate:3: …`.
  public var description: String { line.map { "\(file):\($0): \(what)" } ?? "\(file): \(what)" }
}
