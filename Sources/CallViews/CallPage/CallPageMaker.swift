import CallModel
import CallStore
import Rendering

/// Creates the pages of calls that a report links to.
public struct CallPageMaker {
  private let store: Store
  private let zone: Zone
  private let resources: PageResources

  /// Creates a maker for calls of a store. Throws `BytesError` if the page's style or script is missing.
  public init(_ store: Store, zone: Zone) throws {
    self.store = store
    self.zone = zone
    resources = try PageResources()
  }

  /// The page of a call by run and id; nil if the store has no such call. Rethrows errors of the store.
  public func page(run: String?, id: String) throws -> [UInt8]? {
    let sql = """
      SELECT call_key FROM calls WHERE call_id = :id AND (:run IS NULL OR run_id = :run) ORDER BY started_ms DESC, call_key DESC LIMIT 1
      """
    let rows = try NamedRow.rows(store, sql, ["id": .text(id), "run": run.map(Cell.text) ?? .null])
    guard let key = rows.first?.integer("call_key"), let account = try CallAccount(of: key, in: store) else {
      return nil
    }
    var page = try CallPage(account, in: store, zone: zone, resources: resources)
    page.report = "../index.html"
    return page.bytes()
  }
}
