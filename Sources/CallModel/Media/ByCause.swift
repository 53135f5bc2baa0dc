/// A value for some of the causes, in the order of `Cause`; nil if a cause has none.
///
/// Used instead of a dictionary, which would hash for every window, and whose order changes from run to run.
public struct ByCause<Value: Sendable & Equatable>: Sendable, Equatable {
  // Named properties rather than an `InlineArray`, whose type is looked up at run time wherever one is made.
  @usableFromInline var loss: Value?, jitter: Value?, delay: Value?, freeze: Value?
  @usableFromInline var framerate: Value?, resolution: Value?, bitrate: Value?, coding: Value?
  @usableFromInline var silence: Value?, playout: Value?

  /// No values.
  @inlinable
  public init() {}

  /// The value of a cause.
  @inlinable
  public subscript(_ cause: Cause) -> Value? {
    get {
      switch cause {
      case .loss: loss
      case .jitter: jitter
      case .delay: delay
      case .freeze: freeze
      case .framerate: framerate
      case .resolution: resolution
      case .bitrate: bitrate
      case .coding: coding
      case .silence: silence
      case .playout: playout
      }
    }
    set {
      switch cause {
      case .loss: loss = newValue
      case .jitter: jitter = newValue
      case .delay: delay = newValue
      case .freeze: freeze = newValue
      case .framerate: framerate = newValue
      case .resolution: resolution = newValue
      case .bitrate: bitrate = newValue
      case .coding: coding = newValue
      case .silence: silence = newValue
      case .playout: playout = newValue
      }
    }
  }

  /// The value of a cause, or a default.
  @inlinable
  public subscript(_ cause: Cause, default other: @autoclosure () -> Value) -> Value {
    get { self[cause] ?? other() }
    set { self[cause] = newValue }
  }

  /// Whether no cause has a value.
  @inlinable
  public var isEmpty: Bool { Cause.inOrder.allSatisfy { self[$0] == nil } }

  /// The values, in the order of the causes.
  @inlinable
  public var values: [Value] { map(\.value) }

  /// The same causes with transformed values.
  @inlinable
  public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> ByCause<Other> {
    var result = ByCause<Other>()
    for (cause, value) in self { result[cause] = try transform(value) }
    return result
  }

  @inlinable
  public static func == (a: ByCause, b: ByCause) -> Bool {
    Cause.inOrder.allSatisfy { a[$0] == b[$0] }
  }
}

extension ByCause: Sequence {
  /// Iterates over the causes that have a value, in their order.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let values: ByCause
    @usableFromInline var place = 0

    @inlinable init(_ values: ByCause) { self.values = values }

    @inlinable
    public mutating func next() -> (cause: Cause, value: Value)? {
      while place < Cause.inOrder.count {
        let cause = Cause.inOrder[place]
        place += 1
        if let value = values[cause] { return (cause, value) }
      }
      return nil
    }
  }

  @inlinable
  public func makeIterator() -> Iterator { Iterator(self) }
}

extension ByCause: ExpressibleByDictionaryLiteral {
  @inlinable
  public init(dictionaryLiteral elements: (Cause, Value)...) {
    for (cause, value) in elements { self[cause] = value }
  }
}
