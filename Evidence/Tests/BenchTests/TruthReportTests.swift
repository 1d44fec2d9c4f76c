import Compare
import Foundation
import Runner
import TestSupport
import Testing

@testable import bench

@Suite struct TruthReportTests {
  @Test func `counts whole suites and alarms by cell, and marks more alarms than are allowed`() {
    var short = ProductRecord.example(changed: 0)
    short.couldAlarm = 0
    let records =
      Array(repeating: ProductRecord.example(changed: 0), count: 30) + [short]
      + [.example(changed: 2, .loaded.of(.cold)), .example(changed: 0, .loaded.of(.cold))]
    #expect(
      EvidenceReport.suites(records).dropFirst(3).joined(separator: "\n") == """
                              suites   whole  alarmed    95 % bounds    allowed
          warm                    31      30        0   0.00-11.57 %          1
          cold                     2       2        1   1.26-98.74 %        ! 0
          all                     33      32        1   0.08-16.22 %          1
        """
    )
  }

  @Test func `counts equal sides whose wealth ever reached a level, coarse ones apart`() {
    var coarse = NullRecord.example(wealth: 5000)
    coarse.isCoarse = true
    let whole = NullRecord.example(wealth: 3, .example.of(.coarse))
    var short = NullRecord.example(wealth: 5000)
    short.blocks = 12
    let records =
      (0..<20).map { NullRecord.example(wealth: $0 < 2 ? 25 : 3) } + [coarse, short, whole]
      + [.example(wealth: 450, .example.of(.writing))]
    #expect(
      EvidenceReport.nulls(records).dropFirst(2).joined(separator: "\n") == """
                              nulls           20          100          400         4000
          level                              5 %          1 %      0.250 %      0.025 %
          warm, quiet            20   2 ≤ 31.7 %   0 ≤ 16.8 %   0 ≤ 16.8 %   0 ≤ 16.8 %
          writing, quiet          1 1 ≤ 100.0 % ! 1 ≤ 100.0 % ! 1 ≤ 100.0 % !   0 ≤ 97.5 %
          all of these           21   3 ≤ 36.3 %   1 ≤ 23.8 %   1 ≤ 23.8 %   0 ≤ 16.1 %
          coarse, quiet           2   1 ≤ 98.7 % 1 ≤ 98.7 % ! 1 ≤ 98.7 % ! 1 ≤ 98.7 % !
          1 shorter, left out
        """
    )
  }

  @Test func `counts what cannot be told, and what is below the floor, as missed`() {
    let records = [
      PowerRecord.example(), .example(.cannotTell), .example(.belowFloor), .example(planted: 0.02),
    ]
    #expect(
      EvidenceReport.power(records).suffix(2).joined(separator: "\n") == """
          5 % warm, quiet        3     1     0   0.84-90.57 %   95 % missed  4.97 %    none
          2 % warm, quiet        1     1     0  2.50-100.00 %   80 %   open  4.97 %       -
        """
    )
  }

  @Test func `pools all rows of a ledger, and names the revisions of the measured builds`() throws {
    let ledgers = TruthLedgers(folder: try TemporaryFolder().path)
    var other = Circumstances.example
    other.revision = "0000000000"
    try ledgers.product.append(.example(changed: 0))
    try ledgers.product.append(.example(changed: 0, other))
    let lines = try EvidenceReport(ledgers).lines
    #expect(lines[0] == "Revisions of the measured builds: 0000000000, 0123456789")
    #expect(
      lines.contains("  warm                     2       2        0   0.00-84.19 %          0")
    )
    #expect(
      try ledgers.changesSince() == [
        "rows of 0000000000, not in this repository", "rows of 0123456789, not in this repository",
      ]
    )
  }

  @Test(arguments: [(300, 0.005, 4), (60, 0.05, 6), (1000, 0.00025, 1), (0, 0.5, 0)])
  func `knows how many of so many events are still no surprise`(
    count: Int,
    rate: Double,
    most: Int
  ) {
    #expect(Binomial.quantile95(of: count, rate: rate) == most)
  }

  @Test func `a suite could alarm only with blocks enough for its level`() {
    // With twenty cases and a false-positive rate of 0.5 %, the first alarm needs an e-value of
    // 20 / 0.005 = 4,000. 16 blocks can reach it, but 15 cannot.
    #expect(SymmetryProcess.fewestBlocks(toReach: log(4000)) == 16)
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
    // In each of the example's twenty pairs, the sides differ by 0.1 %, in alternating directions,
    // so no rule may raise an alarm. With the head 5 % slower, every rule must detect the change,
    // except the rule whose threshold is 5 % of the slower side.
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
    #expect(lines.filter { $0.count > 80 } == [])
  }
}
