import Bytes

/// Puts back the media sections that rtcstats left out of a description because they were the same as in the created one.
///
/// The first section stands as `v=`, others as `m=` (rtcstats-shared, `descriptionCompression`).
struct DescriptionDelta {
  /// What createOffer or createAnswer gave last, by type.
  private var created: [String: [String]] = [:]

  /// Remembers a created description.
  mutating func remember(_ value: EventValue) {
    guard let type = value.member("type"), let sdp = value.member("sdp"), sdp.utf8.count < 1 << 20 else {
      return
    }
    created[type] = Self.sections(sdp)
  }

  /// The description in full; as it is where nothing was left out.
  func restore(_ value: EventValue) -> EventValue {
    guard let type = value.member("type"), let sdp = value.member("sdp"), let base = created[type] else {
      return value
    }
    let sections = Self.sections(sdp)
    let isLeftOut = sections.enumerated().map { $1 == ($0 == 0 ? "v=" : "m=") }
    guard isLeftOut.contains(true) else { return value }
    let full = sections.enumerated().map { index, section in
      isLeftOut[index] && index < base.count ? base[index] : section
    }
    var json = ByteWriter()
    json.append("{\"type\":")
    json.append(json: type)
    json.append(",\"sdp\":")
    json.append(json: full.joined(separator: "\r\n") + "\r\n")
    json.append("}")
    return EventValue(text: json.bytes)
  }

  private static func sections(_ sdp: String) -> [String] {
    var sections: [String] = []
    for line in sdp.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("m=") || sections.isEmpty {
        sections.append(String(line))
      } else {
        sections[sections.count - 1] += "\r\n" + line
      }
    }
    return sections
  }
}
