extension Reject {
  /// A line that is longer than may be; `name` is the word by which `--raise` allows more.
  public static func line(longerThan limit: Int, line: Int, byte: Int?, raise name: String = "line") -> Reject
  {
    Reject("line longer than \(limit) bytes; --raise \(name)=SIZE takes longer ones", line: line, byte: byte)
  }

  /// More of something than may be.
  public static func beyond(
    _ limit: Int, _ what: String, count: Int = 1, line: Int? = nil, raise name: String
  ) -> Reject {
    var reject = Reject("more than \(limit) \(what); --raise \(name)=NUMBER takes more", line: line)
    reject.count = count
    return reject
  }

  /// So many of something that were not taken because there were too many; the bound is fixed.
  public static func beyond(_ limit: Int, _ what: String, count: Int) -> Reject {
    var reject = Reject("more than \(limit) \(what)")
    reject.count = count
    return reject
  }
}
