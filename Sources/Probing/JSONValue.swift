/// A JSON value of a browser's protocol, or of a plan.
enum JSONValue: Codable, Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let members = try? value.decode([String: JSONValue].self) {
      self = .object(members)
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let elements = try? value.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .null
    }
  }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let flag): try value.encode(flag)
    case .number(let number) where number == number.rounded() && abs(number) < 1e15:
      try value.encode(Int(number))
    case .number(let number): try value.encode(number)
    case .string(let text): try value.encode(text)
    case .array(let elements): try value.encode(elements)
    case .object(let members): try value.encode(members)
    }
  }

  /// A member of an object; `null` if it is missing.
  subscript(_ name: String) -> JSONValue {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Dictionary(members) { _, last in last })
  }
  init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
