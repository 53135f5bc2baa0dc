import Foundation

/// The folder of real recordings and dumps beside the checkout, for those who have it.
enum SharedFolder {
  /// `../shared` of the package, if it is there.
  static let path: String? = {
    var url = URL(fileURLWithPath: #filePath)
    while url.path != "/" {
      url.deleteLastPathComponent()
      if FileManager.default.fileExists(atPath: url.appendingPathComponent("Package.swift").path) { break }
    }
    for folder in [
      url.deletingLastPathComponent(), url.deletingLastPathComponent().deletingLastPathComponent(),
    ] {
      let shared = folder.appendingPathComponent("shared")
      // Any folder beside a checkout may have that name.
      let index = shared.appendingPathComponent("calls/INDEX.csv")
      if FileManager.default.fileExists(atPath: index.path) { return shared.path }
    }
    return nil
  }()

  static var isThere: Bool { path != nil }

  /// Files below a folder of it whose names end so, sorted.
  static func files(_ folder: String, endingIn suffix: String = "") -> [String] {
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
