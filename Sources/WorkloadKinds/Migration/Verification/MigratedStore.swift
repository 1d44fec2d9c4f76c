import DataModel
import PersistentStore
import Runner
import SQLite

/// Checks a migrated store against the one it was migrated from, object by object, by plain SQL.
///
/// What is expected is made from the original by the inspection's own mapping, not by that of the
/// migration.
struct MigratedStore {
  let session: MigrationSession
  let trial: Trial

  private var parameters: MigrationParameters { session.parameters }
  private var layout: StoreLayout { session.destination }

  func verify() throws -> Verification {
    let original = try StoreContent(store: trial.start, layout: session.source)
    var expected = ExpectedContent(from: original, layout: layout)
    try fillRequired(&expected)
    var notes: [String] = []
    var findings: [String] = []
    if parameters.duplicates == .merged {
      let clusters = try DuplicateClusters(session.constraints, in: original)
      notes += try expectMerge(clusters, &expected, layout, session.mapping)
      let answers = try AnswerKeyCheck(trial: trial, clusters: clusters, original: original)
      (notes, findings) = (notes + answers.notes, answers.findings)
    }
    if let stage = session.stage {
      try transform(&expected, stage)
      notes += try stage.notes(on: original, session.mapping)
    }
    if parameters.leavesNewStore {
      let actual = try StoreContent(store: session.result, layout: layout)
      expected.rekey(
        try ContentKeyMap(from: expected, to: actual, identities: identities)
      )
    }
    var inspection = StoreInspection(store: session.result, layout: layout)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    // Copies are placed anew, in the same order.
    let keepsOrderKeys = !parameters.leavesNewStore && parameters.duplicates != .merged
    findings += try inspection.problems(expecting: expected, history: history) {
      $0.comparesOrderKeys = keepsOrderKeys
    }
    findings += try SchemaCheck(session: session, trial: trial).findings()
    if parameters.leavesNewStore { findings += try oldStoreFindings(original) }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
    return Verification(
      digest: try inspection.digest(DigestOptions(identity: .content)),
      notes: notes
    )
  }

  /// Expects duplicates to be merged, or deleted with all that cascades take.
  private func expectMerge(
    _ clusters: DuplicateClusters,
    _ expected: inout ExpectedContent,
    _ layout: StoreLayout,
    _ mapping: MappingModel
  ) throws -> [String] {
    guard parameters.children == .cascaded else {
      try clusters.apply(to: &expected, layout: layout, mapping: mapping)
      return ["\(clusters.count) duplicates merged"]
    }
    let lost = try clusters.applyCascades(to: &expected)
    let words = lost.map { "\($0.lost) \($0.entity)" }.joined(separator: ", ")
    return [
      "\(clusters.count) duplicates deleted"
        + (lost.isEmpty ? "" : "; lossy: cascades took their children with them: \(words)")
    ]
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

  private var history: ExpectedHistory? {
    guard session.source.keepsHistory else { return nil }
    let writes = parameters.usesEngine
    if parameters.leavesNewStore { return parameters.engine == .objectGraph ? .fresh : nil }
    return writes && parameters.engine == .objectGraph ? .recording : .unchanged
  }

  /// A copy must leave the old store as it was, but for what was merged in it.
  private func oldStoreFindings(_ original: StoreContent) throws -> [String] {
    var expected = ExpectedContent(from: original)
    if parameters.duplicates == .merged {
      let clusters = try DuplicateClusters(session.constraints, in: original)
      let same = MappingModel(from: session.source.model, to: session.source.model)
      _ = try expectMerge(clusters, &expected, session.source, same)
    }
    var inspection = StoreInspection(store: trial.store, layout: session.source)
    inspection.toleratesOldFaults = try trial.mayBreakRules()
    return try inspection.problems(expecting: expected, history: nil) {
      $0.comparesOrderKeys = parameters.duplicates != .merged
    }.map { "the old store: " + $0 }
  }
}
