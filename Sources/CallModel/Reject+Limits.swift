extension Reject {
  /// A line that is longer than may be; `name` is the word by which `--raise` allows more.
  public static func line(longerThan limit: Int, line: Int, byte: Int?, raise name: String = "line") -> Reject
  {
    Reject("line longer than \(limit) bytes; --raise \(name)=SIZE takes longer ones", line: line, byte: byte)
  }

  /// More of something than may be.
  public static func beyond(_ limit: Int, _ what: String, line: Int? = nil, raise name: String) -> Reject {
    Reject("more than \(limit) \(what); --raise \(name)=NUMBER takes more", line: line)
  }
}
