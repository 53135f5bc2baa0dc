/// The length (2–4) of a well-formed multi-byte UTF-8 sequence (RFC 3629) at an offset, or 0.
///
/// Overlong forms, surrogates and code points above U+10FFFF are not well formed.
@inlinable
func utf8Length(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int, end: Int) -> Int {
  let first = bytes[position]
  let length: Int
  var lowest: UInt8 = 0x80
  var highest: UInt8 = 0xBF
  switch first {
  case 0xC2...0xDF: length = 2
  case 0xE0...0xEF:
    length = 3
    if first == 0xE0 { lowest = 0xA0 }
    if first == 0xED { highest = 0x9F }
  case 0xF0...0xF4:
    length = 4
    if first == 0xF0 { lowest = 0x90 }
    if first == 0xF4 { highest = 0x8F }
  default: return 0
  }
  guard position &+ length <= end else { return 0 }
  let second = bytes[position &+ 1]
  guard second >= lowest, second <= highest else { return 0 }
  var index = 2
  while index < length {
    if bytes[position &+ index] & 0xC0 != 0x80 { return 0 }
    index &+= 1
  }
  return length
}

/// A mask whose lowest set bit is in the first of eight bytes that needs handling in a JSON string: quote, backslash,
/// control character, or non-ASCII byte. 0 if there is none.
@inlinable @inline(__always)
func specialInString(_ word: UInt64) -> UInt64 {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let highs: UInt64 = 0x8080_8080_8080_8080
  let quote = word ^ (ones &* 0x22)
  let backslash = word ^ (ones &* 0x5C)
  let quotes = (quote &- ones) & ~quote
  let backslashes = (backslash &- ones) & ~backslash
  let controls = (word &- (ones &* 0x20)) & ~word
  return (quotes | backslashes | controls | word) & highs
}
