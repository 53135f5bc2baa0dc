import Bytes
import CallModel

/// Where a call's id comes from, strongest first; the raw value is `calls.named_by`.
enum CallNameOrigin: String {
  case given, log, folder, keys
}

/// A call's id and where it comes from.
struct CallName: Equatable {
  var id: String
  var origin: CallNameOrigin
  /// The folder it is named after.
  var folder: String?
}

/// Names a call by what its views say; a folder's name counts only where all it holds is this call's.
func nameCall(_ views: [ConnectionView], holdsOthers: (_ folder: String) throws -> Bool) rethrows -> CallName
{
  if let given = views.compactMap(\.given).min() { return CallName(id: given, origin: .given) }
  if let logged = views.compactMap(\.call).min() { return CallName(id: logged, origin: .log) }
  if let folder = commonFolder(views.map(\.path)), let name = folder.split(separator: "/").last,
    try !holdsOthers(folder)
  {
    return CallName(id: String(name), origin: .folder, folder: folder)
  }
  return CallName(id: "c-" + digest(views).prefix(12), origin: .keys)
}

/// The innermost folder that holds all of the paths; nil where there is none (standard input).
func commonFolder(_ paths: [String]) -> String? {
  let folders = paths.map { $0.split(separator: "/", omittingEmptySubsequences: false).dropLast() }
  guard var common = folders.first, paths.allSatisfy({ $0.hasPrefix("/") }) else { return nil }
  for folder in folders.dropFirst() {
    let shared = zip(common, folder).prefix { $0 == $1 }.count
    common = common.prefix(shared)
  }
  return common.count > 1 ? common.joined(separator: "/") : nil
}

/// SHA-256 over the sorted DTLS fingerprints, else over the SSRCs, else over the sources themselves.
private func digest(_ views: [ConnectionView]) -> String {
  let keys: [[IdentityKind]] = [[.fingerprintLocal, .fingerprintRemote], [.ssrcIn, .ssrcOut]]
  for kinds in keys {
    let values = Set(views.flatMap { view in kinds.flatMap { view[$0] } })
    if !values.isEmpty { return sha256(ofText: values.sorted().joined(separator: "\n")) }
  }
  let parts = Set(views.map { "\($0.sha256) \($0.name ?? "")" })
  return sha256(ofText: parts.sorted().joined(separator: "\n"))
}

private func sha256(ofText text: String) -> String {
  let hasher = SHA256()
  Array(text.utf8).withUnsafeBytes { hasher.update($0) }
  return hasher.hexDigest()
}
