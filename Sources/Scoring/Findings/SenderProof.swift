import CallModel

/// What the far end's RTCP reports, from a capture or from statistics, prove about audio that did not arrive: that it
/// was sent and lost in transit, or that it was not sent.
struct SenderProof {
  /// What the reports say about a period.
  private struct ReportedPeriod {
    var start: Double
    var end: Double
    /// Packets sent that did not arrive; nil if the reports are encrypted.
    var packets: Double?
    var reports: Double?
    /// Whether no packet of the stream ever arrived.
    var isWhole: Bool
    /// Whether the sequence numbers of later packets are the evidence, for an outage that ended.
    var isByNumbers = false
    var isSent: Bool { packets.map { $0 >= Threshold.sentPackets.value } ?? true }
    var lengthMs: Double { end - start }
  }

  private let periods: [ReportedPeriod]

  /// - Parameter unreceived: media for which statistics have such reports but no packet.
  init(_ context: FindingContext, _ unreceived: [UnreceivedMedia] = []) {
    let counted = unreceived.filter { $0.kind == .audio && $0.isWhole }.map {
      ReportedPeriod(start: $0.startMs, end: $0.endMs, packets: $0.packets, isWhole: true)
    }
    let captured = context.events.compactMap { event -> ReportedPeriod? in
      guard let note = event.note, [.unheard, .lostBetween, .sentAfter].contains(note),
        let start = event.timeMs, let until = event[.untilMs]
      else { return nil }
      return ReportedPeriod(
        start: start, end: until, packets: event[.sentPackets],
        reports: event[.reports], isWhole: note == .unheard,
        isByNumbers: note == .lostBetween)
    }
    periods = (counted + captured).map { period in
      var period = period
      period.end = min(period.end, context.overMs ?? period.end)
      return period
    }.filter {
      $0.lengthMs >= ($0.isByNumbers ? Threshold.noSound.value : Threshold.missingMedium.value)
        && !context.quietTimes.hasMost(of: (start: $0.start, end: $0.end))
    }
  }

  /// Adds the proof from reports to the findings, and findings that only reports show.
  func completing(_ findings: [Finding]) -> [Finding] {
    var all = findings
    for period in periods {
      let places = all.indices.filter { place in
        [.oneWayAudio, .noMedia, .droppedMidCall].contains(all[place].code)
          && (all[place].startMs ?? -.infinity) < period.end && (all[place].endMs ?? .infinity) > period.start
      }
      let sound = places.filter { all[$0].code == .oneWayAudio && all[$0].missing == .packets }
      if period.isSent {
        for place in sound { all[place].evidence = figures(all[place].evidence, period) }
        if places.isEmpty, !period.isByNumbers { all.append(lost(period)) }
      } else if !places.isEmpty {
        for place in sound { all[place] = unsent(period) }
      } else if !all.contains(where: { $0.code == .farEndSilent && overlaps($0, period) }) {
        all.append(unsent(period))
      }
    }
    return all
  }

  private func overlaps(_ finding: Finding, _ period: ReportedPeriod) -> Bool {
    (finding.startMs ?? -.infinity) < period.end && (finding.endMs ?? .infinity) > period.start
  }

  private func figures(_ evidence: Evidence, _ period: ReportedPeriod) -> Evidence {
    evidence.with("by", period.isByNumbers ? "sequence numbers" : "sender reports").with(
      "sent_packets", period.packets
    ).with("reports", period.reports)
  }

  private func lost(_ period: ReportedPeriod) -> Finding {
    let what = period.packets.map { "\(Int(min($0, 1e12))) packets of sound" } ?? "sound"
    var finding = Finding(
      .oneWayAudio, .error, from: period.start, to: period.end,
      figures(Evidence().with("without_packets_ms", period.lengthMs), period),
      "By its own reports (RTCP) the far end sent \(what), and not one packet came for \(seconds(period.lengthMs))\(period.isWhole ? "." : ", up to the end.")"
    )
    finding.missing = .packets
    return finding
  }

  private func unsent(_ period: ReportedPeriod) -> Finding {
    Finding(
      .farEndSilent, .info, from: period.start, to: period.end,
      figures(Evidence().with("not_sent_ms", period.lengthMs), period),
      "The far end sent no sound for \(seconds(period.lengthMs)): by its own count it sent no packet that did not come."
    )
  }
}
