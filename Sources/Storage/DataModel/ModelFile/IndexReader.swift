/// Reads a fetch index of a model file, in its short form or its long one.
enum IndexReader {
  private static let kinds: [(word: String, value: FetchIndex.Element.Kind)] = [
    ("binary", .binary), ("rTree", .rTree),
  ]

  static func index(_ entry: YAMLMapping.Entry) -> FetchIndex? {
    guard entry.value.isMapping else {
      return entry.value.items().map {
        FetchIndex(name: entry.key, elements: elements($0, kind: .binary))
      }
    }
    guard let mapping = entry.value.mapping(knowing: ["on", "kind", "where"]),
      let items = mapping.required("on")?.items()
    else { return nil }
    let kind = mapping["kind"]?.choice(of: kinds) ?? .binary
    return FetchIndex(
      name: entry.key,
      elements: elements(items, kind: kind),
      partialPredicate: mapping["where"]?.string()
    )
  }

  private static func elements(
    _ items: [YAMLValue],
    kind: FetchIndex.Element.Kind
  ) -> [FetchIndex.Element] {
    items.compactMap { item in
      guard let text = item.string() else { return nil }
      let isDescending = text.hasPrefix("-")
      let property = isDescending ? String(text.dropFirst()) : text
      return FetchIndex.Element(property: property, isAscending: !isDescending, kind: kind)
    }
  }
}
