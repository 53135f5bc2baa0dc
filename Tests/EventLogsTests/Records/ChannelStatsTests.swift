import CallModel
import Testing

@testable import EventLogs

@Suite("Asterisk's pjsip show channelstats")
struct ChannelStatsTests {
  private static let heading =
    " BridgeId ChannelId ........ UpTime.. Codec.   Count    Lost Pct  Jitter   Count    Lost Pct  Jitter RTT....\n"
  private static let row =
    " 2c2edc5b 1001-0000004f      00:01:28 ulaw     4396      44    1   0.002   4244       0    0   0.001   0.033\n"

  private func row(_ text: String) -> ChannelStatsRow? {
    ChannelStatsRow(text.split { $0 == " " || $0 == "\n" })
  }

  @Test("a row has both ways in ms and packets, with the bridge and the codec where they are")
  func whole() throws {
    let row = try #require(self.row(Self.row))
    #expect(row.bridge == "2c2edc5b" && row.channel == "1001-0000004f" && row.codec == "ulaw")
    #expect(row.upMs == 88_000 && row.rttMs == 33 && row.extension == "1001" && !row.mayBeCut)
    #expect(row.received.packets == 4396 && row.received.lost == 44 && row.received.percent == 1)
    #expect(row.received.jitterMs == 2 && row.sent.packets == 4244 && row.sent.jitterMs == 1)
    let bare = try #require(
      self.row(
        "          0001-00001267      00:00:15         702       0    0   0.000      1       1  100   0.001   0.031"
      ))
    #expect(bare.bridge == nil && bare.codec == nil && bare.sent.percent == 100)
  }

  @Test("a K stands for thousands, and an id of 18 characters may have been longer")
  func thousands() throws {
    let row = try #require(
      self.row(
        " 2c2edc5b sales-trunk-carrie 00:01:21 opus      151K      0    0   0.014   4100      68    1   0.007   0.539"
      ))
    #expect(row.received.packets == 151_000 && row.received.isRounded && !row.sent.isRounded)
    #expect(row.received.jitterMs == 14 && row.rttMs == 539 && row.mayBeCut && row.extension == nil)
  }

  @Test(
    "what is no row is none",
    arguments: [
      "", "=====", "Objects found: 3", "00:00:01 1 1 1 1 1 1 1 1 1", "x 00:00:01 ulaw 1 1 1 1 1 1 1 1",
      "b x 00:00:01 ulaw more 1 1 1 1 1 1 1 1 1", "b x 1:2 ulaw 1 1 1 1 1 1 1 1 1",
      "b x 00:00:01 ulaw 1 1 1 1 1 1 1 1 y",
    ])
  func others(text: String) { #expect(row(text) == nil) }

  @Test("a table becomes Asterisk's own word of each channel, at the time of the date above it")
  func table() throws {
    let found = try read(
      .channelStats,
      "Fri Nov 20 10:00:00 UTC 2026\n" + Self.heading + " ====\n\n" + Self.row + "\nObjects found: 2\n")
    #expect(found.names == [.callCreated, .mediaQualityReported, .mediaQualityReported])
    #expect(found.records.map(\.timeMs) == [1_795_168_712_000, 1_795_168_800_000, 1_795_168_800_000])
    #expect(
      found.records[1].args
        == #"{"by":"channelstats","of":"received","codec":"ulaw","packets":4396,"lost":44,"loss_percent":1,"jitter_ms":2,"rtt_ms":33}"#
    )
    #expect(found.facts[0]?.call == "bridge 2c2edc5b" && found.identities == [Identity(.person, "1001")])
    #expect(found.notes == ["channels without a row, by Asterisk's own count: 1"])
  }

  @Test("watch and the prompt of the console may stand around it; its date counts")
  func around() throws {
    let text =
      "Every 2.0s: asterisk -rx 'pjsip show channelstats'      pbx: Fri Nov 20 10:00:00 2026\n\npbx*CLI> pjsip show channelstats\n"
    #expect(try recognise(text + Self.heading) == .channelStats)
    let found = try read(.channelStats, text + Self.heading + Self.row)
    #expect(found.records.last?.timeMs == 1_795_168_800_000 && found.rejects.isEmpty)
  }

  @Test("a channel whose time begins anew is another one; a bridge that is reported later is its call")
  func again() throws {
    func table(_ bridge: String, _ up: String) -> String {
      Self.heading + " \(bridge) 1001-0000004f \(up) ulaw 1 0 0 0.0 1 0 0 0.0 0.0\nObjects found: 1\n"
    }
    let found = try read(
      .channelStats,
      table("        ", "00:00:05") + table("2c2edc5b", "00:01:05") + table("91f0aa17", "00:00:20"))
    #expect(found.facts.count == 2 && found.facts[0]?.call == "bridge 2c2edc5b")
    #expect(found.facts[1]?.call == "bridge 91f0aa17" && found.facts[1]?.name == "1001-0000004f, call 2")
    #expect(found.notes.contains { $0.hasPrefix("rows without a date above them") && $0.hasSuffix(": 3") })
  }

  @Test("a damaged row is refused with its line, and the others are taken")
  func damaged() throws {
    let found = try read(.channelStats, Self.heading + Self.row + Self.row.prefix(60) + "\n" + Self.row)
    #expect(found.rejects.map(\.line) == [3] && found.names.count == 5)
  }

  @Test("figures out of range are left out and counted")
  func impossible() throws {
    let found = try read(
      .channelStats,
      Self.heading + " b x-1 00:00:01 ulaw 99999999999999999999 4294967K 999 nan -1 0 0 inf -inf\n")
    #expect(
      found.records[1].args
        == #"{"by":"channelstats","of":"received","codec":"ulaw","lost":4294967000,"counted_in_thousands":true}"#
    )
    #expect(found.notes.contains("figures of channelstats out of range, left out: 6"))
  }
}
