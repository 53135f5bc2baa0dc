import Foundation

/// Real recordings and dumps, for those who have them in `../shared`: tests that want them are skipped elsewhere, and say so.
public enum SharedRecordings {
  /// The folder beside the checkout, or beside the folder in which the checkout lies.
  public static let path: String? = {
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let beside = package.deletingLastPathComponent()
    return [beside, beside.deletingLastPathComponent()].map { $0.appendingPathComponent("shared").path }
      // Any folder beside a checkout may have that name.
      .first { FileManager.default.fileExists(atPath: "\($0)/calls/INDEX.csv") }
  }()

  public static var areThere: Bool { path != nil }
  /// What a test says that is skipped without them.
  public static let reason = "needs the recordings in ../shared"

  /// A folder of them, such as `calls`; where there are none, one that is not there.
  public static func folder(_ name: String) -> URL {
    URL(fileURLWithPath: path ?? "/nonexistent").appendingPathComponent(name)
  }

  /// Paths of the files below a folder of them whose names end so, sorted; none where there are none.
  public static func files(_ folder: String, endingIn suffix: String = "") -> [String] {
    guard let path else { return [] }
    let names =
      FileManager.default.enumerator(atPath: "\(path)/\(folder)")?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(path)/\(folder)/\($0)" }
      .filter { file in
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) && !isFolder.boolValue
      }
  }
}
