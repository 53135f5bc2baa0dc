import CallModel
import Packets
import Redaction
import Signalling

/// Registrations (RFC 3261 section 10): sessions of telephones beside their calls.
struct SIPRegistrations {
  /// A REGISTER that waits for its final response.
  fileprivate struct Request {
    var source: Endpoint
    var timeNs: Int64
    var credentials: Set<String>
  }

  /// The registration of one telephone: all REGISTERs with one Call-ID.
  struct Registration {
    var source: Endpoint
    var destination: Endpoint
    var person: String
    var agent: String?
    fileprivate(set) var events: [MediaTransport.Event] = []
    fileprivate var pending: [String: Request] = [:]
    fileprivate var known: Set<String> = []
  }

  private(set) var all: [Registration] = []
  private var places: [String: Int] = [:]
  /// The number and the last status and words of those that were refused.
  private(set) var refused: (count: Int, status: Int, phrase: String) = (0, 0, "")
  private let redactor = Redactor()

  private static let most = 1000
  private static let maxEvents = 512

  /// Takes a REGISTER or a response to one. Of those that a proxy passes on, the first hop counts.
  mutating func take(_ message: SIPMessage, from source: Endpoint, to destination: Endpoint, at timeNs: Int64)
  {
    let key = message.sequence
    guard let status = message.status else {
      let place = places[message.callID] ?? begin(message, source, destination)
      // The end of a registration is not an attempt.
      guard let place, message.expires != 0, all[place].known.count < Self.maxEvents,
        all[place].known.insert(key).inserted
      else { return }
      all[place].pending[key] = Request(source: source, timeNs: timeNs, credentials: message.credentials)
      return add(.sessionRegistering, message, to: place, at: timeNs)
    }
    guard status >= 200, let place = places[message.callID], let request = all[place].pending[key],
      request.source == destination
    else { return }
    all[place].pending[key] = nil
    if status < 300 { return add(.sessionRegistered, message, to: place, at: timeNs) }
    let isChallenge = [401, 407].contains(status)
    // With other credentials, another lifetime or at another registrar it goes on.
    if isChallenge && request.credentials.isDisjoint(with: message.challenges) || status < 400
      || status == 423
    {
      return add(.unknown, message, to: place, at: timeNs)
    }
    refused = (refused.count + 1, status, redactor.text(message.phrase))
    add(.sessionRegistrationFailed, message, to: place, at: timeNs)
  }

  /// Adds at the end of the capture those that were never answered.
  mutating func finish(at timeNs: Int64) {
    for place in all.indices {
      for request in all[place].pending.values where timeNs &- request.timeNs >= SIPTracker.patienceNs {
        var w = ArgumentWriter()
        w.add(.reason, "no answer of any kind to the REGISTER")
        all[place].events.append(
          .init(
            timeNs: request.timeNs &+ SIPTracker.patienceNs, event: .sessionRegistrationFailed,
            raw: "SIP REGISTER without an answer", args: w.text))
      }
    }
  }

  private mutating func begin(_ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint) -> Int? {
    guard all.count < Self.most else { return nil }
    all.append(
      Registration(source: source, destination: destination, person: message.to, agent: message.agent))
    places[message.callID] = all.count - 1
    return all.count - 1
  }

  private mutating func add(_ event: EventName, _ message: SIPMessage, to place: Int, at timeNs: Int64) {
    var w = ArgumentWriter()
    if let status = message.status {
      w.add(.code, status)
      w.add(.reason, redactor.text(message.phrase))
    }
    w.add(.cseq, message.sequence)
    let raw = message.status.map { "SIP \($0) \(message.phrase) (REGISTER)" } ?? "SIP REGISTER"
    all[place].events.append(.init(timeNs: timeNs, event: event, raw: raw, args: w.text))
  }
}
