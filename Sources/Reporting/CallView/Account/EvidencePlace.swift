import CallModel
import CallStore

/// A place in a file on which a finding rests: the line of an event, or the reports between two instants.
public struct EvidencePlace: Sendable, Equatable {
  public var source: String
  public var line: Int64?
  public var event: String?
  public var fromMs: Double?
  public var untilMs: Double?

  /// The places of each finding of a call, by its key.
  public static func places(ofCall call: Int64, in store: Store) throws -> [Int64: [EvidencePlace]] {
    var places: [Int64: [EvidencePlace]] = [:]
    let rows = try NamedRow.rows(
      store,
      """
      SELECT * FROM finding_places WHERE call_key = :call ORDER BY finding_key, t_ms, source, line
      """, ["call": .integer(call)])
    for row in rows {
      guard let key = row.integer("finding_key") else { continue }
      places[key, default: []].append(
        EvidencePlace(
          source: row.text("source") ?? "-", line: row.integer("line"), event: row.text("event"),
          fromMs: row.number("t_ms"), untilMs: row.number("until_ms")))
    }
    return places
  }
}
