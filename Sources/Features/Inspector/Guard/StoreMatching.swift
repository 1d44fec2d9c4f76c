import Basics
import DataModel
import PersistentStore
import SQLite
import SwiftModels

/// The result of opening a shipped store with the current sources.
package struct StoreVerdict: Hashable, Sendable {
  package enum Match: Hashable, Sendable {
    case version(String)
    case mayBe(String, differences: [String])
    case none(nearest: String?, differences: [String])
    /// The store cannot be read, for the given reason.
    case unreadable(String)
  }

  package let path: String
  package let match: Match
  /// The version identifiers in the store's metadata.
  package var identifiers: [String] = []
  /// Whether the app opens the store; `nil` if that is not known.
  package var opens: Bool?
  /// Whether opening the store is known to drop data.
  package var dropsData = false
  /// The effect of opening the store with the app, in one sentence.
  package var consequence: String

  package var isUnreadable: Bool { if case .unreadable = match { true } else { false } }

  /// The result of matching the store with the sources, in one line.
  package var sentence: String {
    switch match {
    case .version(let name): "matches \(name)"
    case .mayBe(let name, let differences):
      "may match \(name); not known: \(differences.joined(separator: "; "))"
    case .none(let nearest?, let differences):
      "matches no version; nearest is \(nearest): \(differences.joined(separator: "; "))"
    case .none(nil, _): "matches no version"
    case .unreadable(let reason): "cannot be read: \(reason)"
    }
  }
}

extension SchemaGuard {
  /// The possible versions of the store: the declared versions or, if there are none, the app's
  /// classes.
  private var candidates: [SwiftVersion] {
    family.versions.isEmpty ? [family.current] : family.versions
  }

  private var usesPlan: Bool {
    family.plan != nil
      && (family.containers.isEmpty || family.containers.contains { $0.plan != nil })
  }

  mutating func check(storeAt path: String) {
    do {
      try check(StoreFacts(store: StoreFile(path: path)))
    } catch {
      add(StoreVerdict(path: path, match: .unreadable("\(error)"), consequence: ""))
      report(
        .storeUnreadable,
        "'\(path)' cannot be read: \(error)",
        advice: "give a store that Core Data or SwiftData made, with its -wal",
        at: nil
      )
    }
  }

  private mutating func check(_ store: StoreFacts) throws {
    let compared = candidates.map { version in
      (
        version,
        SchemaComparison(from: store.model, to: version.model, assumed: (nil, version.assumed))
      )
    }
    let path = store.store.path
    try checkTables(of: store)
    if let (version, _) = compared.last(where: { $0.1.answer == .same }) {
      return try take(store, .version(version.name), of: version)
    }
    if let (version, comparison) = compared.last(where: { $0.1.answer == .notKnown }) {
      let match = StoreVerdict.Match.mayBe(
        version.name,
        differences: comparison.relevant.map(\.description)
      )
      try take(store, match, of: version)
      return report(
        .storeUnknown,
        .notKnown,
        "'\(path)' may match \(version.name): " + Self.list(comparison.relevant),
        advice: "compare the NSStoreModelVersionHashes of a store that this source made",
        at: Self.place(of: comparison, in: version)
      )
    }
    guard
      let (version, comparison) = compared.min(by: {
        $0.1.relevant.count < $1.1.relevant.count
      })
    else { return }
    let match = StoreVerdict.Match.none(
      nearest: version.name,
      differences: comparison.relevant.prefix(12).map(\.description)
    )
    try reportUnmatched(store, match, version, comparison)
  }

  private mutating func reportUnmatched(
    _ store: StoreFacts,
    _ match: StoreVerdict.Match,
    _ version: SwiftVersion,
    _ comparison: SchemaComparison
  ) throws {
    let path = store.store.path
    var opening = Opening(
      opens: false,
      sentence: "the container has a migration plan, so SwiftData refuses the store (134504)"
    )
    if !usesPlan {
      let inferred = try self.comparison(of: store, to: family.current)
      opening = opened(store, by: inferred)
    }
    add(opening, of: store, match)
    report(
      .storeUnknown,
      opening.opens == false ? .error : .warning,
      "'\(path)' matches no version; nearest is \(version.name): "
        + Self.list(comparison.relevant) + "; \(opening.sentence)",
      advice: usesPlan
        ? "add a version that describes this store, first in the plan"
        : "freeze what shipped as a version before the next change",
      at: Self.place(of: comparison, in: version)
    )
  }

  private mutating func take(
    _ store: StoreFacts,
    _ match: StoreVerdict.Match,
    of version: SwiftVersion
  ) throws {
    var opening = Opening(opens: true, sentence: "it opens as it is")
    if usesPlan {
      opening = try opened(store, from: version)
    } else if version.name != newest.name {
      let comparison = try comparison(of: store, to: family.current)
      opening = opened(store, by: comparison)
      if opening.opens == false {
        report(
          .notLightweight,
          "'\(store.store.path)' is of \(version.name), and \(opening.sentence)",
          advice: "give the container a plan with a stage for it",
          at: version.place
        )
      }
      reportDuplicates(in: store, comparison)
    }
    // If the store's version is uncertain, it is not known whether the store opens. Only an
    // inferred migration to newer classes is certain, because it is judged by the store's own
    // model.
    if case .mayBe = match, opening.opens == true, usesPlan || version.name == newest.name {
      opening = Opening(opens: nil, sentence: "if it does, \(opening.sentence)")
    }
    add(opening, of: store, match)
  }

  private mutating func add(
    _ opening: Opening,
    of store: StoreFacts,
    _ match: StoreVerdict.Match
  ) {
    add(
      StoreVerdict(
        path: store.store.path,
        match: match,
        identifiers: store.metadata.versionIdentifiers,
        opens: opening.opens,
        dropsData: opening.dropsData,
        consequence: opening.sentence
      )
    )
  }
}

extension SchemaGuard {
  private mutating func checkTables(of store: StoreFacts) throws {
    let missing = try StoreFacts.reading(store.store) { connection in
      try store.layout.tables.flatMap { table -> [String] in
        var names: Set<String> = []
        let rows = try connection.prepare(
          "SELECT name FROM pragma_table_xinfo('\(table.name.replacing("'", with: "''"))')"
        )
        while try rows.step() { names.insert(rows.text(at: 0).uppercased()) }
        if names.isEmpty { return [table.name] }
        return table.columnNames.filter { !names.contains($0.uppercased()) }
          .map { "\(table.name).\($0)" }
      }
    }
    guard !missing.isEmpty else { return }
    report(
      .storeTables,
      "'\(store.store.path)' has metadata of a version whose columns it lacks: "
        + missing.prefix(6).joined(separator: ", "),
      advice: "the store is damaged: restore a backup, or find the state of the code that wrote it",
      at: nil
    )
  }

  /// Reports duplicate values of properties that a migration makes unique.
  ///
  /// Returns whether the code of custom stages cannot remove all duplicates first.
  @discardableResult
  mutating func reportDuplicates(in store: StoreFacts, _ comparison: ModelComparison) -> Bool {
    var stays = false
    for obstacle in comparison.dataObstacles where obstacle.kind == .duplicates {
      let hasCode = stage(adding: obstacle.properties, to: obstacle.entity)?.isLightweight == false
      if !hasCode { stays = true }
      report(
        .newUniqueConstraint,
        hasCode ? .warning : .error,
        "'\(store.store.path)': \(obstacle.sentence)",
        advice: "remove the duplicates in willMigrate of a custom stage",
        at: newest.place(of: obstacle.entity, obstacle.properties.first)
      )
    }
    return stays
  }

  private func stage(adding properties: [String], to entity: String) -> SwiftStage? {
    family.plans.flatMap(\.stages).first { stage in
      guard let (old, new) = versions(of: stage) else { return false }
      return MappingModel(from: old.model, to: new.model).addedConstraints.contains {
        $0.entity == entity && $0.properties == properties
      }
    }
  }

  /// Warns about new unique constraints in lightweight stages if duplicates cannot be counted,
  /// because no store was given or code computes the values.
  mutating func checkConstraints() {
    for stage in family.plan?.stages ?? [] where stage.isLightweight {
      guard let (old, new) = versions(of: stage) else { continue }
      let mapping = MappingModel(from: old.model, to: new.model)
      for added in mapping.addedConstraints {
        let computed = added.properties.first { mapping.addsComputed($0, to: added.entity) }
        guard stores.isEmpty || computed != nil else { continue }
        let tail =
          computed.map {
            "; the default of \($0) is computed, and all existing objects may get one value"
          }
        report(
          .newUniqueConstraint,
          .warning,
          "\(added.entity): \(added.properties.joined(separator: " + ")) becomes unique in "
            + "\(new.name), and the stage to it is lightweight" + (tail ?? ""),
          advice:
            "count duplicates in shipped stores with --store, or remove them in willMigrate of "
            + "a custom stage",
          at: new.place(of: added.entity, added.properties.first)
        )
      }
    }
  }
}

extension MappingModel {
  /// Whether an attribute is new and code computes its default.
  fileprivate func addsComputed(_ name: String, to entity: String) -> Bool {
    let attribute = mapping(to: entity)?.attributes.first { $0.destination.name == name }
    return attribute.map { $0.source == nil && $0.destination.computedDefault != nil } ?? false
  }
}
