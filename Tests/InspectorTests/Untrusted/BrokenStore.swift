import Foundation
import PersistentStore
import SQLite
import TestSupport

/// A store in a folder of its own, broken in one of many ways that a seed selects.
struct BrokenStore {
  /// The bytes of an intact store's files; external files by their names.
  struct Base {
    let name: String
    let main: [UInt8]
    let wal: [UInt8]
    let external: [String: [UInt8]]

    init(_ file: StoreFile) throws {
      func bytes(_ path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init) ?? []
      }
      name = file.name
      main = bytes(file.path)
      wal = bytes(file.wal)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: file.externalDataFolder))
      external = Dictionary(
        uniqueKeysWithValues: (names ?? []).map { ($0, bytes(file.externalDataFolder + "/" + $0)) }
      )
    }
  }

  let folder: TemporaryFolder
  let file: StoreFile
  /// The description of the breakage.
  let what: String

  /// Returns Core Data and SwiftData stores with inheritance, history and external data; one has a
  /// WAL.
  static func bases() throws -> [Base] {
    let stores = [
      try LibraryStore(), try LibraryStore(keepsWAL: true), try LibraryStore(works: 3),
      try LibraryStore(works: 300, name: "default.store"),
    ]
    return try stores.map { store in
      defer { withExtendedLifetime(store.folder) {} }
      return try Base(store.file)
    }
  }

  init(seed: UInt64, bases: [Base]) throws {
    var dice = Dice(seed: seed)
    let base = bases[dice.roll(bases.count)]
    folder = try TemporaryFolder()
    file = StoreFile(path: folder.file(base.name))
    var main = base.main
    var wal = base.wal
    if dice.roll(5) == 0 {
      // The content is broken by SQL, so the files are valid for SQLite.
      try Self.write(main, wal, base.external, file, in: folder)
      what = try ContentBreakage.apply(to: file, &dice)
      return
    }
    what = ByteBreakage.apply(to: &main, &wal, others: bases, &dice)
    try Self.write(main, wal, base.external, file, in: folder)
  }

  private static func write(
    _ main: [UInt8],
    _ wal: [UInt8],
    _ external: [String: [UInt8]],
    _ file: StoreFile,
    in folder: TemporaryFolder
  ) throws {
    func put(_ bytes: [UInt8], at path: String) throws {
      try folder.write(bytes, to: String(path.dropFirst(folder.path.count + 1)))
    }
    try put(main, at: file.path)
    if !wal.isEmpty { try put(wal, at: file.wal) }
    for (name, bytes) in external { try put(bytes, at: file.externalDataFolder + "/" + name) }
  }
}

/// A source of random numbers from a seed (splitmix64).
struct Dice {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15
  }

  /// A random number from 0 up to, but not including, `bound`.
  mutating func roll(_ bound: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((word ^ (word >> 31)) % UInt64(max(1, bound)))
  }
}
