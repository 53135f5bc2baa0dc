import CallModel
import SetupTime

/// Which sources of one end tell time by another clock than the one that knows most of the setup, and by how much.
///
/// Only differences that are sure and matter are told; stored times are never changed.
func clockSkews(of ranked: [(key: Int64, value: [StoredEvent])]) -> [Int64: ClockSkew] {
  guard let reference = ranked.first?.value.map(\.record) else { return [:] }
  var skews: [Int64: ClockSkew] = [:]
  for (source, told) in ranked.dropFirst() {
    guard let skew = clockSkew(of: told.map(\.record), against: reference), skew.matters else { continue }
    skews[source] = skew
  }
  return skews
}
