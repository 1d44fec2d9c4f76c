import Basics
import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@testable import Generators

struct BuildFolderTests {
  private struct Failure: Error {}

  /// A writer that fails and leaves an incomplete store.
  private struct FailingWriter: StoreWriter {
    let identity = "failing"

    func write(
      _ contents: StoreContents,
      to file: StoreFile,
      progress: (GenerationProgress) -> Void
    ) throws {
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: file.path))
      throw Failure()
    }
  }

  @Test func `a writer that fails leaves nothing behind`() throws {
    let folder = try TemporaryFolder()
    let recipe = try Recipes.named("tasks", options: .init(objects: ["Task": 5]))
    #expect(throws: Failure.self) {
      try StoreGenerator(recipe, writer: FailingWriter()).generate(at: folder.file("s.sqlite"))
    }
    #expect(try folder.names() == [])
  }

  @Test func `a store that is there already is kept, or replaced where that is asked for`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("s.sqlite")
    try Data([1]).write(to: URL(fileURLWithPath: path))
    let generator = StoreGenerator(
      try Recipes.named("feed-small", options: .init(objects: ["Post": 20]))
    )
    #expect(throws: Refusal.exists(path)) { try generator.generate(at: path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1]))
    for _ in 0..<2 { try generator.generate(at: path, replacing: true) }
    #expect(try PlainStore(path).rows("PRAGMA integrity_check") == [[.text("ok")]])
    #expect(try folder.names() == [".s_SUPPORT", "s.sqlite"])
  }

  @Test func `what a killed process left is removed, what is in use is kept`() throws {
    let folder = try TemporaryFolder()
    let abandoned = folder.file(".s.sqlite.building-1-0")
    try FileManager.default.createDirectory(
      atPath: abandoned + "/below",
      withIntermediateDirectories: true
    )
    let first = try BuildFolder(beside: folder.file("s.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: abandoned))
    let second = try BuildFolder(beside: folder.file("s.sqlite"))
    #expect(FileManager.default.fileExists(atPath: first.path))
    #expect(first.path != second.path)
  }

  @Test func `a place where nothing can be made is named`() {
    #expect(
      throws: Refusal.cannotWrite("/proc/none/s.sqlite", reason: "its folder cannot be made")
    ) { try BuildFolder(beside: "/proc/none/s.sqlite") }
  }
}
