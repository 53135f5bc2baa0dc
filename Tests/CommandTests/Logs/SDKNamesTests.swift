import Foundation
import Testing

@Suite("An SDK is data")
struct SDKNamesTests {
  /// Where an SDK's name may stand in Swift, and why.
  private static let known: [(file: String, why: String)] = [
    ("EventLogs/Families/KandyInfo.swift", "objects that KandyLink hands to callAdditionalInfoChanged"),
    ("EventLogs/Families/PexipConference.swift", "Pexip's participants of a conference"),
    ("EventLogs/Lines/OracleFrame.swift", "Oracle's frames of JSON over a WebSocket"),
    ("EventLogs/RunLogLineReader.swift", "an example of a run log's line"),
    ("GetStats/GoogText/GoogTextReader.swift", "statistics as KandyLink's SDK prints them"),
    ("Reporting/Definition/Palette.swift", "the colour of each family, the same in all nights"),
    ("Scoring/Model/ScoreModel.swift", "the name of Pexip's published quality levels"),
    ("Simulating/FleetPlan.swift", "the fleet that is made up has the five families"),
  ]

  @Test("no SDK is named in Swift but where its own format is read, and each such place has a reason")
  func names() throws {
    let folder = Tool.root.appendingPathComponent("Sources")
    let sdks = try FileManager.default.contentsOfDirectory(
      atPath: folder.appendingPathComponent("EventLogs/Dialects").path
    )
    .filter { $0.hasSuffix(".json") && !["w3c.json", "codes.json"].contains($0) }
    .map { "\"\($0.dropLast(5))\"" }
    #expect(sdks.count >= 5)
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    var found: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      if sdks.contains(where: text.contains) { found.insert(file) }
    }
    #expect(found == Set(Self.known.map(\.file)))
  }
}
