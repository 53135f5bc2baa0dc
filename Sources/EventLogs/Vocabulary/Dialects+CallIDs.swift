import Bytes
import CallModel

extension Dialects {
  /// The ids of the call that a line names, by the arguments that hold them: the log's own `call`, else what the dialect of its
  /// SDK calls an id of a call; where that knows none, what any does.
  func callIDs(of raw: RawEvent, _ sdk: Dialect?) -> [CallCut.ID] {
    var ids: [CallCut.ID] = []
    let own = sdk?.callPaths ?? []
    for path in raw.arguments.isEmpty ? [] : own.isEmpty ? callPaths : own {
      let name = Dialect.normal(path)
      guard let value = raw.arguments.text(path), !value.isEmpty,
        !ids.contains(where: { $0.name == name && $0.value == value })
      else { continue }
      ids.append((name, value))
    }
    guard let call = raw.call else { return ids }
    let name = raw.idKind ?? ids.first { $0.value == call }?.name ?? "call"
    return [(name, call)] + ids.filter { $0.value != call }
  }

  /// Who is called by what opens a call, by the argument that says so: one that holds a person in the SDK's dialect, an address of
  /// SIP or of a telephone, a conference; else the first, where it is one word as a name or a number is.
  func callee(of raw: RawEvent, _ sdk: Dialect?) -> CallCut.ID? {
    for name in (sdk?.calleePaths ?? []) + ["sip", "sips", "tel", "to", "number", "conference"] {
      if let value = raw.arguments.text(name), !value.isEmpty { return (Dialect.normal(name), value) }
    }
    guard let first = raw.arguments.text("0"), first.utf8.count >= 3, first.utf8.count <= 200,
      first.utf8.allSatisfy({
        $0 < 0x80 && ($0.isASCIILetter || $0.isASCIIDigit || "@.+-_:".utf8.contains($0))
      })
    else { return nil }
    return (Dialect.normal(raw.raw), first)
  }

  /// Whether a value that a dialect says is a person or an address can be one: one word, and neither an object with its address nor what
  /// programs print of themselves.
  static func mayBeAddress(_ value: String) -> Bool {
    !value.isEmpty && value.utf8.count <= 200 && !CallObject.isPrinted(value)
      && value.utf8.allSatisfy { $0 > UInt8(ascii: " ") && !"<>(){}[]".utf8.contains($0) }
      && !["self", "this", "call", "nil", "null", "true", "false", "yes", "no"].contains(value.lowercased())
  }

}

extension Dialect {
  /// The arguments that hold the person who is called: of both ends of a call, the one that does not call.
  var calleePaths: [String] {
    self.identities.filter { $0.kind == .person && !$0.path.lowercased().hasPrefix("caller") }.map(\.path)
  }

  /// The arguments that hold ids of a call.
  var callPaths: [String] { self.identities.filter { $0.kind == .call }.map(\.path) }
}

extension RawEvent {
  /// The end that it is of, as the log names it.
  var end: String { "\(takesUnnamed ? "" : endpoint ?? "")|\(pc ?? "")" }
}
