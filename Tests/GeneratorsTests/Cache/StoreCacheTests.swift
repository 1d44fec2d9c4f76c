import DataModel
import Foundation
import PersistentStore
import Synchronization
import TestSupport
import Testing

@testable import Generators

struct StoreCacheTests {
  /// A writer that counts the stores that it writes.
  private final class CountingWriter: StoreWriter {
    let identity = "counting"
    let count = Mutex(0)

    func write(
      _ contents: StoreContents,
      to file: StoreFile,
      progress: (GenerationProgress) -> Void
    ) throws {
      count.withLock { $0 += 1 }
      try SQLStoreWriter().write(contents, to: file, progress: progress)
    }

    var made: Int { count.withLock { $0 } }
  }

  private let folder: TemporaryFolder
  private let writer = CountingWriter()

  init() throws {
    folder = try TemporaryFolder()
  }

  private var cache: StoreCache { StoreCache(folder: folder.file("cache"), writer: writer) }

  private func recipe(seed: UInt64 = 1) throws -> Recipe {
    try Recipes.named("feed-small", options: .init(seed: seed, objects: ["Post": 30]))
  }

  @Test func `a store is made once`() throws {
    let first = try cache.store(of: recipe())
    let second = try cache.store(of: recipe())
    #expect(first == second)
    #expect(writer.made == 1)
    #expect(try PlainStore(first.path).rows("PRAGMA integrity_check") == [[.text("ok")]])
    #expect(first.externalBytes > 0)
    _ = try cache.store(of: recipe(seed: 2))
    #expect(writer.made == 2)
  }

  @Test func `the recipe's name is no part of the key, everything else is`() throws {
    var recipe = try recipe()
    let key = cache.key(of: recipe)
    recipe.name = "another"
    #expect(cache.key(of: recipe) == key)
    recipe.externalStorageThreshold += 1
    #expect(cache.key(of: recipe) != key)
    #expect(StoreCache(folder: "").key(of: try self.recipe()) != key)
  }

  enum Damage: CaseIterable {
    case truncated
    case flippedByte
    case missingStore
    case missingManifest
    case missingBlob
    case shorterBlob
    case strayFile
  }

  @Test(arguments: Damage.allCases)
  func `a damaged entry is made again`(damage: Damage) throws {
    let store = try cache.store(of: recipe())
    let manager = FileManager.default
    let name = try manager.contentsOfDirectory(atPath: store.externalDataFolder).sorted()[0]
    let blob = store.externalDataFolder + "/" + name
    switch damage {
    case .truncated:
      try #require(FileHandle(forWritingAtPath: store.path)).truncate(atOffset: 8_192)
    case .flippedByte:
      var data = try Data(contentsOf: URL(fileURLWithPath: store.path))
      data[data.count / 2] ^= 1
      try data.write(to: URL(fileURLWithPath: store.path))
    case .missingStore: try manager.removeItem(atPath: store.path)
    case .missingManifest: try manager.removeItem(atPath: store.folder + "/manifest.json")
    case .missingBlob: try manager.removeItem(atPath: blob)
    case .shorterBlob: try #require(FileHandle(forWritingAtPath: blob)).truncate(atOffset: 5)
    case .strayFile: try Data([1]).write(to: URL(fileURLWithPath: store.wal))
    }
    let again = try cache.store(of: recipe())
    #expect(writer.made == 2)
    #expect(again == store)
    #expect(manager.fileExists(atPath: blob))
    #expect(!manager.fileExists(atPath: store.wal))
    #expect(try cache.store(of: recipe()) == store)
    #expect(writer.made == 2)
  }

  @Test func `many at once end with one whole entry`() async throws {
    let (cache, recipe) = (cache, try recipe())
    let stores = try await withThrowingTaskGroup(of: StoreFile.self) { group in
      for _ in 0..<6 { group.addTask { try cache.store(of: recipe) } }
      return try await group.reduce(into: Set<StoreFile>()) { $0.insert($1) }
    }
    #expect(stores.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder).count == 1)
    let made = writer.made
    _ = try cache.store(of: recipe)
    #expect(writer.made == made)
  }
}
