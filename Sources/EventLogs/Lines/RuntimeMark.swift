/// What the Container Runtime Interface puts in front of a part: `TIME stdout P `, more tags behind a colon.
struct RuntimeMark {
  var isError: Bool
  var goesOn: Bool
  var textStart: Int

  init?(_ line: UnsafeBufferPointer<UInt8>) {
    // Times in RFC 3339, to the second or to the nanosecond, of any zone.
    guard line.count >= 30, line[10] == UInt8(ascii: "T"), line[4] == UInt8(ascii: "-"),
      let space = line[20..<min(line.count, 40)].firstIndex(of: UInt8(ascii: " ")), space + 9 <= line.count
    else { return nil }
    let stream = line[(space + 1)..<(space + 8)]
    if stream.elementsEqual("stdout ".utf8) {
      isError = false
    } else if stream.elementsEqual("stderr ".utf8) {
      isError = true
    } else {
      return nil
    }
    let tag = space + 8
    guard line[tag] == UInt8(ascii: "P") || line[tag] == UInt8(ascii: "F") else { return nil }
    goesOn = line[tag] == UInt8(ascii: "P")
    guard tag + 1 < line.count else {
      textStart = line.count
      return
    }
    guard line[tag + 1] == UInt8(ascii: " ") || line[tag + 1] == UInt8(ascii: ":"),
      let end = line[tag...].firstIndex(of: UInt8(ascii: " "))
    else { return nil }
    textStart = end + 1
  }
}
