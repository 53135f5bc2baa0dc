import Rendering

/// A sentence as the page shows it, with the calls that it is about.
struct LinkedSentence {
  let text: String
  /// Number of calls that it is about, and the ids of those listed, in the order in which to open them.
  var count = 0
  var ids: [String] = []
  /// The commands that list all of them.
  var commands: [String] = []

  /// Maximum number of calls listed below a sentence.
  static let most = 200

  init(_ text: String) { self.text = text }
}

/// The sentences about what changed, and the calls behind them.
extension PageWriter {
  func write(sentences main: inout HTML) {
    main.element("section", ["class": "sentences", "aria-label": "What changed, and how sure that is"]) {
      section in
      for (index, sentence) in sentences.enumerated() {
        guard sentence.count > 0 || !sentence.commands.isEmpty else {
          section.element("p", sentence.text)
          continue
        }
        let anchor = "calls-\(index + 1)"
        section.element("p") { line in
          line.text(sentence.text + " ")
          line.element("a", ["class": "calls", "href": "#\(anchor)"], Self.link(sentence))
        }
        write(listOf: sentence, as: anchor, &section)
      }
    }
  }

  /// A longer list of calls is left out of a printed page.
  private static let maxOnPaper = 50

  private static func link(_ sentence: LinkedSentence) -> String {
    switch sentence.count {
    case 0: "how to list them"
    case 1: "this call"
    default: "these \(ValueText.grouped(Double(sentence.count))) calls"
    }
  }

  /// The calls of a sentence and the commands that list them, collapsed.
  private func write(listOf sentence: LinkedSentence, as anchor: String, _ section: inout HTML) {
    let isLong = sentence.ids.count > Self.maxOnPaper
    section.element("details", ["class": "listed-calls", "id": anchor, "data-long": isLong ? "" : nil]) {
      details in
      let calls = sentence.count == 0 ? "" : ValueText.count(sentence.count, "call") + " and "
      details.element(
        "summary", calls + (sentence.commands.count > 1 ? "the commands that list them" : "the command"))
      if !sentence.ids.isEmpty {
        details.element("p") { list in
          for (index, id) in sentence.ids.enumerated() {
            if index > 0 { list.text(", ") }
            cells.call(id, into: &list)
          }
          let more = sentence.count - sentence.ids.count
          if more > 0 {
            list.text(
              sentence.commands.isEmpty ? "; \(more) more" : "; \(more) more, which the command lists too")
          }
        }
      }
      for command in sentence.commands { details.element("code", command) }
    }
  }

  /// The groups of the headline, each with a few of its calls and the command that lists them all.
  func write(groups main: inout HTML) {
    guard !groups.isEmpty else { return }
    main.element(
      "section", ["class": "groups", "id": "calls", "aria-label": "The calls that these sentences are about"]
    ) {
      $0.element("ul") { list in
        for group in groups {
          list.element("li") { item in
            item.element("b", group.words)
            item.text(" · \(ValueText.count(group.count, "call")), first ")
            for (index, id) in group.calls.enumerated() {
              if index > 0 { item.text(", ") }
              cells.call(id, into: &item)
            }
            if let changePoint = group.changePoint { write(changePoint, &item) }
            if let command = group.command { item.element("code", command) }
          }
        }
      }
    }
  }

  /// When it began, whether it lasted, and its share per hour.
  private func write(_ changePoint: ChangePoint, _ item: inout HTML) {
    func clock(_ ms: Double) -> String {
      cells.words.zone.clockText(ms).map { String($0.prefix(5)) } ?? ValueText.unknown
    }
    let words =
      switch (changePoint.fromMs, changePoint.untilMs) {
      case (let from?, let until?): "from \(clock(from)) to \(clock(until))"
      case (let from?, nil): "since \(clock(from)), to the end"
      case (nil, let until?): "until \(clock(until))"
      case (nil, nil): "all night"
      }
    item.text(" · \(words) ")
    let known = changePoint.hours.compactMap { $0 }
    guard changePoint.hours.count > 2, let top = known.max(), let low = known.min(), top > low else { return }
    InlineCharts.spark(
      changePoint.hours, within: min(0, low)...top, of: "hours of the night, from the first call on",
      text: { top <= 1 ? ValueText.percent($0) : CellText.fixed($0, decimals: 1) }, into: &item)
  }
}
