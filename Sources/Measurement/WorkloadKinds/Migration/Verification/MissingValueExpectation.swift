import DataModel
import PersistentStore

/// What a copy must have made of values that are missing and that the new model requires.
struct MissingValueExpectation {
  let session: MigrationSession

  /// Expects objects to be left out, or their values to be filled.
  ///
  /// - Returns: What was lost, in sentences.
  func apply(to expected: inout ExpectedContent, _ original: StoreContent) throws -> [String] {
    // A relationship to what was left out leads nowhere in a copy, whatever its delete rule.
    expected.nullification = .always
    var losses: [String] = []
    for mapping in session.mapping.entities {
      guard let source = mapping.source else { continue }
      let required = mapping.attributes.filter {
        !$0.destination.isOptional && !$0.destination.isTransient && $0.source?.isTransient == false
      }
      let (keys, values) = try missing(required.compactMap(\.source?.name), of: source, original)
      guard !keys.isEmpty else { continue }
      if session.parameters.onNil == .skip {
        try expected.remove(source, keys: keys)
        let noun = keys.count == 1 ? "object" : "objects"
        losses.append("\(keys.count) \(noun) of \(source) without a required value left out")
      } else {
        try fill(required, of: mapping.destination, &expected)
        let noun = values == 1 ? "value" : "values"
        losses.append("\(values) missing \(noun) of \(source) filled with defaults")
      }
    }
    return losses
  }

  private func missing(
    _ names: [String],
    of entity: String,
    _ original: StoreContent
  ) throws -> (keys: Set<Int64>, values: Int) {
    var (keys, values) = (Set<Int64>(), 0)
    let cursor = try original.objects(of: entity)
    while let object = try cursor.next() {
      guard object.entity == entity else { continue }
      let count = names.filter { object[$0] == .null }.count
      if count > 0 { keys.insert(object.key) }
      values += count
    }
    return (keys, values)
  }

  private func fill(
    _ required: [AttributeMapping],
    of entity: String,
    _ expected: inout ExpectedContent
  ) throws {
    for attribute in required.map(\.destination) where attribute.defaultValue == .null {
      try expected.change(entity) { object in
        if object[attribute.name] == .null {
          try object.set(attribute.name, standIn(of: attribute.type, key: object.key))
        }
      }
    }
    for attribute in required.map(\.destination) where attribute.defaultValue != .null {
      let value = ContentValue(attribute.defaultValue)
      try expected.change(entity) { object in
        if object[attribute.name] == .null { try object.set(attribute.name, value) }
      }
    }
  }

  private func standIn(of type: AttributeType, key: Int64) -> ContentValue {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .decimal: .integer(0)
    case .double, .float: .real(0)
    // A column of dates keeps whole seconds as integers; 2026-04-01 09:00 UTC.
    case .date: .integer(796_726_800)
    case .string, .uri: .text("")
    case .uuid:
      ContentValue(
        .blob(Array(repeating: 0, count: 8) + withUnsafeBytes(of: key.bigEndian) { Array($0) })
      )
    case .binary, .transformable: ContentValue(.blob([]))
    case .objectID, .composite: .null
    }
  }
}
