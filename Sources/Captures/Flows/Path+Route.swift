/// The way that media takes between the ends of a path, which ICE may change amid the call.
extension Path {
  /// A pair of addresses, one an end.
  struct Route {
    var ends: (Endpoint, Endpoint)
    var sinceNs: Int64

    /// The way of a stream of one end.
    init(from source: Endpoint, to destination: Endpoint, sender: Int, sinceNs: Int64) {
      ends = sender == 0 ? (source, destination) : (destination, source)
      self.sinceNs = sinceNs
    }

    /// `local>remote` as an end sees it.
    func text(of end: Int) -> String {
      end == 0 ? "\(ends.0.text)>\(ends.1.text)" : "\(ends.1.text)>\(ends.0.text)"
    }
  }

  private static let mostRoutes = 1000

  /// The way at a moment: the last that was taken by then, the first before any; nil where it never changed.
  func route(at timeNs: Int64) -> Route? {
    var (low, high) = (0, routes.count)
    while low < high {
      let middle = (low + high) / 2
      if routes[middle].sinceNs <= timeNs { low = middle + 1 } else { high = middle }
    }
    return routes.isEmpty ? nil : routes[max(0, low - 1)]
  }

  /// Notes that media of it took another way; its other streams follow to the same.
  func moved(from before: Route, to after: Route) {
    if let last = routes.last, last.ends == after.ends { return }
    guard routes.count < Self.mostRoutes else { return }
    if routes.isEmpty { routes.append(before) }
    routes.append(after)
    for end in 0...1 {
      var w = ArgumentWriter()
      w.add("from", before.text(of: end))
      w.add("to", after.text(of: end))
      add("ice.pair-changed", "RTP between other addresses", at: after.sinceNs, end: end, args: w.text)
    }
  }
}
