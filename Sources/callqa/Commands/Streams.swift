import ArgumentParser

/// `callqa streams`: lists streams, one row per stream and source.
struct Streams: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "streams",
    abstract: "One row per stream and source, with its totals and means.",
    discussion: """
      Several files may have one stream. A table shows the row that the score is computed from; --all shows the others too. JSON and CSV \
      hold every row, with `chosen`.

      Column freezes is `freeze_ms`: how long the picture was frozen by the counter of the source. How long it stood still, as \
      `call` says it, also has pauses and what the counter leaves out (docs/metrics.md).

      Example:
        callqa streams worst
        callqa streams worst --all
        callqa streams worst --json
      """)

  @OptionGroup var call: ListedCall

  @Flag(help: "In a table, also the rows of other sources that saw the same streams.")
  var all = false

  @OptionGroup var list: ListOptions

  func run() throws {
    try list.print(
      .streams, ofCall: call.name,
      table: [
        "call_id", "endpoint", "source", "direction=way", "kind", "codec", "ssrc", "packets",
        "loss_share=loss@share", "jitter_mean_ms=jitter@ms", "concealed_share=concealed@share",
        "freeze_ms=freezes@ms",
      ] + (all ? ["pc", "chosen?"] : []), onlyWhere: all ? nil : "chosen?")
  }
}
