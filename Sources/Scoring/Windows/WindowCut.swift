import CallModel

/// Where windows begin and end.
public enum WindowCut: Sendable {
  /// Windows of five seconds from the first remote media on, the last one only if it is at least half full.
  case fromFirstMedia
  /// Given intervals instead, in ms since the Unix epoch; they may overlap and come in any order.
  case intervals([(startMs: Double, endMs: Double)])

  /// Length of a window, ms.
  public static let lengthMs = Window.lengthMs
  /// Shortest last window that is kept, ms.
  public static let shortestLastMs = 2500.0
}
