import Assessing
import CallModel
import CallStore
import Foundation
import Importing

@testable import CallViews

/// Pages to look at in a browser, with the store they were made from.
final class Pages {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "callqa-pages-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The store of one sample call.
  func sample(_ name: String) throws -> Store {
    let store = try Store(path: "memory", access: .memory)
    _ = try Importer(
      store: store, request: ImportRequest(paths: [Self.root.appendingPathComponent("samples/\(name)").path])
    ).run()
    try Assessor(store: store).assessStale()
    return store
  }

  /// Writes the page of the first call of a store.
  func page(_ store: Store, _ name: String) throws -> URL {
    let rows = try store.query("SELECT call_key FROM calls").rows
    guard case .integer(let key)? = rows.first?.first, let account = try CallAccount(of: key, in: store)
    else {
      throw Chromium.Failure(description: "there is no call in \(name)")
    }
    return try write(CallPage(account, in: store, zone: .utc, resources: PageResources()), name)
  }

  func write(_ page: CallPage, _ name: String) throws -> URL {
    let file = folder.appendingPathComponent("\(name).html")
    try Data(page.bytes()).write(to: file)
    return file
  }

  func size(_ page: URL) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: page.path)[.size] as? Int ?? 0
  }
}
