import CallModel
import CallViews

/// Calls that a sentence of a report is about: what moved, and which calls show it.
public struct CallGroup: Sendable, Equatable {
  /// `pexip with video codec H264: score −15.6`, as the first line says it.
  public let words: String
  /// Keys of the calls, those to open first in front.
  public let keys: [Int64]
  /// The command that lists them; nil where they are of no run.
  public let command: String?
  /// When it began and whether it goes on, where the night tells.
  public var onset: Onset?
}

extension Judgement {
  /// The calls of what is news: where a score fell first, then what is new trouble, as the first line names them.
  public var groups: [CallGroup] { slices + troubles.map(group) }

  /// Where the score clearly fell in calls that share a trait: what blocks first, then what nearly every SDK shares, else what lost
  /// most points. What all share is not told of one.
  var slices: [CallGroup] {
    let fell = places.compactMap { sdk, search in
      search.found.flatMap { place in
        (changes[sdk]?.high ?? 0) < 0 && place.inside < 0 && !isShared(place, sdk)
          ? (sdk: sdk, place: place) : nil
      }
    }
    let sorted = fell.sorted {
      ($0.place.inside * Double($0.place.calls), $0.sdk) < ($1.place.inside * Double($1.place.calls), $1.sdk)
    }
    let blocked = sorted.filter { verdict(of: $0.sdk) == "fail" }.map(group)
    if let shared { return blocked + [group(shared)] }
    return blocked.isEmpty ? sorted.prefix(1).map(group) : blocked
  }

  /// The slices that the first line names: the first that blocks, and what nearly every SDK shares.
  var leading: [CallGroup] {
    let slices = slices
    return shared == nil || slices.count < 2
      ? Array(slices.prefix(1)) : [slices[0], slices[slices.count - 1]]
  }

  /// Whether the place of an SDK's fall is the one of nearly every SDK.
  func isShared(_ place: Concentration, _ sdk: String) -> Bool {
    shared.map { $0.sdks.contains(sdk) && $0.place.traits.allSatisfy(place.traits.contains) } ?? false
  }

  private func group(_ shared: SharedPlace) -> CallGroup {
    CallGroup(
      words: words(shared.name, shared.place), keys: shared.calls.compactMap(\.key),
      command: command(options(shared.place)),
      onset: Onset(
        shared.calls.compactMap { call in
          call.startedMs.map { Onset.Point(timeMs: $0, value: -call.above) }
        }))
  }

  private func words(_ name: String, _ place: Concentration) -> String {
    let traits = place.traits.map { "\($0.dimension == "sdk" ? "SDK" : $0.dimension) \($0.value)" }
    return "\(name) with \(traits.joined(separator: " and ")): score \(Words.signed(place.inside))"
  }

  private func options(_ place: Concentration) -> [String] {
    place.traits.map { "--trait \(Self.quoted("\($0.dimension)=\($0.value)"))" }
  }

  private func group(_ fell: (sdk: String, place: Concentration)) -> CallGroup {
    let (now, before) = comparison.comparedCalls(fell.sdk, .scoreMean)
    let levels = ScenarioLevels(before, .scoreMean)
    let dimensions = comparison.candidate.dimensions
    let inside = now.filter { call in
      !call.isBroken
        && fell.place.traits.allSatisfy { trait in
          dimensions.firstIndex(of: trait.dimension).map {
            $0 < call.traits.count && call.traits[$0] == trait.value
          } ?? false
        }
    }
    // The furthest below what their own scenarios were like before.
    let ordered = inside.compactMap { call in
      levels.above(call).flatMap { above in call.key.map { (above: above, key: $0) } }
    }.sorted { ($0.above, $0.key) < ($1.above, $1.key) }
    return CallGroup(
      words: words(fell.sdk, fell.place), keys: ordered.map(\.key),
      command: command([divided(fell.sdk)] + options(fell.place)),
      onset: Onset(
        inside.compactMap { call in
          levels.above(call).flatMap { above in
            call.startedMs.map { Onset.Point(timeMs: $0, value: -above) }
          }
        }))
  }

  private func group(_ trouble: NewTrouble) -> CallGroup {
    let option =
      switch trouble.figure {
      case .verdictShare(let word): "--verdict \(word.rawValue)"
      case .findingShare(let code):
        NewTrouble.failureCode(code).map {
          "--where \(Self.quoted("end_code = '\($0.replacing("'", with: "''"))'"))"
        }
          ?? "--finding \(code)"
      default: ""
      }
    return CallGroup(
      words: trouble.line, keys: trouble.keys, command: command([option]), onset: trouble.onset)
  }

  /// The option for what the calls are divided by.
  private func divided(_ value: String) -> String {
    comparison.kind == "SDK"
      ? "--sdk \(Self.quoted(value))" : "--trait \(Self.quoted("\(comparison.kind)=\(value)"))"
  }

  private func command(_ options: [String]) -> String? {
    guard comparison.candidate.isRun else { return nil }
    return (["callqa calls --run \(Self.quoted(comparison.candidate.run))"] + options.filter { !$0.isEmpty })
      .joined(separator: " ")
  }

  /// A word as a shell takes it.
  private static func quoted(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      byte.isASCIILetter || (48...57).contains(byte) || byte == 45 || byte == 46 || byte == 95
    }
    if text.contains("'"), !text.contains(where: { "\"$`\\!".contains($0) }) { return "\"\(text)\"" }
    return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
