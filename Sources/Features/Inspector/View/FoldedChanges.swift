import DataModel

extension ModelChange {
  /// Groups the texts of changes by entity, without the entity's name.
  ///
  /// A change without an entity becomes a key with an empty list.
  static func byEntity(_ changes: [ModelChange]) -> (order: [String], texts: [String: [String]]) {
    var order: [String] = []
    var texts: [String: [String]] = [:]
    for change in changes {
      let text = change.description
      // The text of a change to a part of an entity starts with the entity's name.
      let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
      let isPart = parts.count == 2 && !parts[0].contains(" ")
      let key = isPart ? parts[0] : text
      if texts[key] == nil { order.append(key) }
      texts[key, default: []] += isPart ? [parts[1]] : []
    }
    return (order, texts)
  }

  static func folded(_ changes: [ModelChange]) -> [String] {
    let (order, texts) = byEntity(changes)
    return order.map { key in
      let own = texts[key] ?? []
      return own.isEmpty ? key : "\(key): \(own.joined(separator: "; "))"
    }
  }
}
