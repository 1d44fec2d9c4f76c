import Foundation
import PersistentStore
import SQLite
import Testing

@testable import Inspector

struct WriteAheadLogTests {
  private func rewrite(_ path: String, _ body: (inout Data) -> Void) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    body(&bytes)
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  @Test func `every committed frame of a sound WAL is counted`() throws {
    let library = try LibraryStore(keepsWAL: true)
    let wal = try #require(WriteAheadLog(of: library.file))
    #expect(wal.isReadable)
    #expect(wal.pageSize == 4096)
    #expect(wal.committedFrames > 0)
    #expect(wal.uncommittedFrames == 0)
    #expect(wal.bytes == Int64(32 + wal.committedFrames * 4120) + wal.ignoredBytes)
  }

  @Test func `a store without a WAL has none`() throws {
    let library = try LibraryStore()
    #expect(WriteAheadLog(of: library.file) == nil)
  }

  @Test func `frames from the first broken one on are left out`() throws {
    let library = try LibraryStore(keepsWAL: true)
    let before = try #require(WriteAheadLog(of: library.file))
    try rewrite(library.file.wal) { $0[32 + 4120 + 100] ^= 1 }
    let after = try #require(WriteAheadLog(of: library.file))
    #expect(after.committedFrames + after.uncommittedFrames == 1)
    #expect(after.ignoredBytes > before.ignoredBytes)
  }

  @Test func `the WAL of another store is found out`() throws {
    let library = try LibraryStore()
    let other = try LibraryStore(keepsWAL: true)
    let connection = try PersistentStore.open(other.file).connection
    connection.keepWALAtClose()
    try connection.execute("PRAGMA wal_autocheckpoint=0")
    try connection.execute("UPDATE Z_METADATA SET Z_UUID = '00000000-0000-4000-8000-000000000000'")
    try FileManager.default.copyItem(atPath: other.file.wal, toPath: library.file.wal)
    let survey = try library.survey()
    #expect(survey.rules.contains("foreignWAL"))
  }

  @Test func `a WAL without a readable header is left out and reported`() throws {
    let library = try LibraryStore()
    try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: library.file.wal))
    let survey = try library.survey()
    #expect(survey.rules.contains("foreignWAL"))
    #expect(survey.objectCount == 29)
  }

  @Test func `a WAL whose frames are all broken is reported`() throws {
    let library = try LibraryStore()
    let other = try LibraryStore(keepsWAL: true)
    try? FileManager.default.removeItem(atPath: library.file.wal)
    try FileManager.default.copyItem(atPath: other.file.wal, toPath: library.file.wal)
    try rewrite(library.file.wal) { $0[32 + 50] ^= 1 }
    #expect(try library.survey().rules.contains("unreadableWAL"))
  }
}
