extension Dictionary {
  /// A dictionary of pairs in which the first one of a key counts.
  @inlinable
  package init(keepingFirst pairs: some Sequence<(Key, Value)>) {
    self.init(pairs) { first, _ in first }
  }
}

extension Sequence {
  /// The elements in the order of the bytes of their names, as the frameworks sort names.
  package func sorted(byBytesOf name: (Element) -> String) -> [Element] {
    sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
  }
}

extension BinaryInteger {
  /// The number's digits, with zeros in front up to a width.
  package func digits(_ width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
