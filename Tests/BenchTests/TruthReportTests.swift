import Runner
import TestSupport
import Testing

@testable import bench

@Suite struct TruthReportTests {
  @Test func `counts suites and comparisons with an alarm`() {
    let records =
      Array(repeating: SuiteRecord.example(changed: 0), count: 30)
      + Array(repeating: SuiteRecord.example(changed: 0, .loaded), count: 29)
      + [.example(changed: 2, .loaded)]
    #expect(
      TruthReport.alarms(records).dropFirst(2).joined(separator: "\n") == """
                      suites  alarms  95 % bounds   cases  alarms  95 % bounds undecided
          quiet           30       0 0.00-11.57 %     570       0  0.00-0.65 %        30
          other load      30       1 0.08-17.22 %     570       2  0.04-1.26 %        30
          all             60       1  0.04-8.94 %    1140       2  0.02-0.63 %        60
          A comparison took 12.0 blocks and 0.71 s; blocks scatter by 0.8 %; 60 failed.
        """
    )
  }

  @Test func `counts what cannot be told, and what is below the floor, as missed`() {
    var missed = TryRecord.example
    missed.verdict = .cannotTell
    var small = TryRecord.example
    small.verdict = .belowFloor
    #expect(
      TruthReport.power([.example, missed, small]).last == """
          5 %, all                   3      1   0.84-90.57 %       18      5.5   4.97 %
        """
    )
  }

  @Test func `takes a counter that does not repeat for none`() {
    var loose = CounterRecord.example
    loose.repeats = false
    #expect(
      TruthReport.counters([.example, loose]).last == """
          all                               2      1   1.26-98.74 %           vfs.syncs
        """
    )
  }

  @Test func `asks every rule of every layout`() {
    let lines = TruthReport.rules([.example(.contiguous), .example(.lockstep)])
    // Twenty pairs that go either way by a thousandth: nothing to alarm, and 5 % is plain to
    // all but a threshold of 5 % of the slower side.
    #expect(
      lines.suffix(12).joined(separator: "\n") == """
          StoreBench 4,000, at the end     0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          StoreBench 4,000, each block     0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          Welch 0.00025, at the end        0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          Welch 0.00025, each block        0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          Welch 0.05, at the end           0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          Welch 0.05, each block           0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          Mann-Whitney 0.05, at the end    0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          Mann-Whitney 0.05, each block    0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          tango 2.6, at the end            0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          tango 2.6, each block            0.0 % 100.0 %   0.0 % 100.0 %   0.0 % 100.0 %
          ordo-one 5 %, at the end         0.0 %   0.0 %   0.0 %   0.0 %   0.0 %   0.0 %
          ordo-one 5 %, each block         0.0 %   0.0 %   0.0 %   0.0 %   0.0 %   0.0 %
        """
    )
  }

  @Test func `fits a terminal, and prints without any record`() throws {
    let folder = try TemporaryFolder()
    let lines = try TruthReport(TruthLedgers(folder: folder.path)).lines
    #expect(lines.allSatisfy { $0.count <= 80 })
  }
}
