/// Every end of a folder of calls scored from its capture and from its statistics, and how far the two agree.
public struct CaptureStudy: Sendable {
  /// How far the captures of one side agree with the statistics.
  public struct Figures: Sendable {
    /// Calls, those whose means differ by at most 3 points, and the correlation of means over calls.
    public var calls = 0
    public var nearCalls = 0
    public var r: Double?
    /// Active windows, and those within 5 and 12 points.
    public var windows = 0
    public var within5 = 0
    public var within12 = 0
    /// Ends whose frames were seen, and those where freezes and pauses differ from them by at most 20 % or 200 ms.
    public var pictures = 0
    public var nearFreezes = 0
  }

  public let ends: [CaptureAgreement]

  /// Reads `folder/CALL/END.stats.jsonl.gz` and `END.pcap.gz` of every call, those whose setup was slowed down on purpose
  /// left out: their round trips by STUN are not those of media.
  public init(folder: String) throws {
    ends = try CaptureAgreement.read(folder: folder).filter { !$0.pairs.isEmpty && !$0.end.contains("setup") }
  }

  /// The figures of `callee` or `caller`.
  public func figures(_ side: String) -> Figures {
    var figures = Figures()
    var means: [(Double, Double)] = []
    for end in ends where end.end.hasSuffix("/" + side) {
      figures.windows += end.pairs.count
      let differences = end.pairs.compactMap { $0.difference.map(abs) }
      figures.within5 += differences.filter { $0 <= 5 }.count
      figures.within12 += differences.filter { $0 <= 12 }.count
      if let mean = end.means {
        means.append(mean)
        figures.calls += 1
        if abs(mean.stats - mean.capture) <= 3 { figures.nearCalls += 1 }
      }
      if end.shown != nil {
        figures.pictures += 1
        if end.freezesAgree { figures.nearFreezes += 1 }
      }
    }
    figures.r = correlation(means.map(\.0), means.map(\.1))
    return figures
  }
}
