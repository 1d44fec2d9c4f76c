extension Dictionary {
  /// Creates a dictionary from key-value pairs; the first value for a key wins.
  @inlinable
  package init(keepingFirst pairs: some Sequence<(Key, Value)>) {
    self.init(pairs) { first, _ in first }
  }
}

extension Sequence {
  /// Sorts the elements by the UTF-8 bytes of their names, as Core Data does.
  package func sorted(byBytesOf name: (Element) -> String) -> [Element] {
    sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
  }
}

extension BinaryInteger {
  /// The number's digits, zero-padded to a width.
  package func digits(_ width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
