/// Words by which columns are recognised, in several languages: the data file `guess.words.json`.
struct FigureNames: DataFileReader {
  /// A figure with its words: one of `any` is in the name, one of `also` if there are some, none of `none`.
  struct Words {
    let figure: String
    let any: [String]
    let also: [String]
    let none: [String]
  }

  /// The ending of the file's name.
  static let ending = ".words.json"
  static let installed = (try? Dialects.installedWords()) ?? FigureNames()

  var file = ""
  /// The more special first.
  private(set) var figures: [Words] = []
  private var lists: [String: [String]] = [:]
  /// Units as they are written behind a number or in a name.
  private(set) var units: [String: FigureUnit] = [:]

  init() {}

  /// Reads the file. Throws `DialectError`.
  init(file: String, bytes: [UInt8]) throws {
    self.file = file
    let root = try DataNode(file: file, bytes: bytes)
    if let known = root["lists"] {
      for (name, node) in try map(known) { lists[name] = try texts(node) }
    }
    if let known = root["units"] {
      for (name, node) in try map(known) {
        for word in try texts(node) { units[word] = FigureUnit(rawValue: name) }
      }
    }
    figures = try list(root["figures"] ?? root).map { node in
      Words(
        figure: try node["figure"].map(text) ?? "", any: try words(node["any"]),
        also: try words(node["also"]),
        none: try words(node["none"]))
    }
  }

  /// The words of a list.
  subscript(_ list: String) -> [String] { lists[list] ?? [] }

  private func words(_ node: DataNode?) throws -> [String] {
    try node.map(texts)?.flatMap { $0.hasPrefix("@") ? self[String($0.dropFirst())] : [$0] } ?? []
  }
}
