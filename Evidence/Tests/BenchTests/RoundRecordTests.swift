import Basics
import Foundation
import TestSupport
import Testing

@testable import bench

struct RoundRecordTests {
  private func record(_ extra: Int, ratio: Double, seed: Int = 1) -> RoundRecord {
    var random = SplitMix64(state: UInt64(seed))
    let times = { (seconds: Double) in
      (0..<20).map { _ in
        seconds * (1 + 0.05 * (Double(random.next() % 1000) / 500 - 1))
      }
    }
    return RoundRecord(
      extra: extra,
      work: "compute",
      seed: seed,
      first: times(0.01),
      second: times(0.01 * ratio)
    )
  }

  @Test func `keeps times, and goes on where a portion ended`() throws {
    let folder = try TemporaryFolder()
    let records = [record(0, ratio: 1), record(25, ratio: 1.25)]
    let path = folder.path + "/rounds.csv"
    #expect(try RoundRecord.read(path) == [])
    // The last line is incomplete, as if the bench had been killed.
    let lines = [RoundRecord.title] + records.map(\.line) + ["10,compute,1,100 200,100 2"]
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    let read = try RoundRecord.read(path)
    #expect(read.map(\.line) == records.map(\.line))
    #expect(try #require(DecidedBench.next(after: read)) == (10, 0))
    #expect(try #require(DecidedBench.next(after: [])) == (0, 0))
  }

  @Test func `has measured all when every group is whole`() {
    let all = RoundRecord.Group.all.flatMap { group in
      (0..<group.workloads).map { record(group.extra, ratio: 1, seed: $0) }
    }
    #expect(DecidedBench.next(after: all) == nil)
    #expect(DecidedBench.next(after: Array(all.dropLast())).map(\.extra) == 10)
  }

  @Test func `judges by the program's own rule`() {
    #expect(record(25, ratio: 1.25).winner == "first")
    #expect(record(25, ratio: 0.8).winner == "second")
    let table = RoundRecord.report([record(25, ratio: 1.25), record(25, ratio: 0.8, seed: 2)])
    #expect(table.lines.contains { $0.hasPrefix("25 % more work") && $0.contains("1.26-98.74 %") })
    // The limits on winners do not apply yet, because no group has all its workloads.
    #expect(table.isMet)
    let wrong = (0..<144).map { record(25, ratio: $0 < 14 ? 1.25 : 0.8, seed: $0) }
    #expect(!RoundRecord.report(wrong).isMet)
  }
}
