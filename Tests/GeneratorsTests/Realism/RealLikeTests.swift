import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Generators

private let realStores = ProcessInfo.processInfo.environment["STOREBENCH_REAL_STORES"]

/// Tests stores made like stores of Apple's frameworks, in the folder that STOREBENCH_REAL_STORES
/// names: relations between columns and tables hold in original and copy.
@Suite(.enabled(if: realStores != nil, "STOREBENCH_REAL_STORES is not set"))
struct RealLikeTests {
  private static var paths: [String] {
    guard let folder = realStores else { return [] }
    return (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
      .filter { path in [".sqlite", ".storedata"].contains(where: path.hasSuffix) }
      .sorted().map { folder + "/" + $0 }
  }

  /// The copies have the size of the original or a multiple of it.
  @Test(arguments: paths, [1.0, FuzzSeeds.isThorough ? 20 : 4])
  func `fuzz: a copy keeps the words, forms, conditions and trees of its original`(
    path: String,
    times: Double
  ) throws {
    let space = try TemporaryFolder()
    let copy = space.file("original.sqlite")
    for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: path + ending) {
      try FileManager.default.copyItem(atPath: path + ending, toPath: copy + ending)
    }
    let content: StoreContent
    do {
      content = try StoreContent.reading(StoreFile(path: copy))
    } catch PersistentStoreError.noModel where path.hasSuffix("NotesV7.storedata") {
      return
    }
    let profile = try StoreProfiler(content, k: 1).profile()
    let recipe = LikeRecipe(profile, size: .scale(times)).recipe(name: "like", seed: 3)
    let made = space.file("like.sqlite")
    try StoreGenerator(recipe).generate(at: made)
    let store = try PlainStore(made)
    let layout = content.layout
    for entity in profile.entities {
      guard let table = layout.table(of: entity.name), let number = layout.numbers[entity.name]
      else { continue }
      for column in entity.columns {
        guard let name = layout.column(of: column.name, in: entity.name)?.name else { continue }
        let texts = try store.rows(
          "SELECT DISTINCT \(name) FROM \(table.name) WHERE Z_ENT = \(number) AND \(name) NOT NULL"
        ).compactMap { row in if case .text(let text)? = row.first { text } else { nil as String? }
        }
        if !column.texts.isEmpty {
          #expect(
            Set(texts).isSubset(of: column.texts.map(\.text)),
            "\(entity.name).\(column.name)"
          )
        }
        switch column.form {
        case .url?: #expect(texts.allSatisfy { TextForm.scheme($0) != nil })
        case .uuid?: #expect(texts.allSatisfy(TextForm.isUUID))
        case .date?: #expect(texts.allSatisfy(TextForm.isDate))
        case .email?: #expect(texts.allSatisfy(TextForm.isEmail))
        case .json?: #expect(texts.allSatisfy { DocumentShape(json: $0) != nil })
        case .digits?, .plist?, .file?, nil: break
        }
      }
      for relationship in entity.relationships where !relationship.targets.isEmpty {
        guard
          case .foreignKey(let key, _, _)? = layout.storage(of: relationship.name, in: entity.name),
          let described = layout.model.entity(named: entity.name),
          let target = layout.model.relationships(of: described)
            .first(where: { $0.name == relationship.name })?.destination,
          let other = layout.table(of: target)
        else { continue }
        for condition in relationship.targets {
          guard let name = layout.column(of: condition.attribute, in: target)?.name else {
            continue
          }
          let values = try store.rows(
            "SELECT DISTINCT p.\(name) FROM \(table.name) c JOIN \(other.name) p "
              + "ON p.Z_PK = c.\(key) WHERE c.Z_ENT = \(number)"
          )
          #expect(
            values.allSatisfy { condition.values.contains($0[0]) },
            "\(entity.name).\(relationship.name): \(condition.attribute)"
          )
        }
      }
    }
    let findings = try StoreAudit(store: StoreFile(path: made), layout: Dataset(recipe).layout)
      .findings()
    #expect(findings.map(\.description) == [])
  }
}
