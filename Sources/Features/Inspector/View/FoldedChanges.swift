import DataModel

extension ModelChange {
  /// The changes of each entity without its name, and the other ones by their sentence, in their
  /// order.
  static func byEntity(_ changes: [ModelChange]) -> (order: [String], texts: [String: [String]]) {
    var order: [String] = []
    var texts: [String: [String]] = [:]
    for change in changes {
      let text = change.description
      // A change of an entity's part begins with the entity's name.
      let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
      let isPart = parts.count == 2 && !parts[0].contains(" ")
      let key = isPart ? parts[0] : text
      if texts[key] == nil { order.append(key) }
      texts[key, default: []] += isPart ? [parts[1]] : []
    }
    return (order, texts)
  }

  /// Changes with those of an entity in one sentence, in the order of their entities.
  static func folded(_ changes: [ModelChange]) -> [String] {
    let (order, texts) = byEntity(changes)
    return order.map { key in
      let own = texts[key] ?? []
      return own.isEmpty ? key : "\(key): \(own.joined(separator: "; "))"
    }
  }
}
