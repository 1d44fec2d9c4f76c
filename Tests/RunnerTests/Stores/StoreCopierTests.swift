import Basics
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

struct StoreCopierTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `copies main file, WAL and blobs, but never the shared memory`() throws {
    let store = try makeTallyStore(in: folder, named: "from/items.sqlite")
    let open = try Connection(path: store.path)
    try open.execute("UPDATE ZITEM SET ZVALUE = 7 WHERE Z_PK = 1")
    try folder.write("a", to: "from/items_FILES/deep/er/a")
    try folder.write("", to: "to/.keep")
    let copy = try StoreCopier.copy(store, into: folder.path + "/to")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/to")
    #expect(
      names.sorted() == [
        ".items_SUPPORT", ".items_SUPPORT/_EXTERNAL_DATA", ".items_SUPPORT/_EXTERNAL_DATA/A",
        ".keep", "items.sqlite", "items.sqlite-wal", "items_FILES", "items_FILES/deep",
        "items_FILES/deep/er", "items_FILES/deep/er/a",
      ]
    )
    #expect(try StoreFingerprint(of: copy) == StoreFingerprint(of: store))
    let value = try Connection(path: copy.path).integer("SELECT ZVALUE FROM ZITEM WHERE Z_PK = 1")
    #expect(value == 7)
  }

  @Test func `copies more bytes than its buffer holds`() throws {
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let store = StoreFile(path: try folder.write(bytes, to: "from/a.sqlite"))
    try folder.write("", to: "to/.keep")
    let copy = try StoreCopier.copy(store, into: folder.path + "/to")
    #expect(FileManager.default.contents(atPath: copy.path) == bytes)
  }

  @Test func `overwrites nothing and follows no link`() throws {
    let store = StoreFile(path: try folder.write("new", to: "from/a.sqlite"))
    let old = try folder.write("old", to: "to/a.sqlite")
    #expect(throws: Refusal.failed("copy", old, .failedIO, code: EEXIST)) {
      try StoreCopier.copy(store, into: folder.path + "/to")
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/from/b.sqlite",
      withDestinationPath: "/etc/passwd"
    )
    let link = StoreFile(path: folder.path + "/from/b.sqlite")
    #expect(throws: Refusal.self) { try StoreCopier.copy(link, into: folder.path + "/to") }
  }

  @Test func `a fingerprint names the file that has changed`() throws {
    let store = try makeTallyStore(in: folder)
    let before = try StoreFingerprint(of: store)
    #expect(try StoreFingerprint(of: store).change(since: before) == nil)
    try folder.write("", to: "items.sqlite-wal")
    #expect(try StoreFingerprint(of: store).change(since: before) == nil)
    try folder.write("blub", to: ".items_SUPPORT/_EXTERNAL_DATA/A")
    #expect(
      try StoreFingerprint(of: store).change(since: before)
        == "the file '.items_SUPPORT/_EXTERNAL_DATA/A' has changed"
    )
    try folder.write("blob", to: ".items_SUPPORT/_EXTERNAL_DATA/A")
    try folder.write("", to: "items_FILES/B")
    #expect(
      try StoreFingerprint(of: store).change(since: before) == "the file 'items_FILES/B' is new"
    )
    try store.remove()
    #expect(
      try StoreFingerprint(of: store).change(since: before)
        == "the file '.items_SUPPORT/_EXTERNAL_DATA/A' is gone"
    )
  }

  @Test func `a fingerprint by a relative path has every file by its name`() throws {
    let store = try makeTallyStore(in: folder)
    let folders = FileManager.default.currentDirectoryPath.split(separator: "/").count
    let path = String(repeating: "../", count: folders) + store.path.dropFirst()
    let digests = try StoreFingerprint.secureDigests(of: StoreFile(path: path))
    #expect(try digests == StoreFingerprint.secureDigests(of: store))
    #expect(digests.count > 1)
  }

  @Test(arguments: [1, 12_000_000])
  func `a shared copy shows a write that leaves its size as it was`(bytes: Int) throws {
    let store = StoreFile(path: try folder.write(Data(count: bytes), to: "from/a.sqlite"))
    try folder.write("", to: "to/.keep")
    let copy = try ReadingCopy(of: store, into: folder.path + "/to", settings: ConnectionSettings())
    #expect(try copy.change() == nil)
    let file = try #require(FileHandle(forUpdatingAtPath: copy.store.path))
    try file.seek(toOffset: UInt64(bytes - 1))
    try file.write(contentsOf: Data([0]))
    // A write of the same bytes is not a change.
    #expect(try copy.change() == nil)
    try file.seek(toOffset: UInt64(bytes - 1))
    try file.write(contentsOf: Data([1]))
    #expect(try copy.change() == "the file 'a.sqlite' has changed")
  }
}
