import Basics
import DataModel
import PersistentStore

/// The expected content of a migrated store, computed by the verification's own mapping instead of
/// the migration's.
struct MigrationExpectation {
  struct Made {
    var expected: ExpectedContent
    var notes: [String] = []
    /// The values and objects that were lost or replaced by defaults, in sentences.
    var losses: [String] = []
    /// The clusters that were merged or deleted; `nil` if the case does not merge duplicates.
    var clusters: DuplicateClusters?
  }

  let session: MigrationSession
  let mapping: MappingModel

  /// Creates an expectation.
  ///
  /// To check a store that a mapping model has already migrated, pass the mapping from the new
  /// model to itself.
  init(session: MigrationSession, mapping: MappingModel? = nil) {
    self.session = session
    self.mapping = mapping ?? session.mapping
  }

  private var parameters: MigrationParameters { session.parameters }
  private var layout: StoreLayout { session.destination }
  var stage: ExpectedStage? { ExpectedStage(parameters, mapping) }

  func make(from original: StoreContent) throws -> Made {
    // Use the combined model of all steps for the layout, because the last model alone may lack
    // former names.
    let way = StoreLayout(model: mapping.destination, keepsHistory: layout.keepsHistory)
    var made = Made(expected: ExpectedContent(from: original, layout: way))
    if parameters.leavesNewStore, parameters.onNil != .fail {
      made.losses += try expectMissingValues(in: &made.expected, original)
    }
    if parameters.leavesNewStore {
      made.losses += try expectOneToOnes(in: &made.expected, original)
    }
    try fillRequired(&made.expected)
    if parameters.duplicates == .merged || parameters.duplicates == .upserted {
      let clusters = try DuplicateClusters(session.constraints, in: original)
      let merged = try expectMerge(clusters, &made.expected, mapping)
      made.notes.append(merged.note)
      made.losses += merged.losses
      made.clusters = clusters
    }
    if let stage {
      try stage.apply(to: &made.expected)
      made.losses += try stage.losses(on: original, mapping)
    }
    return made
  }

  /// Replaces the keys of the expected objects with the keys in the new store.
  func rekey(_ expected: inout ExpectedContent, to actual: StoreContent) throws {
    guard parameters.leavesNewStore else { return }
    expected.rekey(try ContentKeyMap(from: expected, to: actual, identities: identities))
  }

  /// Expects duplicates to be merged, or to be deleted with the objects that cascades delete.
  func expectMerge(
    _ clusters: DuplicateClusters,
    _ expected: inout ExpectedContent,
    _ mapping: MappingModel
  ) throws -> (note: String, losses: [String]) {
    if parameters.duplicates == .upserted {
      try clusters.applyUpsert(to: &expected, mapping: mapping)
      return ("\(clusters.count) duplicates merged without an error", [])
    }
    guard parameters.children == .cascaded else {
      try clusters.apply(to: &expected, mapping: mapping)
      return ("\(clusters.count) duplicates merged", [])
    }
    let lost = try clusters.applyCascades(to: &expected)
    return (
      "\(clusters.count) duplicates deleted",
      lost.map { "cascades deleted \($0.lost) \($0.entity) together with duplicates" }
    )
  }

  /// Replaces missing values with the default if the attribute has become required.
  private func fillRequired(_ expected: inout ExpectedContent) throws {
    for entity in mapping.entities where entity.source != nil {
      for attribute in entity.attributes where attribute.isMadeRequired {
        let name = attribute.destination.name
        let value = ContentValue(defaultOf: attribute.destination)
        try expected.change(entity.destination) { object in
          if object[name] == .null { try object.set(name, value) }
        }
      }
    }
  }

  /// The attribute that identifies a copied object, by entity: a unique attribute, or else a UUID.
  private var identities: [String: String] {
    var identities: [String: String] = [:]
    for entity in layout.model.entities {
      let single = entity.uniquenessConstraints.first { $0.count == 1 }?.first
      let uuid = layout.model.attributes(of: entity).first { $0.type == .uuid }?.name
      identities[entity.name] = single ?? uuid
    }
    return identities
  }
}

extension MigrationExpectation {
  /// Expects objects that lack a required value to be left out, or the missing values to be filled.
  ///
  /// - Returns: The losses, in sentences.
  private func expectMissingValues(
    in expected: inout ExpectedContent,
    _ original: StoreContent
  ) throws -> [String] {
    // A copy sets relationships to skipped objects to nil, whatever their delete rule.
    expected.nullification = .always
    var losses: [String] = []
    for mapping in mapping.entities {
      guard let source = mapping.source else { continue }
      let required = mapping.attributes.filter {
        !$0.destination.isOptional && !$0.destination.isTransient && $0.source?.isTransient == false
      }
      let (keys, values) = try missing(required.compactMap(\.source?.name), of: source, original)
      guard !keys.isEmpty else { continue }
      if session.parameters.onNil == .skip {
        try expected.remove(source, keys: keys)
        losses.append(
          "\(Figures.counted(keys.count, "object")) of \(source) left out, because a required value "
            + "is missing"
        )
      } else {
        try fill(required, of: mapping.destination, &expected)
        losses.append(
          "\(Figures.counted(values, "missing value")) of \(source) filled with defaults"
        )
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
    for attribute in required.map(\.destination) {
      let value = attribute.defaultValue == .null ? nil : ContentValue(defaultOf: attribute)
      try expected.change(entity) { object in
        guard object[attribute.name] == .null else { return }
        let standIn = value ?? standIn(of: attribute.type, key: object.key)
        try object.set(attribute.name, standIn)
      }
    }
  }

  private func standIn(of type: AttributeType, key: Int64) -> ContentValue {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .decimal: .integer(0)
    case .double, .float: .real(0)
    // Date columns store whole seconds as integers; this is 2026-04-01 09:00 UTC.
    case .date: .integer(796_726_800)
    case .string, .uri: .text("")
    case .uuid:
      ContentValue(
        .blob(Array(repeating: 0, count: 8) + withUnsafeBytes(of: key.bigEndian) { Array($0) })
      )
    case .binary, .transformable: ContentValue(.blob([]))
    case .undefined, .objectID, .composite: .null
    }
  }
}

extension MigrationExpectation {
  /// Expects both sides of each new one-to-one relationship to be set; if several objects share a
  /// target, the last object keeps it.
  ///
  /// - Returns: The losses, in sentences.
  private func expectOneToOnes(
    in expected: inout ExpectedContent,
    _ original: StoreContent
  ) throws -> [String] {
    try mapping.newOneToOnes.compactMap { new in
      let (owners, loss) = try OneToOneOwners(new: new, mapping: mapping).read(original)
      try expected.change(new.entity) { object in
        guard case .object(let target) = object[new.relationship.name],
          owners[target.key]?.key != object.key
        else { return }
        try object.set(new.relationship.name, .null)
      }
      try expected.change(new.relationship.destination) { object in
        if let owner = owners[object.key] { try object.set(new.inverse.name, .object(owner)) }
      }
      return loss
    }
  }
}

struct OneToOneOwners {
  let new: MappingModel.NewOneToOne
  let mapping: MappingModel

  /// Returns the last owner of each target, by the target's key, and a sentence about the owners
  /// that lose their target, if any.
  func read(
    _ original: StoreContent
  ) throws -> (owners: [Int64: ContentReference], loss: String?) {
    guard let former = mapping.mapping(to: new.entity)?.source else { return ([:], nil) }
    var owners: [Int64: ContentReference] = [:]
    var lost = 0
    let cursor = try original.objects(of: former)
    while let object = try cursor.next() {
      guard case .object(let target) = object[new.former.name],
        let entity = mapping.mapping(from: object.entity)?.destination,
        mapping.mapping(from: target.entity) != nil
      else { continue }
      let owner = ContentReference(entity: entity, key: object.key)
      if owners.updateValue(owner, forKey: target.key) != nil { lost += 1 }
    }
    guard lost > 0 else { return (owners, nil) }
    let sentence =
      "\(Figures.counted(lost, "object")) of \(former) had the same '\(new.former.name)' "
      + "as a later object, and lost the link: the relationship is now one-to-one"
    return (owners, sentence)
  }
}
