import Foundation
import TestSupport
import Testing

@testable import Generators

/// Tests that a file's bytes do not depend on the number of threads or the available memory.
struct ThreadsTests {
  @Test func `writes the same bytes on any number of threads and with any memory`() throws {
    let folder = try TemporaryFolder()
    let database = Samples.tasks(rows: 12_000)
    let path = try database.write(in: folder)
    let expected = try Data(contentsOf: URL(fileURLWithPath: path))
    for (threads, memory) in [(2, 512 << 20), (5, 512 << 20), (1, 0), (3, 0)] {
      let other = try database.write(in: folder, "other", threads: threads, memory: memory)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: other))
      #expect(bytes == expected, "\(threads) threads, \(memory) bytes of memory")
    }
    try Judgement.expectIntegrity(of: path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test func `writes the same bytes where a chunk outgrows its memory`() throws {
    let folder = try TemporaryFolder()
    var table = TestTable(name: "T", types: ["INTEGER", "BLOB"], rowidColumn: 0, rowsPerChunk: 30)
    for row in 0..<90 {
      let size = row % 3 == 0 ? 2_000_000 : 50
      let blob = [UInt8](repeating: UInt8(row), count: size)
      table.rows.append(TestTable.Row(rowid: Int64(row + 1), values: [.null, .blob(blob)]))
    }
    let database = TestDatabase(tables: [table])
    let path = try database.write(in: folder)
    let other = try database.write(in: folder, "other", threads: 3)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: path))
        == Data(contentsOf: URL(fileURLWithPath: other))
    )
    try Judgement.expectIntegrity(of: path)
    try Judgement.expectSameRecords(path, try database.insert(in: folder))
  }

  @Test(arguments: [1, 3])
  func `leaves no file open`(threads: Int) throws {
    let folder = try TemporaryFolder()
    let rows = (1...9).map { TestTable.Row(rowid: Int64($0), values: [.null]) }
    var table = TestTable(name: "T", types: ["INTEGER"], rowidColumn: 0, rowsPerChunk: 3)
    table.rows = rows
    let path = try TestDatabase(tables: [table]).write(in: folder, threads: threads)
    let descriptors = "/proc/self/fd"
    let open = try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + "/" + $0)
    }
    #expect(!open.contains { $0.hasPrefix(path) })
  }

  private struct Stop: Error {}

  @Test(arguments: [1, 4])
  func `ends when the progress is refused`(threads: Int) throws {
    let folder = try TemporaryFolder()
    let writer = BulkWriter(
      plan: Samples.tasks(rows: 3_000).plan,
      threads: threads,
      temporaryFolder: folder.path
    )
    #expect(throws: Stop.self) {
      try writer.write(to: folder.file("refused")) { _ in throw Stop() }
    }
  }
}
