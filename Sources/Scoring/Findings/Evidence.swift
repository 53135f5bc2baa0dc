import CallModel

/// The figures a finding rests on, as a JSON object with its members in the order they were added.
public struct Evidence {
  private(set) var members: [(name: String, value: String)] = []

  public init() {}

  /// Adds a number unless it is nil; integers without a decimal point, other numbers with up to three decimals.
  public func with(_ name: String, _ value: Double?) -> Evidence {
    guard let value, value.isFinite else { return self }
    let thousandths = (value * 1000).rounded()
    let text =
      abs(thousandths) < 1e15 && thousandths.truncatingRemainder(dividingBy: 1000) == 0
      ? "\(Int(thousandths / 1000))" : "\((value * 1000).rounded() / 1000)"
    return adding(name, text)
  }

  /// Adds a text unless it is nil.
  public func with(_ name: String, _ value: String?) -> Evidence {
    guard let value else { return self }
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      default: escaped += scalar.value < 0x20 ? " " : String(scalar)
      }
    }
    return adding(name, "\"\(escaped)\"")
  }

  /// The JSON object.
  var json: String { "{" + members.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}" }

  private func adding(_ name: String, _ value: String) -> Evidence {
    var more = self
    more.members.append((name, value))
    return more
  }
}

extension Finding {
  /// Creates a finding with its time. In debug builds it must be as `FindingInfo` says.
  public init(
    _ code: FindingCode, _ severity: Severity, from start: Double?, to end: Double?, _ evidence: Evidence,
    _ text: String
  ) {
    assert(
      FindingInfo.of(code).map { info in
        info.severities.contains { $0.key == severity }
          && evidence.members.allSatisfy { member in info.evidence.contains { $0.name == member.name } }
      } == true, "FindingInfo does not have \(severity) \(code.rawValue) with \(evidence.json)")
    self.init(code, severity, evidence: evidence.json, text: text)
    startMs = start
    endMs = end
  }
}
