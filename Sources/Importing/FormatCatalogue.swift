import CallModel
import Captures
import EventLogs
import GetStats

/// All formats that can be imported, in the order of `callqa formats`.
public enum FormatCatalogue {
  public static let all = GetStatsReader.formats + EventLogReader.formats + CaptureReader.formats

  /// What each form of figures is of, and how it is recognised. Throws `SourceError` if one is invalid.
  public static func forms() throws -> [(title: String, recognisedBy: String)] { try EventLogReader.forms() }

  private static let byFormat = Dictionary(uniqueKeysWithValues: all.map { ($0.format, $0) })

  /// The description of a format; nil if no reader knows it.
  public static func description(of format: SourceFormat) -> FormatDescription? { byFormat[format] }
}
