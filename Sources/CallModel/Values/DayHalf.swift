/// The halves of the day, as twelve-hour clocks name them.
public enum DayHalf {
  /// What locales call them where it is not `AM` and `PM` with points or without (CLDR, dayPeriods am and pm).
  public static let names: [(name: [UInt8], isAfternoon: Bool)] = [
    ("\u{3C0}.\u{3BC}.", false), ("\u{3BC}.\u{3BC}.", true),  // Greek
    ("\u{C624}\u{C804}", false), ("\u{C624}\u{D6C4}", true),  // Korean
    ("\u{4E0A}\u{5348}", false), ("\u{4E0B}\u{5348}", true),  // Chinese
    ("\u{5348}\u{524D}", false), ("\u{5348}\u{5F8C}", true),  // Japanese
    ("\u{635}", false), ("\u{645}", true),  // Arabic
    ("PG", false), ("PTG", true),  // Malay
  ].map { (Array($0.0.utf8), $0.1) }

  /// Words that stand behind a year or an hour and name no half of the day: Bulgarian, "year" and "hour".
  public static let units: [[UInt8]] = ["\u{433}.", "\u{447}."].map { Array($0.utf8) }

  /// What is said where a word beside the times is none of these.
  public static let unknown =
    "a word behind the times may name the half of the day: not understood, taken as the time on 24 hours"
}
