import Bytes
import CallModel

extension PeerConnection {
  /// Reads the stream's own report out of one of the far end that it was merged with: peermetrics' WebRTCStats and others
  /// write `{...report, ...stats.get(report.remoteId)}`. Of members that both have there are those of the far end: its id,
  /// its type, and its time, so that the time is the poll's.
  func parseStream(_ scanner: inout JSONScanner, mergedWith farEnd: Report) throws {
    var id = farEnd.bytes(.localId)
    if id.isEmpty || id == farEnd.id { id = farEnd.id + Array("/stream".utf8) }
    let stream = try id.withUnsafeBufferPointer { id in
      // It may stand in the same poll as it was.
      if let known = known(id), known.snapshot == snapshot, !known.isMerged { return nil as Report? }
      return try report(id)
    }
    guard let stream else {
      try scanner.skip()
      return
    }
    if stream.become(partOf: farEnd) {
      isChanged = true
      try context.sink.note(
        "reports of streams merged with what the far end says of them: taken apart, each with the time of its poll"
      )
    }
    try context.parser.parse(&scanner, into: stream)
    stream.timeMs = .nan
    // In its own report they have other units, or are nobody's.
    stream.sample.clear(.rttMs)
    if stream.type == .outbound {
      for metric in [Metric.lost, .fractionLost, .jitterMs] { stream.sample.clear(metric) }
    }
    if stream.isChanged { try changed(stream) }
  }
}
