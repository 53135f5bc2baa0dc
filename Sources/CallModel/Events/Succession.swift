/// When a connection of a client goes on with the call of the one before.
public enum Succession {
  /// One made within this time after the one before has replaced it, ms.
  public static let handOverMs = 3000.0
  /// The same if the one before was broken when it ended: what a page takes to reconnect, ms.
  public static let reconnectMs = 60_000.0
}
