import Basics
import DataModel
import Runner
import TestSupport
import Testing
import WorkloadKinds

@testable import bench

struct ClaimFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func problem(_ claim: String) throws -> String {
    let plan = try Plan(
      paths: [Repository.path("Evidence/Workloads/claims/fetch-over-500ms.yaml")],
      kinds: WorkloadCatalog.kinds
    )
    let path = try folder.write("fetch-over-500ms:\n" + claim, to: "claims.yaml")
    do {
      _ = try PublishedClaim.read(path: path, for: plan)
      return ""
    } catch let error as InvalidInput {
      let problems = error.problems
      return problems.map(\.message).joined(separator: "; ")
    }
  }

  @Test func `every claim has a workload file with cases that it compares`() throws {
    let plan = try Plan(
      paths: [Repository.path("Evidence/Workloads/claims")],
      kinds: WorkloadCatalog.kinds
    )
    let claims = try PublishedClaim.read(
      path: Repository.path("Evidence/Workloads/claims.yaml"),
      for: plan
    )
    #expect(claims.count == 28)
    #expect(claims["claims/10k-30s"]?.scope == .worstCell)
    #expect(claims["claims/10k-30s"]?.expectations.map(\.below) == [Quantity(30, .seconds)])
  }

  @Test(arguments: [
    ("  text: a", "lacks the key 'source'"),
    ("  text: a\n  source: b", "a claim needs 'expect', or 'notTestable' with the reason"),
    (
      "  text: a\n  source: b\n  expect: { metric: m }",
      "an expectation needs 'below' or 'above'"
    ),
    (
      "  text: a\n  source: b\n  expect: { metric: m, below: 1, of: { strategy: eager } }",
      "a ratio needs both 'of' and 'to', and cannot have 'case'"
    ),
    (
      "  text: a\n  source: b\n  expect: { fails: true, below: 1 }",
      "'fails' cannot be combined with 'below' or 'above'"
    ),
    (
      "  text: a\n  source: b\n  expect: { metric: m, below: soon }",
      "'below' must be a number, a time such as 30 s or a size such as 2 MB"
    ),
    (
      "  text: a\n  source: b\n  expect: { metric: m, below: 1, case: { strategy: count } }",
      "no case of the plan matches 'expect'"
    ),
  ])
  func `refuses a claim that cannot be tested`(claim: String, message: String) throws {
    #expect(try problem(claim).contains(message))
  }
}
