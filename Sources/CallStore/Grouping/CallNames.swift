import CallModel
import IO

/// The origin of a call's id, strongest first; the raw value is `calls.named_by`.
enum CallNameOrigin: String {
  case given, log, folder, keys
}

/// A call's id and its origin.
struct CallName: Equatable {
  var id: String
  var origin: CallNameOrigin
  /// The folder it is named after.
  var folder: String?
}

/// The first unused name among those of a call's views, best first; the name of a folder is used only if everything in
/// it belongs to this call.
///
/// The last candidate is unique, as a view belongs to one call only: two calls that log the same id, or share the
/// certificate of one server, still have different sources.
func nameOfCall(
  _ views: [ConnectionView], holdsOthers: (_ folder: String) throws -> Bool,
  isFree: (_ id: String) throws -> Bool
) rethrows -> CallName? {
  var names: [CallName] = []
  if let given = views.compactMap(\.given).min() { names.append(CallName(id: given, origin: .given)) }
  if let logged = views.compactMap(\.call).min() { names.append(CallName(id: logged, origin: .log)) }
  if names.isEmpty, let folder = commonFolder(views.map(\.path)),
    let name = folder.split(separator: "/").last,
    try !holdsOthers(folder)
  {
    names.append(CallName(id: String(name), origin: .folder, folder: folder))
  }
  for name in names where try isFree(name.id) { return name }
  for digested in [keys, partsOfCall] {
    let text = digested(views)
    guard !text.isEmpty else { continue }
    let name = CallName(id: "c-" + sha256(ofText: text).prefix(12), origin: .keys)
    if try isFree(name.id) { return name }
  }
  return nil
}

/// The innermost folder that contains all paths; nil if there is none (standard input).
func commonFolder(_ paths: [String]) -> String? {
  guard let first = paths.first?.utf8, paths.allSatisfy({ $0.utf8.first == UInt8(ascii: "/") }) else {
    return nil
  }
  // The common prefix of all paths, cut at the end of a folder.
  let shared = paths.dropFirst().reduce(first[...]) { shared, path in
    shared.prefix(zip(shared, path.utf8).prefix { $0 == $1 }.count)
  }
  guard let end = shared.lastIndex(of: UInt8(ascii: "/")), end > shared.startIndex else { return nil }
  return String(Substring(shared[..<end]))
}

/// The sorted DTLS fingerprints, otherwise the SSRCs; empty without either.
private func keys(_ views: [ConnectionView]) -> String {
  let kinds: [[IdentityKind]] = [[.fingerprintLocal, .fingerprintRemote], [.ssrcIn, .ssrcOut]]
  let values = kinds.map { kinds in Set(views.flatMap { view in kinds.flatMap { view[$0] } }) }
  return values.first { !$0.isEmpty }?.sorted().joined(separator: "\n") ?? ""
}

/// The views themselves: the digest of the source and the name in it.
func partsOfCall(_ views: [ConnectionView]) -> String {
  Set(views.map { "\($0.sha256) \($0.name ?? "")" }).sorted().joined(separator: "\n")
}
