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
    let name = ids.first { $0.value == call }?.name ?? "call"
    return [(name, call)] + ids.filter { $0.value != call }
  }
}

extension Dialect {
  /// The arguments that hold ids of a call.
  var callPaths: [String] { identities.filter { $0.kind == .call }.map(\.path) }
}

extension RawEvent {
  /// The end that it is of, as the log names it.
  var end: String { "\(endpoint ?? "")|\(pc ?? "")" }
}
