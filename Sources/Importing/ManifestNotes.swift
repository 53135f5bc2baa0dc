import CallModel
import FoundationEssentials

/// Ignored content of a `run.json`, most likely typing errors.
enum ManifestNotes {
  /// The most notes for one manifest.
  static let most = 20

  private static let top: Set<String> = ["run", "labels", "calls"]
  private static let call: Set<String> = [
    "call_id", "sdk", "sdk_version", "scenario", "files", "expect", "references", "labels",
  ]
  private static let expectation: Set<String> = ["outcome", "min_score", "max_setup_ms"]
  private static let references: Set<String> = [
    "render_width", "render_height", "frame_rate", "target_bps", "codec_neutral",
  ]

  /// The notes on a valid manifest.
  static func of(_ data: Data, _ read: Manifest) -> [String] {
    guard let manifest = try? JSONDecoder().decode(Members.self, from: data).members else { return [] }
    var notes = unknown(in: manifest, top, "")
    var ids: [String: Int] = [:]
    for (index, one) in (manifest["calls"]?.elements ?? []).enumerated() where notes.count < most {
      let place = "calls[\(index)]"
      notes += unknown(in: one.members, call, place)
      if let id = one.members["call_id"]?.text {
        if let other = ids[id] {
          notes.append("`\(id)` at \(place) is calls[\(other)] too: each call needs a call_id of its own")
        } else {
          ids[id] = index
        }
      }
      notes += unknown(in: one.members["expect"]?.members ?? [:], expectation, place + ".expect")
      notes += unknown(in: one.members["references"]?.members ?? [:], references, place + ".references")
      if let outcome = one.members["expect"]?.members["outcome"]?.text, Outcome(rawValue: outcome) == nil {
        let known = Outcome.allCases.map(\.rawValue).joined(separator: ", ")
        notes.append(
          "`\(outcome)` at \(place).expect.outcome is no outcome, and no call will have it: there are \(known)"
        )
      }
      if let call = read.calls?[index] {
        notes += call.expect?.impossible(at: " at \(place).expect") ?? []
        notes += call.references?.impossible(at: " at \(place).references") ?? []
      }
    }
    return Array(notes.prefix(most))
  }

  /// Files in a manifest that do not exist, not even compressed: without any of its files its call is missing.
  static func lost(_ manifest: Manifest, in folder: String) -> [String] {
    var notes: [String] = []
    for (index, call) in (manifest.calls ?? []).enumerated() {
      for file in call.files ?? [] where notes.count < most {
        let path = folder + "/" + file
        guard
          !([""] + SourceFormat.packings).contains(where: {
            FileManager.default.fileExists(atPath: path + $0)
          })
        else { continue }
        notes.append(
          "`\(file)` at calls[\(index)].files is not there: what is there instead is no part of the call")
      }
    }
    return notes
  }

  /// The notes on a valid references file.
  static func of(references data: Data, _ read: Manifest.References) -> [String] {
    guard let members = try? JSONDecoder().decode(Members.self, from: data).members else { return [] }
    var notes = unknown(in: members, references, "")
    if notes.isEmpty, read == Manifest.References() {
      notes.append("it holds nothing: there are \(references.sorted().joined(separator: ", "))")
    }
    return notes + read.impossible(at: "")
  }

  /// A name that another manifest of the run has too.
  static func shared(_ id: String, with other: String) -> String {
    "`\(id)` is a call of \(other) too: if these are two calls, each needs a call_id of its own"
  }

  /// Unknown members; names that do not begin with a letter are comments.
  private static func unknown(in members: [String: Members], _ known: Set<String>, _ place: String)
    -> [String]
  {
    members.keys.sorted().filter { !known.contains($0) && $0.first?.isLetter == true }.map { name in
      "`\(name)`\(place.isEmpty ? "" : " at \(place)") means nothing here: there are \(known.sorted().joined(separator: ", "))"
    }
  }
}

extension Manifest.Expectation {
  /// Expectations that no call can meet.
  fileprivate func impossible(at place: String) -> [String] {
    var notes: [String] = []
    if let score = min_score, !(0...100).contains(score) {
      notes.append("`min_score`\(place) is \(score): scores are 0 to 100")
    }
    if let setup = max_setup_ms, setup <= 0 {
      notes.append("`max_setup_ms`\(place) is \(setup): no setup takes that little")
    }
    return notes
  }
}

extension Manifest.References {
  /// Implausible values for video.
  fileprivate func impossible(at place: String) -> [String] {
    [
      ("render_width", render_width), ("render_height", render_height), ("frame_rate", frame_rate),
      ("target_bps", target_bps),
    ].compactMap { name, value in
      value.flatMap {
        $0 > 0 && $0.isFinite
          ? nil : "`\(name)`\(place) is \($0): a picture is held against more than nothing"
      }
    }
  }
}

/// Any JSON, of which only inspected members are kept.
private struct Members: Decodable {
  var members: [String: Members] = [:]
  var elements: [Members] = []
  var text: String?

  init(from decoder: any Decoder) throws {
    if let members = try? [String: Members](from: decoder) {
      self.members = members
    } else if let elements = try? [Members](from: decoder) {
      self.elements = elements
    } else {
      text = try? decoder.singleValueContainer().decode(String.self)
    }
  }
}
