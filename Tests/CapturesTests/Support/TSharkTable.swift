import Foundation

/// A line of `tshark -q -z rtp,streams`, as kept beside a capture.
struct TSharkLine: Equatable, CustomStringConvertible {
  var ssrc: UInt32
  var source: String
  var destination: String
  var packets: Int
  var lost: Int
  /// Mean and maximum as printed, nil where TShark had no clock.
  var meanJitter: String?
  var maxJitter: String?

  var description: String {
    "0x\(String(ssrc, radix: 16)) \(source) > \(destination): \(packets) packets, \(lost) lost, jitter \(meanJitter ?? "-") / \(maxJitter ?? "-")"
  }

  /// The first table of a file (both heuristics on).
  static func read(_ url: URL) throws -> [TSharkLine] {
    let text = try String(contentsOf: url, encoding: .utf8)
    var inTable = false
    var lines: [TSharkLine] = []
    for line in text.split(separator: "\n") {
      if line.contains("= RTP Streams =") {
        inTable = true
      } else if line.hasPrefix("=====") && inTable {
        break
      }
      guard inTable, line.contains("0x") else { continue }
      let words = line.split(separator: " ")
      guard let percent = words.firstIndex(where: { $0.hasPrefix("(") && $0.hasSuffix("%)") }),
        words.count > percent + 6, let ssrc = UInt32(words[6].dropFirst(2), radix: 16),
        let packets = Int(words[percent - 2]), let lost = Int(words[percent - 1])
      else { continue }
      let hasJitter = words[percent + 4] != "-1.000"
      lines.append(
        TSharkLine(
          ssrc: ssrc, source: "\(words[2]):\(words[3])", destination: "\(words[4]):\(words[5])",
          packets: packets, lost: lost, meanJitter: hasJitter ? String(words[percent + 5]) : nil,
          maxJitter: hasJitter ? String(words[percent + 6]) : nil))
    }
    return lines
  }
}
