import Basics
import DataModel
import Runner
import SQLite
import Testing

@testable import PersistentStore
@testable import WorkloadKinds

/// Tests injected errors of writing code that reading by the same code could not detect.
struct WriterFaultTests {
  private static let copying: [String: ParameterValue] = ["strategy": .text("sideBySide")]

  @Test(arguments: [0, 1, 3, 5, 6, 8])
  func `an error in the layout that both stores share is found`(strategy: Int) throws {
    let values = MigrationWorkloadTests.strategies[strategy].merging(MigrationFixture.toV2) { $1 }
    let error = #expect(throws: Refusal.self) {
      try WriterFault.$current.withValue(.layout) {
        _ = try MigrationFixture.tasks().verify(values)
      }
    }
    #expect(error?.message.contains("derived in two ways that differ") == true)
    #expect(error?.message.contains("is kept in") == true)
  }

  @Test(arguments: ["sideBySide", "exportImport", "gradual"])
  func `an error of the object path is found`(strategy: String) throws {
    let bench = try MigrationFixture.tasks()
    let values: [String: ParameterValue] = ["strategy": .text(strategy)]
    let opened = try bench.open(values.merging(MigrationFixture.toV2) { $1 })
    try WriterFault.$current.withValue(.saving) {
      try opened.workload.run(opened.session, opened.recorder)
    }
    #expect(throws: VerificationFailure.self) {
      try opened.workload.verify(opened.session, opened.trial)
    }
  }

  @Test(arguments: ["willMigrate", "didMigrate"])
  func `an error of a transformation is found`(hook: String) throws {
    let bench = try MigrationFixture.tasks()
    let cases: [(attribute: String, wrong: ValueTransformation)] = [
      ("title", .wholeSeconds), ("estimatedMinutes", .zeroToOne), ("createdAt", .uppercased),
    ]
    for (attribute, wrong) in cases {
      for isWrong in [false, true] {
        let values: [String: ParameterValue] = [
          "strategy": .text("customStage"), "entity": .text("Task"), "attribute": .text(attribute),
          "hook": .text(hook),
        ]
        let opened = try bench.open(values.merging(MigrationFixture.toV2) { $1 })
        if isWrong { opened.session.stage?.transformation = wrong }
        try opened.workload.run(opened.session, opened.recorder)
        if isWrong {
          #expect(throws: VerificationFailure.self, "\(attribute)") {
            try opened.workload.verify(opened.session, opened.trial)
          }
        } else {
          _ = try opened.workload.verify(opened.session, opened.trial)
        }
      }
    }
  }
}
