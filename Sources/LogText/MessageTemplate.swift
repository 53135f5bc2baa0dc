/// A Serilog message template that is filled in by the reader: `onStatusChanged: {Status}`, with its values beside it
/// or under `Properties`.
public enum MessageTemplate {
  /// The message with its values; placeholders without a value are unchanged.
  public static func filled(_ template: [UInt8], from object: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard template.contains(UInt8(ascii: "{")), let beside = try? LogArguments(object: object) else {
      return template
    }
    let inner = beside.json("Properties").flatMap { LogArguments.members(of: $0) } ?? LogArguments()
    // Members beside the template take precedence over those in `Properties`, and the first of a name over others.
    let values = Dictionary((beside.members + inner.members).map { ($0.name, $0.json) }) { first, _ in first }
    var out: [UInt8] = []
    var rest = template[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
      out += rest[..<open]
      guard let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else {
        rest = rest[open...]
        break
      }
      // `{@Call}` is an object, `{Delay,8:F1}` has a width and a format: the value is still beside it.
      let hole = rest[(open + 1)..<close].drop { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "$") }
      let name = String(
        decoding: hole.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ",") }, as: UTF8.self)
      if !name.isEmpty, let json = values[name] {
        out += Array((LogArguments.plain(json) ?? json).utf8)
      } else {
        out += rest[open...close]
      }
      rest = rest[(close + 1)...]
    }
    return out + rest
  }
}
