/// A value for some of the causes, in the order of `Cause`; nil where a cause has none.
///
/// Windows are many and causes few: a dictionary would hash each of them, and its order changes from run to run.
public struct ByCause<Value: Sendable & Equatable>: Sendable, Equatable {
  @usableFromInline var slots = InlineArray<7, Value?>(repeating: nil)

  /// A value for none of them.
  @inlinable
  public init() {}

  /// The value of a cause.
  @inlinable
  public subscript(_ cause: Cause) -> Value? {
    get { slots[cause.place] }
    set { slots[cause.place] = newValue }
  }

  /// The value of a cause, or another where it has none.
  @inlinable
  public subscript(_ cause: Cause, default other: @autoclosure () -> Value) -> Value {
    get { slots[cause.place] ?? other() }
    set { slots[cause.place] = newValue }
  }

  /// Whether no cause has a value.
  @inlinable
  public var isEmpty: Bool { Cause.allCases.allSatisfy { self[$0] == nil } }

  /// The values there are, in the order of the causes.
  @inlinable
  public var values: [Value] { map(\.value) }

  /// The same causes with other values.
  @inlinable
  public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> ByCause<Other> {
    var result = ByCause<Other>()
    for (cause, value) in self { result[cause] = try transform(value) }
    return result
  }

  @inlinable
  public static func == (a: ByCause, b: ByCause) -> Bool {
    Cause.allCases.allSatisfy { a[$0] == b[$0] }
  }
}

extension ByCause: Sequence {
  /// The causes that have a value, in their order.
  @inlinable
  public func makeIterator() -> some IteratorProtocol<(cause: Cause, value: Value)> {
    Cause.allCases.lazy.compactMap { cause in self[cause].map { (cause: cause, value: $0) } }.makeIterator()
  }
}

extension ByCause: ExpressibleByDictionaryLiteral {
  @inlinable
  public init(dictionaryLiteral elements: (Cause, Value)...) {
    for (cause, value) in elements { self[cause] = value }
  }
}
