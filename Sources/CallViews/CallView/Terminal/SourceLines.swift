import CallModel
import Rendering

/// The files that the results are based on.
struct SourceLines {
  package let account: CallAccount
  package let ink: TerminalStyle
  package let width: Int

  package init(_ account: CallAccount, ink: TerminalStyle, width: Int) {
    (self.account, self.ink, self.width) = (account, ink, width)
  }

  package var lines: [String] {
    let names = SourceWords.names(account.sources)
    return account.sources.flatMap { source -> [String] in
      let line =
        "\(VisibleText.visible(names[source.key] ?? source.name))  \(ink(.faint, SourceWords.facts(source)))"
      return [line]
        + source.notes.prefix(4).flatMap { note in
          VisibleText.wrap(VisibleText.visible(note), to: width - 2).map { "  " + ink(.faint, $0) }
        }
    }
  }
}
