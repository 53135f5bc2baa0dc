import CallModel
import Rendering

/// A comparison as JUnit XML: one suite per SDK with one test per gate, and a suite of the calls that a manifest names.
///
/// A failed gate is a failure, an undecided one an error of type `inconclusive`; excluded calls and known failures are
/// skipped.
public struct JUnit {
  private var bytes: [UInt8] = []

  /// The XML document. `expectations` has the columns of `queries/expectations.sql`.
  public static func document(_ judgement: NightJudgement, expectations: Table) -> [UInt8] {
    var writer = JUnit()
    writer.add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"callqa\">\n")
    for sdk in judgement.sdks {
      writer.suite("gates.\(sdk)", judgement.results.filter { $0.sdk == sdk }.map(Self.gate))
    }
    if !expectations.rows.isEmpty {
      writer.suite("calls", expectations.rows.map { Self.call(expectations, $0) })
    }
    writer.add("</testsuites>\n")
    return writer.bytes
  }

  private struct Case {
    enum Outcome { case passed, failed, inconclusive, skipped }

    var group: String
    var name: String
    var seconds = 0.0
    var outcome: Outcome
    var message: String
    /// The verdict on the call and the place of its fault, each as one word, those that are known.
    var properties: [(name: String, value: String)] = []
  }

  private static func gate(_ result: GateResult) -> Case {
    let outcome: Case.Outcome =
      switch result.verdict {
      case .pass: .passed
      case .fail: .failed
      case .inconclusive: .inconclusive
      }
    var message = result.reason
    if let contrast = result.contrast, let low = contrast.low, let high = contrast.high,
      !result.gate.figure.isCount
    {
      let figure = "\(result.gate.figure)"
      let words = ValueText.moves([contrast.estimate, low, high], of: figure)
      message += " (\(Self.what(result.gate))\(words[0])\(ValueText.unit(of: figure)), between "
      message += "\(words[1]) and \(words[2]); \(contrast.method.rawValue))"
    }
    return Case(
      group: "callqa.gates.\(result.sdk)", name: result.gate.text, outcome: outcome, message: message)
  }

  /// What the interval of a gate measures: a change, or the excess over a multiple of the baseline.
  private static func what(_ gate: Gate) -> String {
    guard gate.isRelative else { return "" }
    return gate.factor == 1 ? "change " : "against \(CellText.readable(gate.factor)) × the baseline "
  }

  private static func call(_ table: Table, _ row: [Cell]) -> Case {
    let problem = table.cell(row, "trouble").string
    let aside =
      table.cell(row, "excluded").string
      ?? (problem == nil ? nil : table.cell(row, "known").string.map { "known: \($0)" })
    let name = [table.cell(row, "scenario").string, table.cell(row, "call_id").string].compactMap { $0 }
      .joined(separator: " ")
    return Case(
      group: "callqa.calls.\(table.cell(row, "sdk").string ?? "unknown")", name: name,
      seconds: (table.cell(row, "duration_ms").number ?? 0) / 1000,
      outcome: aside != nil ? .skipped : problem == nil ? .passed : .failed, message: aside ?? problem ?? "",
      properties: ["verdict", "place"].compactMap { name in table.cell(row, name).string.map { (name, $0) } })
  }

  private mutating func suite(_ name: String, _ cases: [Case]) {
    func count(_ outcome: Case.Outcome) -> Int { cases.count { $0.outcome == outcome } }
    add("  <testsuite name=\"")
    attribute(name)
    add(
      "\" tests=\"\(cases.count)\" failures=\"\(count(.failed))\" errors=\"\(count(.inconclusive))\" skipped=\"\(count(.skipped))\">\n"
    )
    for one in cases { test(one) }
    add("  </testsuite>\n")
  }

  private mutating func test(_ one: Case) {
    add("    <testcase classname=\"")
    attribute(one.group)
    add("\" name=\"")
    attribute(one.name)
    add("\" time=\"\(ValueText.fixed(max(0, one.seconds), 3))\"")
    let tag: String
    switch one.outcome {
    case .passed where one.properties.isEmpty:
      add("/>\n")
      return
    case .passed:
      add(">")
      add(one.properties)
      add("</testcase>\n")
      return
    case .failed: tag = "failure"
    case .inconclusive: tag = "error type=\"inconclusive\""
    case .skipped: tag = "skipped"
    }
    add(">")
    add(one.properties)
    add("<\(tag) message=\"")
    attribute(one.message)
    add("\"/></testcase>\n")
  }

  private mutating func add(_ properties: [(name: String, value: String)]) {
    guard !properties.isEmpty else { return }
    add("<properties>")
    for property in properties {
      add("<property name=\"\(property.name)\" value=\"")
      attribute(property.value)
      add("\"/>")
    }
    add("</properties>")
  }

  private mutating func add(_ markup: String) { bytes += Array(markup.utf8) }

  /// Text for an attribute value. XML 1.0 cannot represent control characters, so they become U+FFFD.
  private mutating func attribute(_ text: String) {
    Escape.html(
      text.unicodeScalars.map { $0.value == 9 || $0.value == 10 ? " " : String($0) }.joined(), into: &bytes)
  }
}
