/// Finds similar words, for suggestions.
public enum Spelling {
  /// The candidate with the smallest edit distance, if that is small enough. Among equals the longest wins, because
  /// letters are omitted more often than added.
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let best = candidates.map { ($0, distance(Array(word.lowercased()), Array($0.lowercased()))) }.min {
      ($0.1, -$0.0.count) < ($1.1, -$1.0.count)
    }
    guard let best, best.1 <= max(word.count > 3 ? 2 : 1, word.count / 3) else { return nil }
    return best.0
  }

  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    guard a.count < 64, b.count < 64 else { return .max }
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, right) in b.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(min(above, row[j]) + 1, diagonal + (left == right ? 0 : 1))
        diagonal = above
      }
    }
    return row[b.count]
  }
}
