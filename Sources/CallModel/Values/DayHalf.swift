/// The halves of the day, as named by twelve-hour clocks.
public enum DayHalf {
  /// Names in locales other than `AM` and `PM`, with or without points (CLDR, dayPeriods am and pm).
  public static let names: [(name: [UInt8], isAfternoon: Bool)] = [
    ("\u{3C0}.\u{3BC}.", false), ("\u{3BC}.\u{3BC}.", true),  // Greek
    ("\u{C624}\u{C804}", false), ("\u{C624}\u{D6C4}", true),  // Korean
    ("\u{4E0A}\u{5348}", false), ("\u{4E0B}\u{5348}", true),  // Chinese
    ("\u{5348}\u{524D}", false), ("\u{5348}\u{5F8C}", true),  // Japanese
    ("\u{635}", false), ("\u{645}", true),  // Arabic
    ("PG", false), ("PTG", true),  // Malay
  ].map { (Array($0.0.utf8), $0.1) }

  /// Words after a year or an hour that do not name a half of the day: Bulgarian for "year" and "hour".
  public static let units: [[UInt8]] = ["\u{433}.", "\u{447}."].map { Array($0.utf8) }

  /// The note for a word beside a time that is none of these.
  public static let unknown =
    "a word behind the times may name the half of the day: not understood, taken as the time on 24 hours"
}
