import Bytes

/// The arguments of an event in any form: JSON, JSON in a string, or the plain text of older dumps.
struct EventValue {
  /// As one unwrapped JSON value.
  let json: [UInt8]
  let isObject: Bool
  let isNull: Bool

  /// No arguments.
  static let none = EventValue(json: Array("null".utf8), isObject: false, isNull: true)

  private init(json: [UInt8], isObject: Bool, isNull: Bool) {
    self.json = json
    self.isObject = isObject
    self.isNull = isNull
  }

  /// From a value in the source. A string that contains JSON (states with quotes, descriptions) is decoded.
  init(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(value)
    switch try scanner.peek() {
    case .string: self.init(text: try scanner.string().decoded())
    case .object: self.init(json: Array(value), isObject: true, isNull: false)
    case .null: self = .none
    default: self.init(json: Array(value), isObject: false, isNull: false)
    }
  }

  /// From plain text.
  init(text: [UInt8]) {
    if text.isEmpty {
      self = .none
      return
    }
    if let first = text.first,
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\""),
      text.withUnsafeBufferPointer({ (try? validateJSON($0)) != nil })
    {
      self.init(json: text, isObject: first == UInt8(ascii: "{"), isNull: false)
      return
    }
    if text == Array("null".utf8) {
      self = .none
      return
    }
    var writer = ByteWriter(capacity: text.count + 2)
    writer.append(json: String(decoding: text, as: UTF8.self))
    self.init(json: writer.bytes, isObject: false, isNull: false)
  }

  /// The value as text: a string without its quotes, anything else as JSON; empty if there is none.
  var text: String {
    if isNull { return "" }
    return json.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      if let text = try? scanner.string() { return text.string }
      return String(decoding: buffer, as: UTF8.self)
    }
  }

  /// The names of an object's members.
  var memberNames: Set<String> {
    var names: Set<String> = []
    json.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      guard (try? scanner.beginObject()) != nil else { return }
      while let key = try? scanner.nextKey() {
        names.insert(key.string)
        if (try? scanner.skip()) == nil { return }
      }
    }
    return names
  }

  /// The text of a member, if it is a string.
  func member(_ name: String) -> String? {
    json.withUnsafeBufferPointer { buffer in
      var scanner = JSONScanner(buffer)
      guard isObject, (try? scanner.beginObject()) != nil else { return nil }
      while let key = try? scanner.nextKey() {
        if key.string == name { return try? scanner.string().string }
        if (try? scanner.skip()) == nil { return nil }
      }
      return nil
    }
  }
}
