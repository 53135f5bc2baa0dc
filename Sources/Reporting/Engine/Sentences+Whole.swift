/// What moved in all SDKs together.
extension Sentences {
  /// How a figure moved in all SDKs together; nil where it did not, or in one alone.
  func wholeChange(_ figure: Figure) -> WholeChange? {
    judgement.whole.first { $0.figure == figure.measured }
  }

  /// Whether a figure of an SDK is part of what is told of all of them.
  func isToldOfWhole(_ figure: Figure) -> Bool {
    let measured = figure == .poorShare ? .scoreMean : figure.measured
    return wholeChange(measured)?.isWorse == true
  }

  func wholeScore() -> String? {
    wholeChange(.scoreMean).map { whole in
      let size = Words.fixed(abs(whole.change), 1)
      return
        "Taken together, \(whole.name) score \(size) points \(whole.isWorse ? "lower" : "higher") than their baseline (between \(Words.signed(whole.low)) and \(Words.signed(whole.high)))."
    }
  }

  func wholeSetup() -> String? {
    wholeChange(.setupMean).map { whole in
      let moves = Words.moves([whole.change, whole.low, whole.high], of: whole.figure.description)
      let (now, before) = (Words.grouped(whole.value), Words.grouped(whole.value - whole.change))
      return
        "Taken together, setup of \(whole.name) takes \(now) ms in the mean, \(before) ms before (\(moves[0]) ms, between \(moves[1]) and \(moves[2]))."
    }
  }

  /// Only where more broke: that fewer did is no news that goes before others.
  func wholeBroken() -> String? {
    wholeChange(.brokenShare).flatMap { whole in
      guard whole.isWorse else { return nil }
      let ends = Words.moves([whole.low, whole.high], of: whole.figure.description)
      return
        "Taken together, of the calls of \(whole.name) \(Words.percent(whole.value)) broke, \(Words.percent(max(0, whole.value - whole.change))) before (between \(ends[0]) and \(ends[1]) pp)."
    }
  }
}

extension WholeChange {
  /// Of fewer broken calls nobody asks where.
  var isPlaceTold: Bool { figure != .brokenShare || isWorse }
}
