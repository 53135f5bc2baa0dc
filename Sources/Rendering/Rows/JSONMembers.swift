import Bytes

/// Top-level members of a JSON object, for display.
package enum JSONMembers {
  /// Names with their values as text: strings are decoded, nested values stay JSON. Empty if the text is not an object.
  package static func topLevel(of json: String) -> [(name: String, value: String)] {
    var json = json
    return json.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      var members: [(name: String, value: String)] = []
      do {
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
          let name = key.string
          if try scanner.peek() == .string {
            members.append((name, try scanner.string().string))
          } else {
            members.append((name, String(decoding: try scanner.skip(), as: UTF8.self)))
          }
        }
      } catch {}
      return members
    }
  }

  /// The objects of a JSON array, as dictionaries of their members. Empty if the text is not an array.
  package static func objects(of json: String) -> [[String: String]] {
    var json = json
    let texts = json.withUTF8 { bytes -> [String] in
      var scanner = JSONScanner(bytes)
      var texts: [String] = []
      do {
        try scanner.beginArray()
        while try scanner.nextElement() { texts.append(String(decoding: try scanner.skip(), as: UTF8.self)) }
      } catch {}
      return texts
    }
    return texts.map { Dictionary(topLevel(of: $0).map { ($0.name, $0.value) }) { first, _ in first } }
  }
}
