extension XcodeModelReader {
  /// The values of elements two levels down, such as the attributes of unique constraints.
  mutating func lists(_ element: MarkupElement, of item: String, _ part: String) -> [[String]] {
    for other in element.children where other.name != item {
      note("\(element.name): the element '\(other.name)'")
    }
    return element.children(named: item).map { list in
      for other in list.children where other.name != part || other.attributes["value"] == nil {
        note("\(item): an element '\(other.name)' without a value")
      }
      return list.children(named: part).compactMap { $0.attributes["value"] }
    }
  }

  /// Compound indexes of models before fetch indexes (iOS 11), named as the compiler names them.
  mutating func addCompoundIndexes(_ element: MarkupElement, to entity: inout Entity) {
    for (number, properties) in lists(element, of: "compoundIndex", "index").enumerated() {
      entity.fetchIndexes.append(
        FetchIndex(
          name: number == 0 ? "compoundIndex" : "compoundIndex\(number)",
          elements: properties.map { FetchIndex.Element(property: $0) }
        )
      )
    }
  }

  /// Adds the indexes that the frameworks make of attributes that are indexed alone.
  ///
  /// Apple's compiler marks such an attribute as indexed, and the frameworks give each an index of
  /// its own name before all others: every real store of such a model has both.
  func addIndexesOfAttributes(_ marked: [String], to entity: inout Entity) {
    var names: [String] = []
    for index in entity.fetchIndexes where index.elements.count == 1 {
      let element = index.elements[0]
      let isPlain = element.kind == .binary && element.isAscending
      let isAttribute = entity.attribute(named: element.property) != nil
      if isPlain, isAttribute { names.append(element.property) }
    }
    var seen = Set(entity.fetchIndexes.map(\.name))
    let missing = (names + marked).filter { seen.insert($0).inserted }
    entity.fetchIndexes.insert(
      contentsOf: missing.map { FetchIndex(name: $0, elements: [.init(property: $0)]) },
      at: 0
    )
  }

  mutating func fetchIndex(_ element: MarkupElement, of entity: String) -> FetchIndex? {
    guard let name = required("name", of: element) else { return nil }
    let path = "\(entity).\(name)"
    check(element, knows: ["name", "partialIndexPredicate"], as: path)
    var elements: [FetchIndex.Element] = []
    for child in element.children {
      check(
        child,
        knows: ["property", "expression", "expressionType", "type", "order"],
        as: path
      )
      // An expression such as `entity` takes the place of a property.
      guard let property = child.attributes["property"] ?? child.attributes["expression"] else {
        note("\(path): the element '\(child.name)'")
        continue
      }
      let isRTree = child.attributes["type"] == "RTree"
      elements.append(
        FetchIndex.Element(
          property: property,
          isAscending: child.attributes["order"] != "descending",
          kind: isRTree ? .rTree : .binary
        )
      )
    }
    // The key of the predicate is assumed to be the property's name; no real file shows one.
    return FetchIndex(
      name: name,
      elements: elements,
      partialPredicate: element.attributes["partialIndexPredicate"]
    )
  }
}
