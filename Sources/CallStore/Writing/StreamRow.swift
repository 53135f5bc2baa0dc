import CallModel

/// A stream of the source that is being written, with the samples that wait to be stored.
final class StreamRow {
  /// Position among the source's streams, from which its key follows.
  let index: Int
  var part: Int
  var facts: StreamFacts
  var totals: StreamTotals?
  var tally = StreamTally()
  var stored = 0
  /// Samples not yet stored, by time and each time once.
  private(set) var waiting: [WaitingSample] = []
  /// Latest time that is in the database already.
  var storedThrough = -Double.infinity
  /// Whether samples came so late that the tally has to be made again from the database.
  var hasLatecomers = false

  init(index: Int, part: Int, facts: StreamFacts) {
    self.index = index
    self.part = part
    self.facts = facts
  }

  /// Adds facts: nil leaves what is known.
  func add(_ more: StreamFacts) {
    facts.source = more.source
    if more.direction != .unknown { facts.direction = more.direction }
    facts.kind = more.kind ?? facts.kind
    facts.ssrc = more.ssrc ?? facts.ssrc
    facts.rtxSsrc = more.rtxSsrc ?? facts.rtxSsrc
    facts.mid = more.mid ?? facts.mid
    facts.rid = more.rid ?? facts.rid
    if let codec = more.codec {
      // What was known of another codec says nothing of this one.
      if let before = facts.codec, before != codec {
        (facts.fmtp, facts.payloadType, facts.channels) = (nil, nil, nil)
        (facts.clockRate, facts.clockRateGuessed) = (nil, nil)
      }
      facts.codec = codec
    }
    facts.fmtp = more.fmtp ?? facts.fmtp
    facts.payloadType = more.payloadType ?? facts.payloadType
    facts.clockRate = more.clockRate ?? facts.clockRate
    facts.clockRateGuessed = more.clockRateGuessed ?? facts.clockRateGuessed
    facts.channels = more.channels ?? facts.channels
    facts.local = more.local ?? facts.local
    facts.remote = more.remote ?? facts.remote
    facts.screen = more.screen ?? facts.screen
    facts.implementation = more.implementation ?? facts.implementation
  }

  /// Queues a sample at its place; returns whether the queue became longer.
  func enqueue(_ sample: borrowing Sample, extra: String?) -> Bool {
    guard let last = waiting.indices.last, sample.timeMs <= waiting[last].sample.timeMs else {
      waiting.append(WaitingSample(sample: copy sample, extra: extra))
      return true
    }
    let place = firstIndex(notBefore: sample.timeMs)
    if waiting[place].sample.timeMs == sample.timeMs {
      var more = copy sample
      more.look { waiting[place].sample.merge($0) }
      waiting[place].extra = extra ?? waiting[place].extra
      return false
    }
    waiting.insert(WaitingSample(sample: copy sample, extra: extra), at: place)
    return true
  }

  /// Lets what waits leave; as much is made room for again where it was used, for of thousands of streams each has a few.
  func takeWaiting() -> [WaitingSample] {
    let taken = waiting
    waiting = []
    if taken.count >= 16 { waiting.reserveCapacity(taken.count + taken.count / 8) }
    return taken
  }

  private func firstIndex(notBefore time: Double) -> Int {
    var low = 0
    var high = waiting.count
    while low < high {
      let middle = (low + high) / 2
      if waiting[middle].sample.timeMs < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A sample on its way into the database.
struct WaitingSample {
  var sample: Sample
  /// JSON object of members without a column.
  var extra: String?
}

extension UnsafePointer<WaitingSample> {
  /// The sample where it lies: it is the first of the members.
  @inline(__always)
  var sample: SampleView { SampleView(UnsafeRawPointer(self).assumingMemoryBound(to: Sample.self)) }
}
