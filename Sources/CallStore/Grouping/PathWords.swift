/// What the paths of sources say, each read once: all the calls of a capture have one.
final class PathWords {
  struct Words {
    /// The end that the file's name states; nil where it states none, or both.
    let role: String?
    /// The log that the file is a part of.
    let log: String

    fileprivate init(_ path: String) {
      let file = path.split(separator: "/").last ?? ""
      let words = Set(file.split { !$0.isLetter }.map { $0.lowercased() })
      let stated = PathWords.roles.filter(words.contains)
      role = stated.count == 1 ? stated.first : nil
      log = RotatedName(path: path).log
    }
  }

  static let roles = ["caller", "callee"]

  private var known: [String: Words] = [:]

  subscript(path: String) -> Words {
    if let words = known[path] { return words }
    let words = Words(path)
    known[path] = words
    return words
  }
}
