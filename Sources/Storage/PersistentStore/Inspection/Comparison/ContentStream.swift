/// Objects that come one after the other in key order, none twice.
package struct ContentStream<Element> {
  private let advance: () throws -> Element?

  package init(_ advance: @escaping () throws -> Element?) {
    self.advance = advance
  }

  /// The next one; `nil` after the last.
  package func next() throws -> Element? { try advance() }

  /// A stream of what is in memory already.
  init(_ elements: some Sequence<Element>) {
    var iterator = elements.makeIterator()
    self.init { iterator.next() }
  }

  /// Two streams as one, in the order that both are in.
  func merged(
    with other: ContentStream,
    precedes: @escaping (Element, Element) -> Bool
  ) -> ContentStream {
    var heads: (Element?, Element?)?
    return ContentStream {
      var (left, right) = try heads ?? (next(), other.next())
      defer { heads = (left, right) }
      if let second = right, left.map({ precedes(second, $0) }) ?? true {
        right = try other.next()
        return second
      }
      let first = left
      if first != nil { left = try next() }
      return first
    }
  }
}
