import Basics
import Foundation
import PersistentStore
import SQLite
import TestSupport
import Testing

@testable import Runner

/// Tests which saves may remain in the store after a launch was killed.
struct CommittedStatesTests {
  private let folder: TemporaryFolder
  private let original: StoreFile

  init() throws {
    folder = try TemporaryFolder()
    original = try makeTallyStore(in: folder, named: "original/items.sqlite")
  }

  /// Makes a trial with `saves` saves, each of which changes two rows.
  private func trial(_ name: String, saves: Int, half: Bool = false) throws -> Trial {
    let root = folder.path + "/" + name
    for part in LaunchedCase.parts { try folder.write("", to: "\(name)/\(part)/.keep") }
    let store = try StoreCopier.copy(original, into: root + "/store")
    let connection = try Connection(path: store.path)
    for save in 0..<saves { try change(connection, save, rows: 2) }
    if half { try change(connection, saves, rows: 1) }
    try connection.checkpoint()
    return Trial(
      store: store,
      start: original,
      original: original,
      recipe: nil,
      folder: root + "/work",
      workloadsFolder: "",
      settings: ConnectionSettings()
    )
  }

  private func change(_ connection: Connection, _ save: Int, rows: Int) throws {
    for row in 1...rows {
      try connection.execute(
        "UPDATE ZITEM SET ZVALUE = -\(save) - 1 WHERE Z_PK = \(save * 2 + row)"
      )
    }
  }

  /// The possible states of a store after zero to three saves.
  private func states() throws -> CommittedStates {
    let copies = CommitCopies(folder: folder.path + "/copies")
    for saves in 1...3 { copies.copy(try trial("after\(saves)", saves: saves).store.path) }
    return try CommittedStates(start: trial("unworked", saves: 0), copies: copies)
  }

  private func log(_ trial: Trial, commits: Int, lasting: Int) throws -> String {
    try folder.write("\(commits) \(lasting) \(trial.store.path)\n", to: "log")
  }

  @Test(arguments: [
    (0, 0, 0, Remains.State.old), (1, 1, 1, .between), (2, 1, 1, .between), (3, 3, 3, .new),
  ])
  func `the saves that were committed, and one that was about to be, are right`(
    saves: Int,
    commits: Int,
    lasting: Int,
    state: Remains.State
  ) throws {
    let killed = try trial("killed", saves: saves)
    let log = try log(killed, commits: commits, lasting: lasting)
    let remains = try states().remains(of: killed, log: log, losesPower: false)
    #expect(remains.state == state)
  }

  @Test func `a loss of power may take saves that no sync followed`() throws {
    let killed = try trial("killed", saves: 1)
    let log = try log(killed, commits: 3, lasting: 1)
    let states = try states()
    #expect(try states.remains(of: killed, log: log, losesPower: true).state == .between)
    #expect(throws: CaseKiller.Failure.otherSave("store/items.sqlite", found: 1, least: 3)) {
      try states.remains(of: killed, log: log, losesPower: false)
    }
  }

  @Test func `a part of a save is found`() throws {
    let killed = try trial("killed", saves: 1, half: true)
    let log = try log(killed, commits: 1, lasting: 1)
    #expect(throws: CaseKiller.Failure.halfSaved("store/items.sqlite")) {
      try states().remains(of: killed, log: log, losesPower: false)
    }
  }

  @Test(
    arguments: [
      SQLiteError(code: 13, message: "database or disk is full", context: "x"),
      SQLiteError(code: 4874, message: "disk I/O error", context: "x"),
      Refusal.failed("copy", "a", .failedIO, code: ENOSPC),
      Refusal.cannotWrite("a", code: EDQUOT),
      CocoaError(.fileWriteOutOfSpace),
    ] as [any Error]
  )
  func `a full disk is named with what to free`(error: any Error) {
    #expect(error.hasFullDisk)
    let advice = FullDisk.advice(error, folder: "/work", needed: 8_400_000)
    #expect(
      advice.hasPrefix(
        "the disk of '/work' is full: free up to 8.01 MB on it, the most that the case takes, or name "
          + "another disk with --work-folder ("
      )
    )
    #expect(FullDisk.isNamed(in: advice) && !FullDisk.isNamed(in: "\(error)"))
  }

  @Test func `the words of an error say nothing of the disk`() {
    let error = SQLiteError(code: 1, message: "no such table: Disk quota exceeded", context: "")
    #expect(!error.hasFullDisk)
  }
}
