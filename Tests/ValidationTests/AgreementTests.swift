import Scoring
import SharedRecordings
import Testing
import Validation

@Suite("Agreement with the truth")
struct AgreementTests {
  @Test("A straight line agrees perfectly, whatever its slope")
  func line() throws {
    let agreement = try #require(Agreement((1...20).map { (figure: Double($0), truth: 5 - Double($0) / 10) }))
    #expect(abs((agreement.r ?? 0) + 1) < 1e-12 && abs((agreement.rho ?? 0) + 1) < 1e-12)
    #expect(agreement.error < 1e-12)
  }

  @Test("Known values, with ties: r 0.565, rho 0.662")
  func known() throws {
    let agreement = try #require(
      Agreement([(1, 2), (2, 1), (2, 4), (4, 3), (5, 5), (9, 4)].map { (figure: $0.0, truth: $0.1) }))
    #expect(abs((agreement.r ?? 0) - 0.5648) < 1e-4)
    #expect(abs((agreement.rho ?? 0) - 0.6618) < 1e-4)
  }

  @Test("A constant has no correlation, and neither have two points")
  func constant() throws {
    #expect(try #require(Agreement([(1, 1), (1, 2), (1, 3)].map { (figure: $0.0, truth: $0.1) })).r == nil)
    #expect(Agreement([(figure: 1, truth: 1), (figure: 2, truth: 2)]) == nil)
  }
}

/// The study of the recorded calls beside the package, compared with the documented agreement.
@Suite(
  "Study of recorded calls",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct StudyTests {
  @Test("callqa-3 meets its documented accuracy, and is better than all other models")
  func promises() throws {
    let study = try Study(folder: Recordings.folder)
    let ours = try #require(study.agreement("callqa-3"))
    #expect(ours.count == 206)
    #expect((ours.r ?? 0) >= 0.95 && (ours.rho ?? 0) >= 0.88 && ours.error <= 0.32)
    #expect((study.agreement("callqa-3", unstretched: true)?.r ?? 0) >= 0.95)
    #expect((study.callAgreement("callqa-3")?.r ?? 0) >= 0.985)
    for peer in ScoreModel.peers {
      let theirs = try #require(study.agreement(peer.name))
      #expect((ours.r ?? 0) > (theirs.r ?? 0) && ours.error < theirs.error, "\(peer.name)")
      for group in study.groups() where group != "clean" {
        let (one, other) = (
          study.agreement("callqa-3", group: group), study.agreement(peer.name, group: group)
        )
        #expect((one?.r ?? 0) > (other?.r ?? 0), "\(peer.name) in \(group)")
      }
    }
    let refit = try #require(Refit(study))
    #expect((refit.all.r ?? 0) >= 0.95 && (refit.all.rho ?? 0) >= 0.88 && refit.strictError <= 0.32)
    #expect((refit.unstretched?.r ?? 0) >= 0.95 && (refit.byCall?.r ?? 0) >= 0.985)
  }

  @Test("Freezes and pauses agree with the frames shown in 85 % of ends, as far as the browser counted them")
  func freezes() throws {
    let ends = try FreezeTruth.read(folder: Recordings.folder)
    #expect(ends.count == 52)
    #expect(Double(ends.filter(\.agrees).count) >= 0.85 * Double(ends.count))
    // Loss before repair and frame rate also take points; video that never froze has no rank by this ground truth.
    #expect((FreezeTruth.order(ends) ?? 0) >= 0.85)
  }

  @Test("Freezes and pauses of captures agree with the frames shown in 80 % of ends")
  func captureFreezes() throws {
    let study = try #require(Recordings.captures)
    let sides = ["callee", "caller"].map { study.figures($0) }
    let agreeing = sides.reduce(0) { $0 + $1.nearFreezes }
    #expect(Double(agreeing) >= 0.8 * Double(sides.reduce(0) { $0 + $1.pictures }), "\(agreeing)")
  }

  @Test("A capture's scores match those of the same end's statistics", arguments: ["callee", "caller"])
  func captures(side: String) throws {
    let figures = try #require(Recordings.captures).figures(side)
    #expect(figures.calls == 33 && figures.pictures == 26)
    #expect(Double(figures.nearCalls) >= 0.85 * Double(figures.calls), "means within 3: \(figures.nearCalls)")
    #expect((figures.r ?? 0) >= 0.99, "r \(figures.r ?? 0)")
    #expect(Double(figures.within5) >= 0.85 * Double(figures.windows), "within 5: \(figures.within5)")
    #expect(Double(figures.within12) >= 0.95 * Double(figures.windows), "within 12: \(figures.within12)")
  }
}

private enum Recordings {
  static let folder = SharedRecordings.folder("calls").path
  /// Read once for all tests.
  static let captures = try? CaptureStudy(folder: folder)
}
