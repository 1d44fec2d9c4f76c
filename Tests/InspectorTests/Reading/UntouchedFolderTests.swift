import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Inspector

struct UntouchedFolderTests {
  @Test(arguments: [false, true])
  func `an inspection changes nothing in the store's folder`(keepsWAL: Bool) throws {
    let library = try LibraryStore(keepsWAL: keepsWAL)
    try? FileManager.default.removeItem(atPath: library.file.sharedMemory)
    let before = try FolderFingerprint(of: library.folder.path)
    let survey = try library.survey()
    #expect(survey.objectCount == 29)
    #expect(try FolderFingerprint(of: library.folder.path) == before)
    #expect((survey.wal != nil) == keepsWAL)
    #expect(!FileManager.default.fileExists(atPath: library.file.sharedMemory))
  }

  @Test func `a -shm that lies there stays as it is`() throws {
    let library = try LibraryStore(keepsWAL: true)
    #expect(FileManager.default.fileExists(atPath: library.file.wal))
    try Data(repeating: 7, count: 32_768).write(to: URL(fileURLWithPath: library.file.sharedMemory))
    let before = try FolderFingerprint(of: library.folder.path)
    #expect(try library.survey().objectCount == 29)
    #expect(try FolderFingerprint(of: library.folder.path) == before)
  }

  @Test func `a store in a read-only folder is read with its WAL`() throws {
    let library = try LibraryStore(keepsWAL: true)
    try? FileManager.default.removeItem(atPath: library.file.sharedMemory)
    let manager = FileManager.default
    for path in [library.file.path, library.file.wal] {
      try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
    }
    try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: library.folder.path)
    defer {
      try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: library.folder.path)
    }
    let before = try FolderFingerprint(of: library.folder.path)
    #expect(try library.survey().objectCount == 29)
    #expect(try FolderFingerprint(of: library.folder.path) == before)
  }

  @Test func `what is only in the WAL is counted`() throws {
    let library = try LibraryStore(keepsWAL: true)
    let main = try Connection(path: library.file.path, mode: .immutable, settings: nil)
    let inMainFile = try? main.integer("SELECT count(*) FROM ZWORK")
    #expect(inMainFile != 23)
    #expect(try library.survey().entity("Work")?.countWithSubentities == 23)
  }
}
