/// The files the answer rests on.
struct SourceLines {
  let account: CallAccount
  let ink: Ink
  let width: Int

  init(_ account: CallAccount, ink: Ink, width: Int) {
    (self.account, self.ink, self.width) = (account, ink, width)
  }

  var lines: [String] {
    account.sources.flatMap { source -> [String] in
      let line = "\(VisibleText.visible(source.name))  \(ink(.faint, SourceWords.facts(source)))"
      return [line]
        + source.notes.prefix(4).flatMap { note in
          VisibleText.wrap(VisibleText.visible(note), to: width - 2).map { "  " + ink(.faint, $0) }
        }
    }
  }
}
