import Foundation
import SQLite
import Testing

/// Tests the model of a disk, which decides what remains of unsynced files and names.
struct VolatileDiskTests {
  private let database: TemporaryDatabase
  private var path: String { database.folder + "/a" }
  private var other: String { database.folder + "/b" }

  init() throws {
    database = try TemporaryDatabase()
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Prepares, works and cuts the power with each of many seeds; returns all possible remains.
  private func outcomes(
    _ prepare: () throws -> Void,
    _ work: (FaultInjector) throws -> Void
  ) throws -> Set<[String?]> {
    try Set(
      (0..<60 as Range<UInt64>).map { seed in
        for path in [path, other] { try? FileManager.default.removeItem(atPath: path) }
        try prepare()
        let injector = FaultInjector(remembersWrites: true)
        try work(injector)
        injector.losePower(seed: seed)
        return [text(path), text(other)]
      }
    )
  }

  /// The possible remains of a new file that is renamed over an old file.
  private func outcomesOfSwap(syncsFolder: Bool) throws -> Set<[String?]> {
    try outcomes {
      try write("old", to: path)
      try write("new", to: other)
    } _: { injector in
      injector.remember { $0.willRename(other, to: path) }
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: other, toPath: path)
      if syncsFolder { injector.remember { $0.didSyncFolder(of: path) } }
    }
  }

  @Test func `a swap whose folder was not synced is done or undone, never half`() throws {
    #expect(try outcomesOfSwap(syncsFolder: false) == [["old", "new"], ["new", nil]])
  }

  @Test func `a swap whose folder was synced lasts`() throws {
    #expect(try outcomesOfSwap(syncsFolder: true) == [["new", nil]])
  }

  @Test func `a synced file may still have lost its name`() throws {
    let found = try outcomes {
    } _: { injector in
      try write("new", to: path)
      injector.remember { disk in
        disk.didCreate(path)
        disk.willWrite(Array("new".utf8), at: 0, of: path, replacing: [], size: 0)
        disk.didSync(path)
      }
    }
    #expect(found == [["new", nil], [nil, nil]])
  }

  @Test func `a removal that was not synced may come undone`() throws {
    let found = try outcomes {
      try write("old", to: path)
    } _: { injector in
      injector.remember { $0.willRemove(path) }
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(found == [["old", nil], [nil, nil]])
  }

  @Test func `sectors of a write that was not synced are old or new, each for itself`() throws {
    let sectors = { (letters: String) in
      letters.map { String(repeating: $0, count: 512) }.joined()
    }
    let found = try outcomes {
      try write(sectors("abc"), to: path)
    } _: { injector in
      injector.remember { disk in
        disk.willWrite(
          Array(sectors("XY").utf8),
          at: 512,
          of: path,
          replacing: Array(sectors("bc").utf8),
          size: 1536
        )
      }
      try write(sectors("aXY"), to: path)
    }
    #expect(found == Set(["abc", "aXY", "aXc", "abY"].map { [sectors($0), nil] }))
  }

  @Test func `names in a folder are lost from some point on`() throws {
    let found = try outcomes {
    } _: { injector in
      for path in [path, other] {
        try write("", to: path)
        injector.remember { $0.didCreate(path) }
      }
    }
    #expect(found == [[nil, nil], ["", nil], ["", ""]])
  }
}
