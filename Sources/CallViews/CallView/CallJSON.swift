import CallModel
import CallStore
import Rendering

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
    var bytes = Array("{\"call\":".utf8)
    let calls = try rows(.calls, scope)
    bytes += calls.first ?? Array("null".utf8)
    texts("summary", Narrative(account).sentences, &bytes)
    texts("unknown", Unknowns(account).sentences, &bytes)
    spans(&bytes)
    fates(&bytes)
    impairments(&bytes)
    for (name, listing) in [
      ("ends", Listing.ends), ("hears", .hears), ("streams", .streams), ("windows", .score),
      ("setup", .setup), ("findings", .findings),
      ("events", .events), ("sources", .sources),
    ] {
      member(name, &bytes)
      let objects = try rows(listing, scope)
      bytes.append(UInt8(ascii: "["))
      bytes += objects.joined(separator: [UInt8(ascii: ",")])
      bytes.append(UInt8(ascii: "]"))
    }
    return bytes + Array("}\n".utf8)
  }

  /// Periods in which a medium was missing, on hold, frozen or not recorded, by end.
  private func spans(_ bytes: inout [UInt8]) {
    list("spans", ["endpoint", "kind", "medium", "start_ms", "end_ms", "proof"], \EndAccount.spans, &bytes) {
      (end: String, span: MediaSpan) -> [Cell] in
      [
        .text(end), .text(span.kind.rawValue), span.medium.map { .text($0.rawValue) } ?? .null,
        .real(span.startMs), .real(span.endMs), span.proof == .none ? .null : .text(span.proof.rawValue),
      ]
    }
  }

  /// What was wrong with the media that arrived.
  private func impairments(_ bytes: inout [UInt8]) {
    let columns = ["listener", "medium", "from_ms", "to_ms", "what", "figure", "points", "share", "place"]
    list("impairments", columns, \.impairments, &bytes) { end, one in
      [
        .text(end), .text(one.medium.rawValue), .real(one.startMs), .real(one.endMs),
        .text(one.cause.rawValue), one.figure.map { .real($0) } ?? .null, .real(one.points), .real(one.share),
        one.place.map { .text($0.rawValue) } ?? .null,
      ]
    }
  }

  /// What became of each medium for its listener.
  private func fates(_ bytes: inout [UInt8]) {
    let columns = ["listener", "medium", "from_ms", "to_ms", "what", "proof", "rule", "witnesses[]", "place"]
    list("fates", columns, \.fates, &bytes) { end, entry in
      let fate = entry.fate
      return [
        .text(end), .text(entry.medium.rawValue), .real(fate.startMs), .real(fate.endMs),
        .text(fate.what.rawValue), fate.proof == .none ? .null : .text(fate.proof.rawValue),
        .text(fate.rule.rawValue), .text(fate.witnessList),
        fate.place.map { .text($0.rawValue) } ?? .null,
      ]
    }
  }

  /// A member with a list of what each end has, end by end.
  private func list<Item>(
    _ name: String, _ columns: [String], _ items: (EndAccount) -> [Item], _ bytes: inout [UInt8],
    _ cells: (String, Item) -> [Cell]
  ) {
    let objects = JSONObjects(columns: columns)
    member(name, &bytes)
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for end in account.ends {
      for item in items(end) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        objects.append(cells(end.name, item), to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private func rows(_ listing: Listing, _ scope: CallScope) throws -> [[UInt8]] {
    var objects: JSONObjects?
    var result: [[UInt8]] = []
    try store.list(
      listing, scope, columns: { objects = JSONObjects(columns: $0) },
      row: { cells in
        var bytes: [UInt8] = []
        objects?.append(cells, to: &bytes)
        result.append(bytes)
      })
    return result
  }

  private func member(_ name: String, _ bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: ","))
    JSONBytes.append(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  private func texts(_ name: String, _ texts: [String], _ bytes: inout [UInt8]) {
    member(name, &bytes)
    bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONBytes.append(text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}
