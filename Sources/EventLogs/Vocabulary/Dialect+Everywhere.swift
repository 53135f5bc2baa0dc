extension Dialect {
  /// Whether an event is of a group that stands in the logs of every SDK.
  func isEverywhere(_ event: String) -> Bool {
    event.firstIndex(of: ".").map { self.everywhere.contains(String(event[..<$0])) } ?? false
  }

  /// Of a name that stands in the logs of every SDK, whether it tells something here: nil of any other name.
  func isEverywhere(_ raw: String, _ arguments: LogArguments) -> Bool? {
    guard !self.everywhere.isEmpty else { return nil }
    let name = Self.normal(raw)
    guard let entry = self.events[name], self.everywhereNames.contains(name) else {
      // A constant of one of the enumerations.
      let isConstant =
        self.events[name] == nil && self.enums.contains { value(raw, of: $0, allowBare: false) != nil }
      return isConstant ? true : nil
    }
    return entry.enumerations.isEmpty || stateChoice(of: entry, in: arguments) != nil
  }
}

extension Dialect.Contents {
  /// The names that mean nothing but events of such groups, with the values of their enumerations.
  var namesEverywhere: Set<String> {
    guard !everywhere.isEmpty else { return [] }
    let names = events.filter { _, entry in
      let values = enums.filter { entry.enumerations.contains($0.name) }.flatMap(\.values)
      let meant = entry.events + values.flatMap(\.value.events)
      return !meant.isEmpty
        && meant.allSatisfy { event in
          event.firstIndex(of: ".").map { everywhere.contains(String(event[..<$0])) } ?? false
        }
    }
    return Set(names.keys)
  }
}
