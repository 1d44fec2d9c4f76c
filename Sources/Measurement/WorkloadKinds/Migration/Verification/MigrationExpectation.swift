import DataModel
import PersistentStore

/// What a migrated store must hold, made from the original by the inspection's own mapping and not
/// by that of the migration.
struct MigrationExpectation {
  struct Made {
    var expected: ExpectedContent
    var notes: [String] = []
    /// What is lost or made up, in sentences.
    var losses: [String] = []
    /// The clusters that were merged or deleted; `nil` where none were to be.
    var clusters: DuplicateClusters?
  }

  let session: MigrationSession

  private var parameters: MigrationParameters { session.parameters }
  private var layout: StoreLayout { session.destination }

  /// The objects under their former keys.
  func make(from original: StoreContent) throws -> Made {
    var made = Made(expected: ExpectedContent(from: original, layout: layout))
    if parameters.leavesNewStore, parameters.onNil != .fail {
      made.losses += try MissingValueExpectation(session: session).apply(
        to: &made.expected,
        original
      )
    }
    try fillRequired(&made.expected)
    if parameters.duplicates == .merged || parameters.duplicates == .upserted {
      let clusters = try DuplicateClusters(session.constraints, in: original)
      let merged = try expectMerge(clusters, &made.expected, layout, session.mapping)
      made.notes.append(merged.note)
      made.losses += merged.losses
      made.clusters = clusters
    }
    try session.backfill?.apply(to: &made.expected)
    if let stage = session.stage {
      try transform(&made.expected, stage)
      made.losses += try stage.losses(on: original, session.mapping)
    }
    return made
  }

  /// Expects the objects under the keys that a new store gave them.
  func rekey(_ expected: inout ExpectedContent, to actual: StoreContent) throws {
    guard parameters.leavesNewStore else { return }
    expected.rekey(try ContentKeyMap(from: expected, to: actual, identities: identities))
  }

  /// Expects duplicates to be merged, or deleted with all that cascades take.
  func expectMerge(
    _ clusters: DuplicateClusters,
    _ expected: inout ExpectedContent,
    _ layout: StoreLayout,
    _ mapping: MappingModel
  ) throws -> (note: String, losses: [String]) {
    if parameters.duplicates == .upserted {
      try clusters.applyUpsert(to: &expected, layout: layout, mapping: mapping)
      return ("\(clusters.count) duplicates merged in silence", [])
    }
    guard parameters.children == .cascaded else {
      try clusters.apply(to: &expected, layout: layout, mapping: mapping)
      return ("\(clusters.count) duplicates merged", [])
    }
    let lost = try clusters.applyCascades(to: &expected)
    return (
      "\(clusters.count) duplicates deleted",
      lost.map { "cascades took \($0.lost) \($0.entity) with their duplicates" }
    )
  }

  /// Values that were missing and must not be any more become the default.
  private func fillRequired(_ expected: inout ExpectedContent) throws {
    for entity in session.mapping.entities where entity.source != nil {
      for attribute in entity.attributes where attribute.isMadeRequired {
        let (name, value) = (attribute.destination.name, attribute.destination.defaultValue)
        try expected.change(entity.destination) { object in
          if object[name] == .null { try object.set(name, ContentValue(value)) }
        }
      }
    }
  }

  private func transform(_ expected: inout ExpectedContent, _ stage: CustomStage) throws {
    let (name, type) = (stage.destinationAttribute, stage.attribute.type)
    let transformation = stage.transformation
    try expected.change(stage.destinationEntity) { object in
      switch object[name] {
      case .integer(let number)?:
        try object.set(name, ContentValue(transformation(.integer(number), of: type)))
      case .real(let number)?:
        guard case .real(let result) = transformation(.real(number), of: type) else { return }
        // A column of dates keeps whole seconds as integers.
        try object.set(
          name,
          Int64(exactly: result).map { .integer($0) } ?? .real(result)
        )
      case .text(let text)?:
        try object.set(name, ContentValue(transformation(.text(text), of: type)))
      default: return
      }
    }
  }

  /// By entity the attribute by which copies are told apart: one that is unique, or a UUID.
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
