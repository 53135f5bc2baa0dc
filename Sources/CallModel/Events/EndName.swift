/// The names of ends.
public enum EndName {
  /// The roles of the two ends of a call.
  public static let roles: Set<String> = ["caller", "callee"]

  /// Names that say what an end does in a call, and not who it is.
  public static let impersonal =
    roles.sorted() + ["agent", "customer", "client", "server", "local", "remote"]

  /// Whether the name of an end may be somebody's.
  public static func isPersonal(_ name: String) -> Bool { !impersonal.contains(name.lowercased()) }

  /// Whether the name of a connection, which is often its end's, may be somebody's: it has letters, and no number as
  /// `PC_0` and ids have.
  public static func isPersonal(connection name: String) -> Bool {
    isPersonal(name) && name.contains(where: \.isLetter) && !name.contains(where: \.isNumber)
  }

  /// Ids of tracks that say what is on them, and not whose they are.
  public static let tracks = ["audio", "video", "microphone", "camera", "screen", "default"]
}
