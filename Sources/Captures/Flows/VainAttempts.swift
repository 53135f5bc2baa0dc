/// Checks that nobody answered, between hosts that had a call meanwhile: a restart of its ICE that came to nothing, which is no
/// call and no end of one.
///
/// Which fragments belong together is not known of these, so they are taken for a part of the call only where one call alone
/// can be meant and it goes on after them.
struct VainAttempts {
  private struct Hosts: Hashable {
    var first: Address
    var second: Address
  }

  /// Checks on a pair that fails are seconds apart: a call that was heard so long before the last of them goes on.
  private static let patienceNs: Int64 = 1_000_000_000
  private static let mostHosts = 8

  private let paths: [Path]
  /// Calls by their hosts, first end first; nil where there are several.
  private var calls: [Hosts: Path?] = [:]

  init(_ paths: [Path]) {
    self.paths = paths
    guard paths.contains(where: Self.isVain) else { return }
    for path in paths where path.whole == nil && path.isWebRTC && !path.media.isEmpty {
      for hosts in Self.hosts(path) {
        let isOther = calls[hosts].map { $0 !== path } ?? false
        calls[hosts] = .some(isOther ? nil : path)
      }
    }
  }

  /// Gives each to the call it belongs to.
  func settle() {
    for path in paths where Self.isVain(path) {
      guard let startNs = path.ice.firstNs, let (call, isTurned) = call(during: path, from: startNs) else {
        continue
      }
      var w = ArgumentWriter()
      w.add("checks", path.ice.checks)
      call.takeIn(path, named: false, isTurned: isTurned)
      call.add(
        "unknown", "STUN checks between other addresses, of which none was answered", at: startNs,
        args: w.text)
    }
  }

  private static func isVain(_ path: Path) -> Bool {
    path.isBare && path.media.isEmpty && path.ice.checks > 0 && path.ice.firstAnsweredNs == (nil, nil)
  }

  /// The call that stood at that time between the same hosts, and whether its ends are counted the other way round.
  private func call(during vain: Path, from startNs: Int64) -> (path: Path, isTurned: Bool)? {
    for hosts in Self.hosts(vain) {
      let turned = Hosts(first: hosts.second, second: hosts.first)
      for (key, isTurned) in [(hosts, false), (turned, true)] {
        guard let call = calls[key] ?? nil, let beganNs = call.ice.firstNs, beganNs < startNs,
          call.heardNs &+ Self.patienceNs >= vain.lastNs, call.overNs.map({ $0 > startNs }) ?? true
        else { continue }
        return (call, isTurned)
      }
    }
    return nil
  }

  private static func hosts(_ path: Path) -> Set<Hosts> {
    let (first, second) = (hosts(path.ends.0), hosts(path.ends.1))
    return Set(first.flatMap { one in second.map { Hosts(first: one, second: $0) } })
  }

  private static func hosts(_ end: PathEnd) -> Set<Address> {
    Set(end.addresses.prefix(mostHosts).map(\.address))
  }
}
