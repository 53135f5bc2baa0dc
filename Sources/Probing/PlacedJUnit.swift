/// The placed calls as JUnit XML: a test that failed because of the application is a failure, a call that the machine
/// spoiled an error of type `rig`, and one that was not placed is skipped.
enum PlacedJUnit {
  static func document(_ results: [ProbeResult], notPlaced: [ProbePlan.Call]) -> String {
    let failed = results.count { $0.kind == .failed }
    let spoiled = results.count { $0.kind == .spoiled }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"callqa-probe\">\n"
    text += "  <testsuite name=\"placed\" tests=\"\(results.count + notPlaced.count)\" failures=\"\(failed)\""
    text += " errors=\"\(spoiled)\" skipped=\"\(notPlaced.count)\">\n"
    for result in results { text += test(result) }
    for call in notPlaced { text += open(call, 0) + "><skipped message=\"not placed\"/></testcase>\n" }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func test(_ result: ProbeResult) -> String {
    var text = open(result.call, (result.endedMs - result.beganMs) / 1000) + ">"
    let message = attribute(result.problems.joined(separator: "; "))
    switch result.kind {
    case .placed: break
    case .failed: text += "<failure message=\"\(message)\"/>"
    case .spoiled: text += "<error type=\"rig\" message=\"\(message)\"/>"
    }
    if !result.evidence.isEmpty {
      // The form that Jenkins and GitLab read.
      let lines = result.console + result.evidence.map { "[[ATTACHMENT|\($0)]]" }
      text += "<system-out>\(attribute(lines.joined(separator: "\n")))</system-out>"
    }
    return text + "</testcase>\n"
  }

  private static func open(_ call: ProbePlan.Call, _ seconds: Double) -> String {
    "    <testcase classname=\"placed.\(attribute(call.scenario.name))\" name=\"\(attribute(call.id))\""
      + " time=\"\((max(0, seconds) * 10).rounded() / 10)\""
  }

  /// XML 1.0 cannot represent control characters: they become U+FFFD.
  private static func attribute(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\n", "\t": text.unicodeScalars.append(scalar)
      case _ where scalar.value < 32 || (0xFFFE...0xFFFF).contains(scalar.value): text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
