/// The figures a finding rests on: named numbers and texts in the order they were added, stored as a JSON object.
public struct Evidence: Sendable, Equatable {
  public enum Value: Sendable, Equatable {
    /// With up to three decimals.
    case number(Double)
    case text(String)
  }

  public struct Member: Sendable, Equatable {
    public let name: String
    public let value: Value
  }

  public private(set) var members: [Member] = []

  public init() {}

  /// The figures of a stored finding; none if the text is not a JSON object. What is neither number nor text in the
  /// database of another version is kept as the text of its JSON.
  public init(json: String) {
    members = CallModel.members(of: json).map { name, value, isText in
      Member(
        name: name,
        value: (isText ? nil : Double(value)).flatMap { $0.isFinite ? Value.number($0) : nil } ?? .text(value)
      )
    }
  }

  /// Adds a number unless it is nil.
  public func with(_ name: String, _ value: Double?) -> Evidence {
    guard let value, value.isFinite else { return self }
    return adding(name, .number((value * 1000).rounded() / 1000))
  }

  /// Adds a text unless it is nil.
  public func with(_ name: String, _ value: String?) -> Evidence {
    value.map { adding(name, .text($0)) } ?? self
  }

  /// The value with a name; nil if there is none.
  public subscript(_ name: String) -> Value? { members.first { $0.name == name }?.value }

  /// Whether there is a value with this name.
  public func has(_ name: String) -> Bool { self[name] != nil }

  /// The number with a name; nil if there is none.
  public func number(_ name: String) -> Double? {
    if case .number(let number)? = self[name] { number } else { nil }
  }

  /// The word with a name; nil if there is none, or another one.
  public func word<Word: RawRepresentable>(_ name: String) -> Word? where Word.RawValue == String {
    if case .text(let text)? = self[name] { Word(rawValue: text) } else { nil }
  }

  /// The JSON object.
  public var json: String {
    "{" + members.map { "\"\($0.name)\":\($0.value.json)" }.joined(separator: ",") + "}"
  }

  private func adding(_ name: String, _ value: Value) -> Evidence {
    var more = self
    more.members.append(Member(name: name, value: value))
    return more
  }
}

extension Evidence.Value: CustomStringConvertible {
  /// A number without needless decimals, or the text.
  public var description: String {
    switch self {
    case .number(let value): abs(value) < 1e12 && value == value.rounded() ? "\(Int(value))" : "\(value)"
    case .text(let text): text
    }
  }

  fileprivate var json: String {
    guard case .text(let text) = self else { return description }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      default: escaped += scalar.value < 0x20 ? " " : String(scalar)
      }
    }
    return "\"\(escaped)\""
  }
}
