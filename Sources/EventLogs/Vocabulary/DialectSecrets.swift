import Bytes
import CallModel

/// Takes out of arguments what an SDK alone calls its secrets.
///
/// Each line by those who speak in it, whatever its connection began with: one SDK's secret is another's harmless id (`sessionID`,
/// `sequence`).
struct DialectSecrets {
  private let dialects: Dialects
  private var redactors: [[String]: Redactor] = [:]

  init(_ dialects: Dialects) { self.dialects = dialects }

  /// Arguments without the secrets of those who may have written them.
  /// - Parameters:
  ///   - connection: the SDK of the line's connection, for a line that no SDK speaks in.
  mutating func taken(
    from args: String, of raw: RawEvent, _ meaning: EventNaming.Meaning, in connection: Dialect?
  ) -> String {
    var speakers = [raw.sdk.flatMap(dialects.dialect(named:)), dialects.dialect(meaning.sdk)].compactMap(
      \.self)
    if speakers.allSatisfy({ $0.sdk == "w3c" }), let connection { speakers.append(connection) }
    // What nobody knows may be anybody's.
    if speakers.isEmpty, !meaning.isStandard, !EventVocabulary.contains(raw.raw) { speakers = dialects.all }
    let names = speakers.filter { !$0.secrets.isEmpty }.map(\.sdk)
    return names.isEmpty ? args : redactor(of: names).text(args)
  }

  /// A line of text without the secrets of the SDKs that speak in it, wherever in its words they stand; nil where it has none.
  mutating func taken(from line: ArraySlice<UInt8>, of sdks: String?...) -> [UInt8]? {
    let names = Set(sdks.compactMap(\.self)).filter { dialects.dialect($0)?.secrets.isEmpty == false }
    if names.isEmpty { return nil }
    let redactor = redactor(of: names.sorted())
    return line.withUnsafeBufferPointer(redactor.redacted)
  }

  private mutating func redactor(of sdks: [String]) -> Redactor {
    if let known = redactors[sdks] { return known }
    let made = Redactor(secretNames: sdks.flatMap { dialects.dialect($0)?.secrets ?? [] })
    redactors[sdks] = made
    return made
  }
}
