import CallModel
import Rendering

/// Where the fault of a call was, in words.
struct PlaceWords {
  private let account: CallAccount

  init(_ account: CallAccount) { self.account = account }

  /// `Where: the caller's uplink (2 of 2 receivers lost 13 % of what it sent).`; of a bad call of which it is not known,
  /// what would tell. Nil where nothing is wrong.
  var sentence: String? {
    let call = account.call
    if let fault = call.place {
      return "Where: \(place(fault)) (\(VisibleText.visible(fault.evidence)))."
    }
    guard let verdict = call.verdict, [.silent, .noPicture, .poor].contains(verdict.value) else { return nil }
    return account.ends.count(where: \.isOnRecord) < 2
      ? "Where: not known; the record of the other end would tell." : "Where: not known."
  }

  private func place(_ fault: PlacedFault) -> String {
    let of = fault.end.map { EndWords.name($0) + "'s " } ?? ""
    return switch fault.rule.place {
    case .senderSource: of + "camera or microphone"
    case .senderMachine, .receiverMachine: of + "machine"
    case .application: of + "application"
    case .senderNetwork: of + "uplink"
    case .receiverNetwork: of + "downlink"
    case .server: "the server"
    case .relay: "the relay"
    case .network: "the way between the two ends"
    case .signalling: "signalling"
    case .firewall: fault.end.map { "a firewall at \(EndWords.name($0))" } ?? "a firewall"
    }
  }
}
