import CallModel
import CallStore
import Rendering
import Timeline

/// One call as a JSON object: its row, the summary in words, and the rows of every table below it, in the format of its
/// list command.
public struct CallJSON {
  private let account: CallAccount
  private let store: Store

  /// The object of a call read from a store.
  public init(_ account: CallAccount, in store: Store) {
    self.account = account
    self.store = store
  }

  /// The JSON text with a final line feed. Rethrows errors of the store.
  public func bytes() throws -> [UInt8] {
    let scope = CallScope(call: account.call.key)
    var json = JSONBuilder()
    try json.object { json in
      json.member("call", json: try rows(.calls, scope).first ?? Array("null".utf8))
      json.list("summary", Narrative(account).sentences)
      json.list("unknown", Unknowns(account).sentences)
      spans(&json)
      fates(&json)
      impairments(&json)
      for (name, listing) in [
        ("ends", Listing.ends), ("hears", .hears), ("streams", .streams), ("windows", .score),
        ("setup", .setup), ("findings", .findings), ("events", .events), ("sources", .sources),
      ] {
        json.array(name, try rows(listing, scope)) { $0.append($1) }
      }
    }
    return Array(json.text.utf8) + [UInt8(ascii: "\n")]
  }

  /// Periods in which a medium was missing, on hold, frozen or not recorded, by end.
  private func spans(_ json: inout JSONBuilder) {
    list("spans", ["endpoint", "kind", "medium", "start_ms", "end_ms", "proof"], \EndAccount.spans, &json) {
      (end: String, span: MediaSpan) -> [Cell] in
      [
        .text(end), .text(span.kind.rawValue), span.medium.map { .text($0.rawValue) } ?? .null,
        .real(span.startMs), .real(span.endMs), span.proof == .none ? .null : .text(span.proof.rawValue),
      ]
    }
  }

  /// What was wrong with the media that arrived.
  private func impairments(_ json: inout JSONBuilder) {
    let columns = ["listener", "medium", "from_ms", "to_ms", "what", "figure", "points", "share", "place"]
    list("impairments", columns, \.impairments, &json) { end, one in
      [
        .text(end), .text(one.medium.rawValue), .real(one.startMs), .real(one.endMs),
        .text(one.cause.rawValue), one.figure.map { .real($0) } ?? .null, .real(one.points), .real(one.share),
        one.place.map { .text($0.rawValue) } ?? .null,
      ]
    }
  }

  /// What became of each medium for its listener.
  private func fates(_ json: inout JSONBuilder) {
    let columns = ["listener", "medium", "from_ms", "to_ms", "what", "proof", "rule", "witnesses[]", "place"]
    func all(_ end: EndAccount) -> [(isOfFarEnd: Bool, medium: MediaKind, fate: Fate)] {
      end.fates.map { (false, $0, $1) } + end.fatesOfFarEnd.map { (true, $0, $1) }
    }
    list("fates", columns, all, &json) { end, entry in
      let fate = entry.fate
      return [
        entry.isOfFarEnd ? .null : .text(end), .text(entry.medium.rawValue), .real(fate.startMs),
        .real(fate.endMs),
        .text(fate.what.rawValue), fate.proof == .none ? .null : .text(fate.proof.rawValue),
        .text(fate.rule.rawValue), .text(fate.witnessList),
        fate.place.map { .text($0.rawValue) } ?? .null,
      ]
    }
  }

  /// A member with a list of what each end has, end by end.
  private func list<Item>(
    _ name: String, _ columns: [String], _ items: (EndAccount) -> [Item], _ json: inout JSONBuilder,
    _ cells: (String, Item) -> [Cell]
  ) {
    let objects = JSONObjects(columns: columns)
    json.array(name, account.ends.flatMap { end in items(end).map { cells(end.name, $0) } }) { json, cells in
      json.append(objects.bytes(of: cells))
    }
  }

  private func rows(_ listing: Listing, _ scope: CallScope) throws -> [[UInt8]] {
    let result = try store.list(listing, scope)
    let objects = JSONObjects(columns: result.columns)
    return result.rows.map(objects.bytes)
  }
}
