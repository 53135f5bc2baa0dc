import CallModel
import Testing

@testable import Reporting

@Suite("What stands out of a night")
struct TraitScanTests {
  private static let sdks = ["android", "ios", "web", "sip", "desk"]

  /// 80 calls of each of five SDKs in twenty scenarios that score and scatter differently; `change` alters some.
  private static func run(
    _ name: String, seed: UInt64, _ change: (Int, inout ComparedCall) -> Void = { _, _ in }
  )
    -> RunFigures
  {
    var (run, random) = (RunFigures(run: name), SeededRandom(seed: seed))
    run.dimensions = ["video codec", "label carrier", "far host"]
    for sdk in sdks {
      run.runs[sdk] = name
      run.calls[sdk] = (0..<80).map { index in
        let scenario = index % 20
        func noise() -> Double { (random.unit() + random.unit() + random.unit() - 1.5) * 2 }
        var call = ComparedCall(
          sdk: sdk, scenario: "s\(scenario)",
          score: 95 - Double(scenario * 3) + noise() * Double(scenario % 5),
          setupMs: 400 + Double(scenario) * 20 + noise() * 40, isPoor: false, isBroken: false,
          traits: [
            scenario % 5 == 0 ? "H264" : "VP8", ["north", "south", "east"][Int(random.unit() * 3) % 3],
            "203.0.113.\(Int(random.unit() * 3) % 3)",
          ])
        call.verdict = .good
        let dtls = 60 + noise() * 10
        call.readPhases("ice \(Int(120 + noise() * 20));dtls \(Int(dtls))")
        call.key = Int64(run.calls.count * 1000 + index)
        change(index, &call)
        return call
      }
    }
    return run
  }

  private static func scan(_ change: (Int, inout ComparedCall) -> Void) -> TraitScan {
    TraitScan(Comparison(candidate: run("b", seed: 5, change), baseline: run("a", seed: 4), seed: 1))
  }

  @Test("a codec of one SDK, a carrier of all and a media server are named, each alone")
  func traits() throws {
    let codec = Self.scan { _, call in
      if call.sdk == "web", call.traits[0] == "H264" { call.score = (call.score ?? 0) - 12 }
    }
    #expect(codec.found.map(\.place.value) == ["H264"])
    #expect(codec.found.first?.sdk == "web")
    for (trait, value) in [(1, "south"), (2, "203.0.113.1")] {
      let scan = Self.scan { _, call in
        if call.traits[trait] == value { call.score = (call.score ?? 0) - 10 }
      }
      #expect(scan.found.map(\.place.value) == [value])
      #expect(scan.found.first?.sdk == nil)
    }
  }

  @Test("a value that is new is compared with its scenarios")
  func new() throws {
    let scan = Self.scan { index, call in
      guard index % 40 == 7 else { return }
      call.traits[0] = "AV1"
      call.score = (call.score ?? 0) - 15
    }
    #expect(scan.found.map(\.place.value) == ["AV1"])
    #expect(scan.found.first?.place.isNew == true)
  }

  @Test("a longer setup names the phase that took it")
  func phase() throws {
    let scan = Self.scan { _, call in
      guard call.sdk == "ios" else { return }
      call.setupMs = (call.setupMs ?? 0) + 2000
      call.readPhases("ice 120;dtls 2060")
    }
    #expect(scan.found.count == 1)
    #expect(scan.found.first?.slower.hasSuffix("s, all of it DTLS") == true, "\(scan.found.map(\.slower))")
  }

  @Test("calls of one value that break are named although the SDKs did not move")
  func broken() throws {
    let scan = Self.scan { index, call in
      if call.traits[1] == "east", index < 20 { (call.isBroken, call.verdict) = (true, .failed) }
    }
    #expect(scan.found.first?.figure == .brokenShare)
    #expect(scan.found.first?.place.value == "east")
  }

  @Test("of 60 nights without a change no more than three have a group that stands out")
  func quiet() throws {
    let claimed = (0..<60).count { night in
      let (now, before) = (
        Self.run("b", seed: UInt64(1000 + night)), Self.run("a", seed: UInt64(2000 + night))
      )
      return !TraitScan(Comparison(candidate: now, baseline: before, seed: 1)).found.isEmpty
    }
    #expect(claimed <= 3, "\(claimed) of 60")
  }

  @Test(
    "fewer calls than earlier nights had are told where nights are alike, and not where they differ as much")
  func volume() throws {
    let alike = VolumeHistory(counts: ["web": [80, 80, 80, 80, 80, 80, 80]])
    #expect(alike.usual("web", ifFewer: 40, error: 0.001) == 80)
    #expect(alike.usual("web", ifFewer: 65, error: 0.001) == nil)
    let unlike = VolumeHistory(counts: ["web": [20, 150, 60, 90, 40, 120, 80]])
    #expect(unlike.usual("web", ifFewer: 40, error: 0.001) == nil)
    #expect(VolumeHistory(counts: ["web": [80, 80]]).usual("web", ifFewer: 10, error: 0.001) == nil)
  }

  @Test("80 calls that did not change pass a gate that is narrower than chance; a clear fall fails it")
  func gates() throws {
    let gates = try GateFile(name: "g", text: "silent.share <= baseline + 1%\nscore.mean >= baseline - 3")
      .gates
    let quiet = Comparison(candidate: Self.run("b", seed: 5), baseline: Self.run("a", seed: 4), seed: 1)
    #expect(quiet.judge(gates).allSatisfy { $0.verdict == .pass })
    let fallen = Self.run("b", seed: 5) { index, call in
      if call.sdk == "web" { call.score = (call.score ?? 0) - 8 }
      if call.sdk == "ios", index % 3 == 0 { call.verdict = .silent }
    }
    let failed = Comparison(candidate: fallen, baseline: Self.run("a", seed: 4), seed: 1).judge(gates)
      .filter { $0.verdict == .fail }.map(\.sdk)
    #expect(failed == ["ios", "web"])
  }
}
