import Basics
import Foundation
import Reporting
import TestSupport
import Testing

@testable import Runner

@Suite struct `The table of a mix` {
  private func workload(noise: Double = 0, _ weights: [String: Double]) -> WorkloadResult {
    var fixture = FindingFixture(noise: noise)
    for (size, factor) in [("1024", 1.0), ("16384", 3), ("1048576", 10)] {
      for (operation, strategy, time) in [
        ("insert", "inline", 0.010), ("insert", "file", 0.020), ("list", "inline", 0.005),
        ("list", "file", 0.001),
      ] {
        fixture.add(
          ["operation": operation, "size": size, "strategy": strategy],
          seconds: time * factor,
          job: "\(operation) of \(size)"
        )
      }
    }
    var workload = Fixture.workload("w")
    (workload.cases, workload.mix) = (fixture.cases, OperationMix(weights: weights))
    return workload
  }

  private func rows(_ document: ResultDocument) -> [String] {
    let lines = document.report.markdown.components(separatedBy: "\n")
    return lines.drop { $0 != "#### The mix" }.drop { !$0.hasPrefix("|") }
      .prefix { $0.hasPrefix("|") }.filter { $0.contains("| sum |") || $0.contains(" % |") }
  }

  @Test func `adds the operations up at each size, with the share of each`() throws {
    let rows = rows(Fixture.document(workload(["insert": 1, "list": 2])))
    try #require(rows.count == 9, "\(rows)")
    #expect(rows[0].contains("20.0 ms") && rows[0].contains("22.0 ms"), "\(rows[0])")
    #expect(rows[1].contains("50.0 %") && rows[1].contains("90.9 %"), "\(rows[1])")
    #expect(rows[2].contains("50.0 %") && rows[2].contains("9.1 %"), "\(rows[2])")
    #expect(rows[6].contains("200 ms") && rows[6].contains("220 ms"), "\(rows[6])")
  }

  @Test func `has an interval of each sum where trials vary`() throws {
    let rows = rows(Fixture.document(workload(noise: 0.02, ["insert": 1, "list": 2])))
    let sums = rows.filter { $0.contains("| sum |") }
    #expect(sums.count == 3)
    #expect(sums.allSatisfy { $0.components(separatedBy: " to ").count == 3 }, "\(sums)")
  }

  @Test func `judges kept results again, which changes the answer`() throws {
    let kept = Fixture.document(workload(noise: 0.001, ["insert": 1, "list": 2]))
    let again = try kept.judged(by: ["list": 30, "insert": 1], kinds: [TallyWorkload.self])
    let claims = again.workloads[0].findings.map(\.claim)
    #expect(claims.contains { $0.contains("use file") }, "\(claims)")
    let sum = try #require(rows(again).first)
    #expect(sum.contains("160 ms"), "\(sum)")
    let first = try kept.judged(by: ["list": 2, "insert": 1], kinds: [TallyWorkload.self])
    #expect(first.workloads[0].findings.contains { $0.claim.contains("use inline") })
    #expect(again.workloads[0].cases == kept.workloads[0].cases)
    let read = try ResultDocument(json: Array(again.text(as: .json).utf8))
    #expect(read.workloads[0].mix == OperationMix(weights: ["list": 30, "insert": 1]))
  }

  @Test func `says why there is no table`() {
    func reasons(
      _ weights: [String: Double],
      _ change: (inout WorkloadResult) -> Void = { _ in }
    ) -> [String] {
      var workload = workload(weights)
      change(&workload)
      return Fixture.document(workload).missingMixTables
    }
    #expect(reasons(["insert": 1, "list": 2]) == [])
    #expect(
      reasons(["insert": 1, "list": 0]) == [
        "'w' has no table of the mix: the mix has fewer than two of its operations"
      ]
    )
    let single = reasons(["insert": 1, "list": 2]) { workload in
      workload.trialCount = 1
      for place in workload.cases.indices {
        workload.cases[place].samples = workload.cases[place].samples.map {
          Sample(metric: $0.metric, trials: [$0.trials[0]])
        }
      }
    }
    #expect(
      single == [
        "'w' has no table of the mix: its cases have a single trial, which decides nothing: run it "
          + "with '--trials 5'"
      ]
    )
    let failed = reasons(["insert": 1, "list": 2]) { workload in
      workload.cases.removeAll { $0.parameters["strategy"] == "file" }
    }
    #expect(
      failed == [
        "'w' has no table of the mix: no two alternatives have comparable times in each operation "
          + "of the mix"
      ]
    )
  }

  @Test func `are not judged where cases are missing and the run found nothing`() throws {
    var workload = workload(noise: 0.001, ["insert": 1, "list": 2])
    workload.kind = TallyWorkload.name
    var kept = Fixture.document(workload)
    #expect(try !kept.judged(by: nil, kinds: [TallyWorkload.self]).workloads[0].findings.isEmpty)
    kept.missing = ["w/operation=list"]
    #expect(try kept.judged(by: nil, kinds: [TallyWorkload.self]) == kept)
    #expect(try kept.text(as: .junit).contains("<skipped message=\"not run\""))
  }

  @Test(
    arguments: [
      ("list", "'list' is none"), ("list=", "is none"), ("list=-1", "is none"),
      ("list=1, list=2", "names 'list' twice"), ("list=0", "ever done"), ("", "ever done"),
    ]
  )
  func `is refused in words where it cannot be read`(text: String, reason: String) {
    #expect {
      try OperationMix.weights(in: text)
    } throws: { "\($0)".contains(reason) }
  }

  @Test func `is refused where the result has no such operation`() throws {
    let kept = Fixture.document(workload(["insert": 1, "list": 2]))
    #expect {
      try kept.judged(by: ["lists": 3], kinds: [])
    } throws: { "\($0)".contains("'lists'; did you mean 'list'? It has insert, list") }
    #expect {
      try kept.judged(by: ["list": 30, "insert": 0], kinds: [])
    } throws: { "\($0)".contains("give two or more a weight above 0") }
    #expect {
      try Fixture.document(Fixture.workload()).judged(by: ["list": 3], kinds: [])
    } throws: { "\($0)".contains("no workload of this result has cases of several operations") }
  }
}
