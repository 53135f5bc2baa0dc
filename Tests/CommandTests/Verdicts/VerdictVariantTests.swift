import Foundation
import SharedRecordings
import Testing

@Suite("Verdicts on calls that were altered in a known way")
struct VerdictVariantTests {
  /// Judged calls whose files have other names, another order, packing, format, poll or place of the capture.
  private static let variants: [(String, String)] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: shared.path).sorted()) ?? []
    return Corpus.judged.flatMap { name in
      let verdict = (try? Corpus.named(name).verdict) ?? ""
      return names.filter { $0.hasPrefix(name.dropFirst("judged-".count) + "~") }.map { ($0, verdict) }
    }
  }()

  private static let shared = SharedRecordings.folder("verdicts/suite")

  @Test(
    "names, order, packing, format and the place of a capture do not change it",
    .enabled(if: !variants.isEmpty, "needs the calls in ../shared/verdicts"), arguments: variants)
  func invariant(id: String, word: String) throws {
    let place = Self.shared.appendingPathComponent(id)
    let files = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    let verdict = try Reading(files.map { place.appendingPathComponent($0).path }).call().at("verdict")?.text
    // Who saw less may know less.
    #expect(verdict == word || verdict == "unjudged", "\(verdict ?? "nothing")")
  }
}
