import Bytes

/// The stage order of a conference: `[{"stage_index":0,"participant_uuid":"…","vad":100},…]`.
enum Stage {
  /// The speaker: the first on the stage with voice activity; nil if nobody speaks.
  package static func speaker(_ json: String) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      var best: (index: Double, id: String)?
      do {
        try scanner.beginArray()
        while try scanner.nextElement() {
          let entry = try entry(&scanner)
          guard let id = entry.id, entry.voice > 0, entry.index < best?.index ?? .infinity else { continue }
          best = (entry.index, id)
        }
      } catch {}
      return best?.id
    }
  }

  private static func entry(_ scanner: inout JSONScanner) throws(JSONError) -> (
    index: Double, id: String?, voice: Double
  ) {
    var entry: (index: Double, id: String?, voice: Double) = (0, nil, 0)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch (key.string, try scanner.peek()) {
      case ("stage_index", .number): entry.index = try scanner.number()
      case ("vad", .number): entry.voice = try scanner.number()
      case ("participant_uuid", .string): entry.id = try scanner.string().string
      default: _ = try scanner.skip()
      }
    }
    return entry
  }
}
