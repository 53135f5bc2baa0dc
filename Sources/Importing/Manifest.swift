import CallModel
import CallStore
import Concurrency
import FoundationEssentials
import IO

/// A `run.json`: the run of its folder, and the expected calls.
public struct Manifest: Sendable, Equatable, Decodable {
  /// The expectations for a call.
  public struct Expectation: Sendable, Equatable, Decodable {
    public var outcome: String?
    public var min_score: Double?
    public var max_setup_ms: Double?
  }

  /// An expected call.
  public struct Call: Sendable, Equatable, Decodable {
    public var call_id: String
    public var sdk: String?
    public var sdk_version: String?
    public var scenario: String?
    /// Files of the call, relative to the manifest's folder; without them the call is found by its id.
    public var files: [String]?
    public var expect: Expectation?
    public var references: References?
    /// Labels of this call, in addition to those of its manifest.
    public var labels: [String: Label]?
  }

  /// References for the quality of a call's video.
  public struct References: Sendable, Equatable, Codable {
    public var render_width: Double?
    public var render_height: Double?
    public var frame_rate: Double?
    public var target_bps: Double?
    public var codec_neutral: Bool?

    /// The references as JSON text, sorted by name.
    static func json(_ references: References) -> String? {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return (try? encoder.encode(references)).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Reads a file of `--references`, with the same members as in a manifest, and notes about ignored ones. Throws a
  /// `SourceError`.
  public static func references(ofFile path: String) throws -> (json: String, notes: [String]) {
    guard let data = FileManager.default.contents(atPath: path) else {
      let isThere = FileManager.default.fileExists(atPath: path)
      throw SourceError(
        .missing, "\(path): \(isThere ? "is no file that can be read" : "no such file: check the path")")
    }
    do {
      let references = try JSONDecoder().decode(References.self, from: data)
      return (References.json(references) ?? "{}", ManifestNotes.of(references: data, references))
    } catch let error as DecodingError {
      throw SourceError(.notAFormat, "\(path) holds no references: " + error.words)
    }
  }

  public var run: String?
  public var labels: [String: Label]?
  public var calls: [Call]?
  /// Notes about unknown members and outcomes.
  public var notes: [String] = []

  enum CodingKeys: CodingKey { case run, labels, calls }

  /// The labels of its calls; those of the command line take precedence.
  func labels(under given: [String: String]) -> [String: String] {
    (labels ?? [:]).mapValues(\.text).merging(given) { $1 }
  }

  /// A label's value: text, or a number or boolean as text.
  public struct Label: Sendable, Equatable, Decodable {
    public var text: String

    public init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let text = try? value.decode(String.self) {
        self.text = text
      } else if let flag = try? value.decode(Bool.self) {
        text = flag ? "true" : "false"
      } else {
        let number = try value.decode(Double.self)
        text = number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
      }
    }
  }

  /// Why a run cannot have this name; nil if it can.
  public static func problem(withRun name: String) -> String? {
    if name.allSatisfy(\.isWhitespace) { return "needs a name that is not empty" }
    switch name {
    case "last": return "cannot be 'last': that means the latest run"
    case "last-accepted": return "cannot be 'last-accepted': that means the run accepted last"
    default: return nil
    }
  }

  /// Its file name.
  static let name = "run.json"

  /// The largest manifest that is read, in bytes.
  static let largest = 64 << 20

  /// Reads a manifest. Throws a `SourceError` with the problem.
  static func read(_ path: RawPath) throws -> Manifest {
    let data = Data(try allBytes(of: InputFile(path, largest: largest)))
    do {
      var manifest = try JSONDecoder().decode(Manifest.self, from: data)
      manifest.notes = ManifestNotes.of(data, manifest)
      if let problem = manifest.run.flatMap(problem(withRun:)) {
        throw SourceError(.notAFormat, "not a run.json: `run` \(problem)")
      }
      return manifest
    } catch let error as DecodingError {
      throw SourceError(.notAFormat, "not a run.json: " + error.words)
    }
  }

}

extension AnnouncedCall {
  init(_ call: Manifest.Call, labels: [String: String]) {
    self.init(id: call.call_id)
    // Labels of a single call take precedence.
    self.labels = jsonObject(labels.merging((call.labels ?? [:]).mapValues(\.text)) { $1 })
    sdk = call.sdk
    sdkVersion = call.sdk_version
    scenario = call.scenario
    expectedOutcome = call.expect?.outcome
    minScore = call.expect?.min_score
    maxSetupMs = call.expect?.max_setup_ms
    references = call.references.flatMap(Manifest.References.json)
  }
}

/// The manifests found on a walk, by folder: the run of a file, and its call according to the manifest.
///
/// Filled by the walking thread, which reads a folder's manifest before it releases files below it.
final class Manifests: Sendable {
  private let byFolder = Locked<[String: Manifest]>([:])

  func add(_ manifest: Manifest, folder: String) { byFolder.withLock { $0[folder] = manifest } }

  /// The manifest of the innermost folder above the file.
  func above(_ path: String) -> (folder: String, manifest: Manifest)? {
    byFolder.withLock { byFolder in
      guard !byFolder.isEmpty else { return nil }
      var rest = path[...]
      while let end = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
        rest = rest[..<end]
        let folder = String(rest)
        if let manifest = byFolder[folder] { return (folder, manifest) }
      }
      return nil
    }
  }

  /// The call of a file according to the manifest: by its list of files, or by a folder with the call's name.
  func call(of path: String) -> Manifest.Call? {
    guard let (folder, manifest) = above(path) else { return nil }
    let relative = String(decoding: path.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self)
    // Files may have been compressed since the manifest was written.
    let unpacked = SourceFormat.unpacked(relative)
    let folders = relative.split(separator: "/").dropLast().map(String.init)
    return manifest.calls?.first { call in
      if let files = call.files {
        return files.contains { $0 == relative || $0 == unpacked || relative.hasPrefix($0 + "/") }
      }
      return folders.contains(call.call_id)
    }
  }
}
