import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Generators

/// Tests the project's own recipes of dirty stores, with fewer objects.
struct ExampleRecipeTests {
  private let folder = try? TemporaryFolder()

  private func generate(
    _ name: String,
    _ objects: [String: Int]
  ) throws -> (result: StoreGenerator.Result, findings: [AuditFinding]) {
    let recipe = try Recipes.named(name, options: RecipeFile.Options(objects: objects))
    let path = try #require(folder).file("\(name).sqlite")
    let result = try StoreGenerator(recipe).generate(at: path)
    let audit = StoreAudit(store: result.file, layout: Dataset(recipe).layout)
    return (result, try audit.findings())
  }

  /// Returns how often the answer key names each rule.
  private func counts(_ result: StoreGenerator.Result) throws -> [String: Int] {
    let path = AnswerKeyFile.dirty.path(of: result.file)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let rules = text.components(separatedBy: "\r\n").dropFirst().dropLast().compactMap {
      $0.components(separatedBy: ",").last
    }
    return Dictionary(grouping: rules.filter { !$0.isEmpty }) { $0 }.mapValues(\.count)
  }

  @Test(arguments: [("tasks-dirty", ["Task": 2_000]), ("feed-dirty", ["Post": 60])])
  func `an audit finds what the answer key lists, and nothing else`(
    name: String,
    objects: [String: Int]
  ) throws {
    let (result, findings) = try generate(name, objects)
    let found = Dictionary(grouping: findings, by: \.rule.rawValue)
      .mapValues { $0.reduce(0) { $0 + Int($1.count) } }
    #expect(try found == counts(result))
    #expect(found.count == (name == "tasks-dirty" ? 5 : 2))
  }

  @Test func `an aged store is whole, with a log and a history`() throws {
    let (result, findings) = try generate("tasks-aged", ["Task": 800])
    #expect(findings == [])
    #expect(result.file.walBytes >= 2_000_000)
    #expect(result.contentDigest?.count == 64)
  }

  @Test func `an aged store has the content that is published, whoever wrote it first`() throws {
    let recipe = try Recipes.named("tasks-aged")
    let path = Recipes.workloads + "/recipes/tasks-aged.yaml"
    let published = try #require(try PublishedDigests(besideRecipe: path).digest(of: recipe))
    let writers: [any StoreWriter] = [SQLStoreWriter(), BulkStoreWriter()]
    for (index, writer) in writers.enumerated() {
      let made = try StoreGenerator(recipe, writer: writer)
        .generate(at: #require(folder).file("\(index).sqlite"))
      #expect(made.contentDigest == published)
    }
  }

  @Test func `contacts are whole, and one in twelve is a copy`() throws {
    let (result, findings) = try generate("contacts-duplicates", ["Contact": 1_200])
    #expect(findings == [])
    let text = try String(contentsOfFile: try #require(result.answerKeys.first), encoding: .utf8)
    #expect(text.components(separatedBy: ",copy,").count - 1 == 96)
    #expect(text.contains(",near,"))
    #expect(text.contains(",exact,"))
    #expect(text.contains(",sameKey,"))
  }

  @Test func `a copy of the store with its log holds the same`() throws {
    let (result, _) = try generate("tasks-aged", ["Task": 300])
    let store = result.file
    let copy = StoreFile(path: try #require(folder).file("copy.sqlite"))
    for (source, target) in [(store.path, copy.path), (store.wal, copy.wal)] {
      try FileManager.default.copyItem(atPath: source, toPath: target)
    }
    let layout = try PersistentStore.open(copy).layout
    #expect(try StoreGenerator.contentDigest(of: copy, layout: layout) == result.contentDigest)
  }
}
