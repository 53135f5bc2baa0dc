/// The arguments of a callback that go on over lines, as Node and `JSON.stringify` print an object: its bracket is the last thing on the first line.
enum OpenArguments {
  /// Whether a message ends in the middle of such an object.
  static func begin(in message: ArraySlice<UInt8>) -> Bool {
    let first = message.prefix { $0 != UInt8(ascii: "\n") }
    guard let bracket = first.lastIndex(where: { $0 > UInt8(ascii: " ") }),
      [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first[bracket])
    else {
      return false
    }
    return LooseObject.end(of: message[bracket...]) == nil
  }

  /// Whether a line goes on with the object: it is indented, closes a bracket, or tells nothing of its own.
  static func goOn(in line: ArraySlice<UInt8>, tellsNothing: () -> Bool) -> Bool {
    guard let first = line.first else { return true }
    return first <= UInt8(ascii: " ") || "}])".utf8.contains(first) || tellsNothing()
  }
}
