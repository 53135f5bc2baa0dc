import CallModel
import Rendering

/// A link within the page that takes the timeline to a period.
enum TimelineLink {
  /// - Parameters: seconds after the zero of the page.
  static func href(from: Double, to: Double) -> String {
    let margin = max(5, (to - from) * 0.5)
    func text(_ value: Double) -> String { CellText.fixed(value, decimals: 2) }
    return "#t=\(text(from))&z=\(text(max(0, from - margin)))-\(text(to + margin))"
  }
}

/// The way of the media from source to output, with the piece at fault marked, what shows it and when.
struct PathPicture {
  private let account: CallAccount
  private let zone: Zone
  private let zeroMs: Double

  init(_ account: CallAccount, _ zone: Zone, zeroMs: Double) {
    (self.account, self.zone, self.zeroMs) = (account, zone, zeroMs)
  }

  func write(to html: inout HTML) {
    let call = account.call
    guard let place = call.markedPlace ?? call.place?.rule.place, place != .signalling else { return }
    html.element("section", ["class": "card where", "id": "where"]) { card in
      card.element("h2", "Where it was")
      card.element("ol", ["class": "path", "aria-label": "The way of the media, from source to output"]) {
        list in
        for piece in pieces(at: place) {
          let isAtFault = piece.places.contains(place)
          list.element("li", isAtFault ? ["class": "fault", "aria-current": "true"] : [:]) { item in
            item.element("strong", piece.title)
            item.element("span", piece.what)
          }
        }
      }
      guard let span else { return }
      card.element("p", ["class": "note"]) { line in
        line.element(
          "a",
          [
            "href": TimelineLink.href(
              from: (span.lowerBound - zeroMs) / 1000, to: (span.upperBound - zeroMs) / 1000)
          ],
          "\(zone.clockText(span.lowerBound) ?? "?")–\(zone.clockText(span.upperBound) ?? "?")")
      }
    }
  }

  private typealias Piece = (title: String, what: String, places: Set<Place>)

  private func pieces(at place: Place) -> [Piece] {
    let (sender, receiver) = ends(of: place)
    let isOverServer =
      account.ends.count > 2 || [.server, .relay, .senderNetwork, .receiverNetwork].contains(place)
    let network: [Piece] =
      isOverServer
      ? [
        ("Uplink", sender, [.senderNetwork]), (place == .relay ? "Relay" : "Server", "", [.server, .relay]),
        ("Downlink", receiver, [.receiverNetwork]),
      ] : [("Network", "between the two", [.network])]
    return [
      ("Source", "\(sender): camera, microphone", [.senderSource]),
      ("Application", "\(sender): page or program", [.application]),
      ("Sender", "\(sender): encoder, machine", [.senderMachine, .firewall]),
    ] + network + [("Receiver", "\(receiver): buffer, decoder, output", [.receiverMachine])]
  }

  /// Who sent and who suffered.
  private func ends(of place: Place) -> (sender: String, receiver: String) {
    let own = (account.call.markedPlace == nil ? account.call.place?.end : account.call.markedPlaceEnd)
    let isOfReceiver = [.receiverMachine, .receiverNetwork].contains(place)
    let isAlone = account.ends.count == 1
    let suffers = account.call.verdict?.end ?? (isAlone && own != nil ? nil : account.call.scoreEndpoint)
    let receiver = isOfReceiver ? own : suffers
    let other = account.ends.count == 2 ? account.ends.first { $0.name != receiver }?.name : nil
    let sender = isOfReceiver ? other : own ?? other
    func name(_ end: String?, _ unknown: String) -> String {
      end.map(EndWords.plain) ?? (isAlone ? "the other end" : unknown)
    }
    return (name(sender, "the senders"), name(receiver, "the receiver"))
  }

  /// From when to when it held, else from the first to the last of what was missed or impaired there.
  private var span: ClosedRange<Double>? {
    if let span = account.call.rootCause?.span { return span }
    let times = account.ends.flatMap { end in
      end.fates.filter { $0.fate.place != nil }.map { ($0.fate.startMs, $0.fate.endMs) }
        + end.impairments.filter { $0.place != nil }.map { ($0.startMs, $0.endMs) }
    }
    guard let from = times.map(\.0).min(), let until = times.map(\.1).max() else { return nil }
    return from...max(from, until)
  }
}
