import Basics
import Runner
import StoreBench
import TestSupport
import Testing

@testable import WorkloadKinds

/// Tests rules for every workload kind in the catalog.
///
/// A test takes all values from the kind; ``KindDescription/example`` has the parameters of a small
/// case.
@Suite struct `Every kind of the catalog` {
  @Test(arguments: WorkloadCatalog.kinds)
  func `documents its parameters and metrics`(kind: any WorkloadKind.Type) throws {
    #expect(!kind.name.isEmpty)
    #expect(try ConformanceBench.check(kind) { $0.undocumented(kind) } == [])
  }

  @Test func `has a name of its own, and its metrics mean the same in every kind`() {
    let kinds = WorkloadCatalog.kinds.map { $0.name }
    #expect(Set(kinds).count == kinds.count)
    let metrics = WorkloadCatalog.metrics
    #expect(Set(metrics).count == Set(metrics.map(\.name)).count)
  }

  /// Concurrent processes or threads run in a random order, so their counters do not repeat.
  @Test func `is counted in CI, but for what runs side by side`() throws {
    let plan = try Plan(
      paths: [Repository.path("Workloads/ci")],
      kinds: WorkloadCatalog.kinds
    )
    let counted = Set(plan.workloads.map { $0.file.kind.name })
    let missing = Set(WorkloadCatalog.kinds.map { $0.name }).subtracting(counted)
    #expect(missing == [CoexistenceWorkload.name], "these kinds have no file in Workloads/ci")
    let isRacing = plan.workloads.contains { $0.cases.contains { $0.traits.isConcurrent } }
    #expect(!isRacing)
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `runs, verifies its outcome and repeats its exact counters`(kind: any WorkloadKind.Type)
    throws
  {
    #expect(try ConformanceBench.check(kind) { try $0.repetition() } == [])
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `fuzz: has no parameter without effect`(kind: any WorkloadKind.Type) throws {
    let cases = ParameterCases.shown[kind.name] ?? []
    let exceptions = Set((ParameterCases.unseen[kind.name] ?? [:]).keys)
    let shown = cases.reduce(into: Set<String>()) { $0.formUnion($1.names) }
    let missing = Set(kind.axes.map(\.name)).subtracting(shown).subtracting(exceptions)
    #expect(missing == [], "\(kind.name): ParameterCases names no case in which these show")
    #expect(shown.intersection(exceptions) == [], "\(kind.name): these show, and need no exception")
    let unseen = try ConformanceBench.unseenChanges(of: kind, in: cases)
    #expect(unseen == [], "\(kind.name)")
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `fuzz: feels each setting of a connection, or refuses it`(
    kind: any WorkloadKind.Type
  ) throws {
    // With concurrent processes, no counter is exact.
    guard kind.name != CoexistenceWorkload.name else { return }
    let small = ParameterCases.settings[kind.name] ?? kind.description.example
    let unfelt = try ConformanceBench.unfeltSettings(of: kind, in: small)
    #expect(unfelt == [], "\(kind.name)")
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `catches an injected wrong outcome`(kind: any WorkloadKind.Type) throws {
    let found = try ConformanceBench.check(kind) { try $0.missedMutations() }
    #expect(found.occurred == 5)
    #expect(found.findings == [])
  }

  @Test(arguments: WorkloadCatalog.kinds)
  func `survives an interruption`(kind: any WorkloadKind.Type) throws {
    #expect(try ConformanceBench.check(kind) { try $0.interruption() } == [])
  }
}
