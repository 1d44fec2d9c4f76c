import Basics
import PersistentStore
import SwiftModels

/// A change, in words and as code, with the findings that it fixes.
package struct Fix: Sendable {
  package let group: FindingGroup
  /// The change in words, such as `Fetch of Task sorted by date: batches of 20, prefetch owner`.
  package let title: String
  /// Lines of Core Data code, or a sentence if there is no code for the change.
  package let coreData: [String]
  package let swiftData: [String]
  /// The code or advice for an app that uses SQLite directly or with GRDB, for which the Core Data
  /// and SwiftData code is empty.
  package let sqlite: [String]
  /// Things to consider before the change ships.
  package let notes: [String]

  private static let batchSize = 20

  package init(_ group: FindingGroup, _ statements: StatementTable, _ vocabulary: Vocabulary) {
    self.group = group
    let remedies = group.findings.map(\.rule.remedy)
    var coreData: [String] = []
    var swiftData: [String] = []
    var notes: [String] = []
    switch group.subject {
    case .request(let entry):
      let shape = statements[entry].shape
      let settings = Settings(group.findings, hasKeysOnly: shape.kind == .keyFetch)
      title = "\(vocabulary.operation(shape)): \(settings.words)".capitalizedFirst
      (coreData, swiftData) = settings.code
    case .reuse(let entry):
      title = "Keep the result of the \(vocabulary.operation(statements[entry].shape))"
    case .index(let table, let columns):
      let entity = vocabulary.entity(of: table)
      let names = columns.map { vocabulary.property($0, of: table) }
      title = "Index of \(entity) on \(names.joined(separator: ", "))"
      let name = "by" + names.map(\.capitalizedFirst).joined()
      let elements = names.map {
        "NSFetchIndexElementDescription(property: entity.propertiesByName[\"\($0)\"]!, "
          + "collationType: .binary)"
      }
      coreData = [
        "entity.indexes.append(NSFetchIndexDescription(name: \"\(name)\", elements: "
          + "[\(elements.joined(separator: ", "))]))"
      ]
      let index = SwiftIndexText(entity: entity, properties: names)
      swiftData = [index.swiftData]
      notes.append("Xcode's editor: \(index.editor)")
      let sorts = group.findings.compactMap(\.sort).map {
        (key: vocabulary.property($0.column, of: $0.table), isDescending: $0.isDescending)
      }
      coreData += Self.unique(
        sorts.map { "NSSortDescriptor(key: \"\($0.key)\", ascending: \(!$0.isDescending))" }
      )
      swiftData += Self.unique(
        sorts.map {
          "SortDescriptor(\\.\($0.key), comparator: .lexical"
            + ($0.isDescending ? ", order: .reverse)" : ")")
        }
      )
      notes.append(SwiftIndexText.shippedStores.capitalizedFirst)
    case .unused(let name): title = "Remove the index \(name)"
    case .saves(let table): title = "Save \(vocabulary.entity(of: table)) once after the loop"
    case .column(let table, let column):
      title =
        "Keep \(vocabulary.property(column, of: table)) of \(vocabulary.entity(of: table)) out of "
        + "its rows"
    case .app: title = group.findings[0].summary.capitalizedFirst
    }
    if statements.isPlain {
      // Omit Core Data and SwiftData code for an app that uses neither.
      (self.coreData, self.swiftData, self.notes) = ([], [], [])
      let index = Self.index(of: group)
      let needsNoWords = group.findings.allSatisfy { $0.rule == .unindexedPredicate }
      sqlite = index + (!index.isEmpty && needsNoWords ? [] : Self.unique(remedies.map(\.sqlite)))
      return
    }
    sqlite = []
    // If there is no code, use the advice of the rules.
    if coreData.isEmpty { coreData = Self.unique(remedies.map(\.coreData)) }
    if swiftData.isEmpty { swiftData = Self.unique(remedies.map(\.swiftData)) }
    (self.coreData, self.swiftData, self.notes) = (coreData, swiftData, notes)
  }

  private static func index(of group: FindingGroup) -> [String] {
    guard case .index(let table, let columns) = group.subject, !columns.isEmpty else { return [] }
    let name = "index_\(table)_on_\(columns.joined(separator: "_"))"
    let list = columns.map(\.quotedName).joined(separator: ", ")
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    return [
      "CREATE INDEX \(name.quotedName) ON \(table.quotedName)(\(list))",
      "try db.create(indexOn: \"\(table)\", columns: [\(names)])  // in a migration of GRDB",
    ]
  }

  fileprivate static func unique(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { !$0.isEmpty && seen.insert($0).inserted }
  }

  /// The settings of a fetch request that fix its findings.
  private struct Settings {
    let prefetched: [String]
    let surplus: [String]
    /// Whether the fetched objects themselves are read one by one.
    let readsRows: Bool
    /// Whether the log does not name some of the relationships to prefetch.
    let hasUnnamed: Bool
    let isLong: Bool
    /// Whether only the keys of a whole table are fetched, and the objects are not used.
    let isUnused: Bool
    let isWalked: Bool
    let isLoop: Bool

    init(_ findings: [Finding], hasKeysOnly: Bool) {
      let faults = findings.filter { [.faultsOneByOne, .toManyFaultsOneByOne].contains($0.rule) }
      prefetched = Fix.unique(faults.map(\.keyPath)).filter { $0 != Finding.ownRows }
      readsRows = faults.contains { $0.keyPath == Finding.ownRows }
      hasUnnamed = faults.contains { $0.keyPath.isEmpty }
      surplus = Fix.unique(findings.map(\.surplus))
      let rules = Set(findings.map(\.rule))
      isUnused = rules.contains(.wholeTableFetch) && hasKeysOnly
      isLong = rules.contains(.fetchWithoutLimit) || !isUnused && rules.contains(.wholeTableFetch)
      isWalked = rules.contains(.batchSizeWithoutEffect)
      isLoop = rules.contains(.fetchesOneByOne)
    }

    var words: String {
      var parts: [String] = []
      if isLong { parts.append("batches of \(Fix.batchSize)") }
      if isUnused { parts.append("count the objects, or fetch the first one") }
      if readsRows { parts.append("read its rows with the fetch") }
      if !prefetched.isEmpty { parts.append("prefetch \(prefetched.joined(separator: ", "))") }
      if hasUnnamed { parts.append("prefetch what its rows show") }
      if !surplus.isEmpty { parts.append("do not prefetch \(surplus.joined(separator: ", "))") }
      if isWalked { parts.append("do not walk its batches") }
      if isLoop { parts.append("one fetch for all values") }
      return parts.joined(separator: "; ")
    }

    var code: (coreData: [String], swiftData: [String]) {
      var (coreData, swiftData): ([String], [String]) = ([], [])
      if isLong {
        coreData.append("request.fetchBatchSize = \(Fix.batchSize)  // or fetchLimit")
        swiftData.append(
          "try context.fetch(descriptor, batchSize: \(Fix.batchSize))  // or descriptor.fetchLimit"
        )
      }
      if isUnused {
        coreData.append("try context.count(for: request)  // or request.fetchLimit = 1")
        swiftData.append("try context.fetchCount(descriptor)  // or descriptor.fetchLimit = 1")
      }
      if readsRows {
        coreData.append("request.returnsObjectsAsFaults = false")
        swiftData.append("// fetch(_:) reads the rows; fetchIdentifiers(_:) does not")
      }
      if !prefetched.isEmpty {
        coreData.append(
          "request.relationshipKeyPathsForPrefetching = "
            + "[\(prefetched.map { "\"\($0)\"" }.joined(separator: ", "))]"
        )
        swiftData.append(
          "descriptor.relationshipKeyPathsForPrefetching = "
            + "[\(prefetched.map { "\\.\($0)" }.joined(separator: ", "))]"
        )
      } else if hasUnnamed {
        coreData.append(FindingRule.faultsOneByOne.remedy.coreData)
        swiftData.append(FindingRule.faultsOneByOne.remedy.swiftData)
      }
      if !surplus.isEmpty {
        let text = "// remove from relationshipKeyPathsForPrefetching: "
        coreData.append(text + surplus.joined(separator: ", "))
        swiftData.append(text + surplus.joined(separator: ", "))
      }
      if isWalked {
        coreData.append("request.fetchBatchSize = 0  // where all objects are needed")
        swiftData.append("try context.fetch(descriptor)  // where all objects are needed")
      }
      if isLoop {
        coreData.append("request.predicate = NSPredicate(format: \"ATTRIBUTE IN %@\", values)")
        swiftData.append("#Predicate { values.contains($0.ATTRIBUTE) }")
      }
      return (coreData, swiftData)
    }
  }
}

extension LogAnalysis {
  /// The changes in the order of the findings, without hints, which require no change.
  package var fixes: [Fix] {
    FindingGroup.groups(of: findings.filter { !$0.isQuestion }).map {
      Fix($0, statements, vocabulary)
    }
  }
}
