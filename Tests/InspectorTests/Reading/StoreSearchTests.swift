import Basics
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Inspector

struct StoreSearchTests {
  @Test func `every store below a folder is found, and no link is followed`() throws {
    let library = try LibraryStore()
    let outside = try LibraryStore()
    let manager = FileManager.default
    let data = library.folder.file("AppData/Library/Application Support")
    try manager.createDirectory(atPath: data, withIntermediateDirectories: true)
    try manager.copyItem(atPath: library.file.path, toPath: data + "/default.store")
    try manager.createSymbolicLink(
      atPath: library.folder.file("linked"),
      withDestinationPath: outside.folder.path
    )
    try manager.createSymbolicLink(
      atPath: library.folder.file("linked.sqlite"),
      withDestinationPath: outside.file.path
    )
    let names = try StoreSearch.stores(in: library.folder.path).map(\.name)
    #expect(names == ["default.store", "library.sqlite"])
  }

  @Test func `a folder without stores is said to have none`() throws {
    let folder = try TemporaryFolder()
    #expect(
      throws: Refusal.noInput("there is no store in '\(folder.path)' or in a folder below it")
    ) {
      try StoreSearch.stores(in: folder.path)
    }
  }

  @Test func `folders are searched to a depth and no further`() throws {
    let folder = try TemporaryFolder()
    let library = try LibraryStore()
    for depth in [12, 13] {
      let path = folder.path + String(repeating: "/d", count: depth)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: library.file.path, toPath: path + "/\(depth).store")
    }
    #expect(try StoreSearch.stores(in: folder.path).map(\.name) == ["12.store"])
  }
}
