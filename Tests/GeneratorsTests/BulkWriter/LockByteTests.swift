import TestSupport
import Testing

@testable import Generators

/// Tests the lock-byte page, which SQLite's test control moves to an offset within a small file.
struct LockByteTests {
  /// Page sizes and file offsets of the lock-byte page.
  ///
  /// Pages 207 and 412 are pointer-map pages if a page has 1,024 bytes, and page 822 if it has
  /// 4,096.
  private static let places = [
    (1_024, 206 * 1_024), (1_024, 207 * 1_024), (1_024, 411 * 1_024), (4_096, 0x10_0000),
  ]
  /// Page sizes and offsets that need larger files.
  private static let farPlaces = [
    (4_096, 821 * 4_096), (4_096, 822 * 4_096), (1_024, 0x10_0000), (65_536, 30 * 65_536),
  ]

  @Test(
    .enabled(if: OutsideProgram.sqlite != nil, "sqlite3 is not installed"),
    arguments: FuzzSeeds.isThorough ? places + farPlaces : places
  )
  func `fuzz: leaves the page of the lock bytes alone`(pageSize: Int, position: Int) throws {
    let folder = try TemporaryFolder()
    // Enough rows that the file extends well beyond the lock-byte page.
    var database = Samples.tasks(rows: min(position / 350, 9_000))
    database.pageSize = pageSize
    var plan = database.plan
    plan.lockBytePosition = position
    let path = folder.file("locked.sqlite")
    try BulkWriter(plan: plan, threads: 2, temporaryFolder: folder.path).write(to: path)
    if let judge = OutsideProgram.checkDatabase {
      let verdict = try judge.run(["--lock-byte", String(position), path])
      #expect(verdict.output.hasPrefix("\(path): ok"), "\(verdict.errors)")
    }
    let sqlite = try #require(OutsideProgram.sqlite)
    let answer = try sqlite.run([
      "-batch", "-cmd", ".testctrl pending_byte \(position)", "-cmd", ".open '\(path)'", ":memory:",
      "PRAGMA integrity_check; DELETE FROM ZTASK WHERE c0 % 2; PRAGMA integrity_check;",
    ])
    #expect(answer.output == "ok\nok\n")
  }
}
