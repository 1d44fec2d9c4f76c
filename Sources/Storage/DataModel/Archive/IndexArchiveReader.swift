/// Reads the fetch indexes and the unique constraints of an archived entity.
struct IndexArchiveReader {
  let decoder: ArchiveDecoder
  let entity: String

  /// The fetch indexes; attributes that are only marked as indexed get one of their own name.
  func fetchIndexes(
    _ fields: [String: PropertyList],
    indexed: [String]
  ) throws -> [FetchIndex] {
    var indexes = try decoder.items(fields["NSFetchIndexDescriptions"]).map { try fetchIndex($0) }
    // Frameworks before fetch indexes (iOS 11) have lists of names only.
    for properties in try lists(fields["NSCompoundIndexes"])
    where !indexes.contains(where: { $0.elements.map(\.property) == properties }) {
      let count = indexes.count { $0.name.hasPrefix("compoundIndex") }
      indexes.append(
        FetchIndex(
          name: count == 0 ? "compoundIndex" : "compoundIndex\(count)",
          elements: properties.map { FetchIndex.Element(property: $0) }
        )
      )
    }
    let missing = indexed.filter { name in !indexes.contains { $0.name == name } }
    return missing.map { FetchIndex(name: $0, elements: [.init(property: $0)]) } + indexes
  }

  /// Lists of property names.
  func lists(_ value: PropertyList?) throws -> [[String]] {
    try decoder.items(value).map { list in
      try decoder.items(list).map { item in
        let name = try decoder.object(item)?.fields["NSPropertyName"] ?? item
        return try decoder.requiredString(name, "a property in an index of '\(entity)'")
      }
    }
  }

  private func fetchIndex(_ value: PropertyList) throws -> FetchIndex {
    let object = try decoder.required(value, "NSFetchIndexDescription")
    let name = try decoder.requiredString(object.fields["NSIndexName"], "an index")
    let path = "\(entity).\(name)"
    decoder.check(
      object,
      knows: [
        "NSIndexName", "NSIndexElements", "NSPartialIndexPredicate", "NSEntity",
        ModelArchive.OwnKey.predicate,
      ],
      as: path
    )
    var predicate = try decoder.string(object.fields[ModelArchive.OwnKey.predicate])
    if let archived = try decoder.object(object.fields["NSPartialIndexPredicate"]) {
      predicate = try decoder.predicateText(archived)
      if predicate == nil { decoder.note("\(path): the predicate") }
    }
    let elements = try decoder.items(object.fields["NSIndexElements"])
    return FetchIndex(
      name: name,
      elements: try elements.compactMap { try element($0, of: path) },
      partialPredicate: predicate
    )
  }

  private func element(
    _ value: PropertyList,
    of path: String
  ) throws -> FetchIndex.Element? {
    let object = try decoder.required(value, "NSFetchIndexElementDescription")
    decoder.check(
      object,
      knows: [
        "NSPropertyName", "NSFetchIndexElementType", "NSFetchIndexDescription", "NSAscending",
      ],
      as: path
    )
    let number = object.fields["NSFetchIndexElementType"]?.integer ?? 0
    guard let property = try decoder.string(object.fields["NSPropertyName"]),
      let kind = FetchIndex.Element.Kind(rawValue: Int(clamping: number))
    else {
      decoder.note("\(path): an element that names no property, or of type \(number)")
      return nil
    }
    let ascending = object.fields["NSAscending"]
    return FetchIndex.Element(
      property: property,
      isAscending: ascending == .boolean(true) || ascending == .integer(1),
      kind: kind
    )
  }
}
