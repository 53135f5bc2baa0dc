/// A line of a text log without what carries it: the objects of loggers and collectors around it, the time in front of it, the frame of a console.
struct CarriedLine {
  /// The line's own time, else the innermost one around it.
  var stamp: LogTime.Stamp?
  var text: ArraySlice<UInt8>
  /// Whose it is, by what stands beside the text.
  var owner = LineOwner()

  init(_ line: UnsafeBufferPointer<UInt8>, _ stamps: inout TextStamps, _ finder: TextLine) {
    if let request = RequestObject.line(line), finder.isRequest(request.text[...]) {
      (stamp, text) = (request.stamp, request.text[...])
      return
    }
    let around = WrappedLine.inside(line)
    let (own, text) = stamps.split(around?.line?[...] ?? Array(line)[...])
    stamp = own ?? around?.stamp
    owner = around?.owner ?? LineOwner()
    self.text = text
    guard around == nil || around?.line != nil && own != nil,
      let inner = Self.object(endingLine: text, finder)
    else { return }
    owner = inner.owner.within(owner)
    guard let line = inner.line else { return }
    let (innermost, innerText) = stamps.split(line[...])
    stamp = innermost ?? inner.stamp ?? stamp
    self.text = innerText
  }

  // What a logger wrote as JSON stands behind what a collector put in front of it, and no words of a callback's.
  private static func object(endingLine text: ArraySlice<UInt8>, _ finder: TextLine) -> WrappedLine.Inside? {
    guard text.contains(UInt8(ascii: "{")) else { return nil }
    let found = text.withUnsafeBufferPointer { bytes -> (start: Int, inside: WrappedLine.Inside)? in
      guard let json = JSONTail.find(in: bytes), let start = json.baseAddress, let first = bytes.baseAddress,
        start > first,
        let inside = WrappedLine.inside(json), inside.line != nil
      else { return nil }
      return (start - first, inside)
    }
    guard let found, case .nothing = finder.find(text[..<(text.startIndex + found.start)], isWhole: true)
    else { return nil }
    return found.inside
  }
}
