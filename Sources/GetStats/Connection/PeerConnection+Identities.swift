import CallModel

extension PeerConnection {
  /// Tells by what else this end may be known: certificates, ICE credentials, SSRCs, addresses.
  func tellIdentities() throws {
    var found: Set<Identity> = []
    let hasOtherCertificates = presentReports.contains {
      $0.isChanged && ($0.type == .certificate || $0.type == .googCertificate)
    }
    for report in presentReports where report.isChanged || hasOtherCertificates {
      switch report.role {
      case .inbound, .googReceive:
        add(&found, .ssrcIn, report.integer(.ssrc, as: UInt32.self).map(String.init))
      case .outbound, .googSend:
        add(&found, .ssrcOut, report.integer(.ssrc, as: UInt32.self).map(String.init))
      case .transport, .googComponent:
        add(&found, .ufragLocal, report.text(.localUfrag))
        add(&found, .fingerprintLocal, fingerprint(report.bytes(.localCertificate)))
        add(&found, .fingerprintRemote, fingerprint(report.bytes(.remoteCertificate)))
      case .localCandidate: add(&found, .ufragLocal, report.text(.ufrag))
      case .remoteCandidate: add(&found, .ufragRemote, report.text(.ufrag))
      default: break
      }
    }
    if !path.sample.isOnPath(of: toldPath) {
      toldPath = path.sample
      add(&found, .addressLocal, path.sample.local)
      add(&found, .addressRemote, path.sample.remote)
    }
    if !found.isEmpty { try tell(found) }
  }

  /// Most identities told of one connection: a few dozen are usual.
  private static let mostIdentities = 10_000

  /// Tells identities that were not told before.
  func tell(_ found: Set<Identity>) throws {
    let new = found.filter { !toldIdentities.contains($0) }
    guard !new.isEmpty else { return }
    let room = max(0, Self.mostIdentities - toldIdentities.count)
    if new.count > room {
      try context.sink.reject(
        .beyond(Self.mostIdentities, "identities of one connection", count: new.count - room))
    }
    var more = ConnectionFacts()
    more.identities = Identity.first(room, of: Set(new))
    guard !more.identities.isEmpty else { return }
    toldIdentities.formUnion(more.identities)
    try context.sink.connection(number, more)
  }

  private func fingerprint(_ certificateId: [UInt8]) -> String? {
    present(certificateId)?.text(.fingerprint)?.uppercased()
  }

  private func add(_ found: inout Set<Identity>, _ kind: IdentityKind, _ value: String?) {
    if let value, !value.isEmpty, value != "0" { found.insert(Identity(kind, value)) }
  }
}
