/// Reads JSON values with separators other than line feeds as a source of lines.
///
/// Amazon Firehose concatenates its records; `jq --seq` and others begin each with a record separator (RFC 7464);
/// printing the elements of a list leaves a comma at the end of each line; and some old files end lines with a carriage
/// return alone.
public enum JSONSequence {
  private enum Separator { case none, comma, carriageReturn, recordSeparator }

  /// The values, one per line; nil unless the first bytes show one of these separators.
  public static func lines(_ source: HeadedSource) -> (any ByteSource)? {
    switch source.head.withUnsafeBufferPointer(separator) {
    case .carriageReturn?:
      return MappedBytes(source) { byte, out in
        if let byte { out.append(byte == UInt8(ascii: "\r") ? lineFeed : byte) }
      }
    case .recordSeparator?:
      // A separated value may span several lines.
      return MappedBytes(source) { byte, out in
        guard let byte else { return }
        out.append(byte == record ? lineFeed : isLineEnd(byte) ? UInt8(ascii: " ") : byte)
      }
    case .comma?:
      var isHeld = false
      return MappedBytes(source) { byte, out in
        guard let byte else { return }
        if isHeld, !isLineEnd(byte) { out.append(UInt8(ascii: ",")) }
        isHeld = byte == UInt8(ascii: ",")
        if !isHeld { out.append(byte) }
      }
    case .none?: return parted(source)
    case nil: return nil
    }
  }

  // In JSON an opening bracket never follows a closing one directly: the next value begins there.
  private static func parted(_ source: HeadedSource) -> any ByteSource {
    var (isInString, isEscaped, hasClosed) = (false, false, false)
    return MappedBytes(source) { byte, out in
      guard let byte else { return }
      defer { out.append(byte) }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else {
          isEscaped = byte == UInt8(ascii: "\\")
          isInString = byte != UInt8(ascii: "\"")
        }
        return
      }
      isInString = byte == UInt8(ascii: "\"")
      if hasClosed, opens(byte) { out.append(lineFeed) }
      if byte > UInt8(ascii: " ") { hasClosed = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") }
    }
  }

  /// The separator after the first value, which must be an object on one line.
  private static func separator(_ head: UnsafeBufferPointer<UInt8>) -> Separator? {
    guard let first = head.firstIndex(where: { $0 > UInt8(ascii: " ") || $0 == record }) else { return nil }
    if head[first] == record {
      return head[(first + 1)...].first(where: isMark).map(opens) == true ? .recordSeparator : nil
    }
    var scanner = JSONScanner(head)
    guard (try? scanner.peek()) == .object, (try? scanner.skip()) != nil,
      !head[..<scanner.position].contains(lineFeed)
    else { return nil }
    let rest = head[scanner.position...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let next = rest.dropFirst().first
    switch rest.first {
    case record?: return .recordSeparator
    case UInt8(ascii: ",")?: return next.map(isLineEnd) == true ? .comma : nil
    case UInt8(ascii: "\r")?: return next.map { $0 != lineFeed } == true ? .carriageReturn : nil
    case let byte? where opens(byte):
      // If there are lines, the values on one line may belong together.
      return rest.contains { $0 == lineFeed }
        && rest[(rest.firstIndex(of: lineFeed) ?? 0)...].contains(where: isMark)
        ? nil : Separator.none
    default: return nil
    }
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let record: UInt8 = 0x1E
  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == lineFeed || byte == UInt8(ascii: "\r") }
  private static func isMark(_ byte: UInt8) -> Bool { byte > UInt8(ascii: " ") }
  private static func opens(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }
}
