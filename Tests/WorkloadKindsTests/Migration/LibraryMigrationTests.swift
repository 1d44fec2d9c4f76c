import Basics
import DataModel
import Foundation
import PersistentStore
import Runner
import SQLite
import Testing

@testable import WorkloadKinds

struct LibraryMigrationTests {
  @Test(arguments: [false, true])
  func `reaches one content by every strategy`(keepsHistory: Bool) throws {
    let bench = try LibraryFixture.bench(keepsHistory: keepsHistory)
    let to = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: false), in: bench)
    let digests = try MigrationWorkloadTests.strategies.map {
      try bench.verify($0.merging(["to": to]) { $1 }).digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test(arguments: [false, true])
  func `merges to one content by either strategy`(keepsHistory: Bool) throws {
    let bench = try LibraryFixture.bench(keepsHistory: keepsHistory)
    let to = try LibraryFixture.write(LibraryFixture.nextModel(isUnique: true), in: bench)
    let digests = try ["lightweight", "sideBySide"].map { strategy in
      let verification = try bench.verify([
        "to": to, "duplicates": .text("merged"), "strategy": .text(strategy),
        "batchSize": .integer(3),
      ])
      #expect(verification.notes == ["5 duplicates merged"])
      return verification.digest
    }
    #expect(Set(digests).count == 1)
  }

  @Test(arguments: ["merged", "removed"])
  func `merges nothing across sub-entities`(duplicates: String) throws {
    let bench = try LibraryFixture.bench()
    try Connection(path: bench.original.path)
      .execute(
        "UPDATE ZPUBLICATION SET ZCODE = 'one' WHERE Z_PK IN "
          + "(SELECT min(Z_PK) FROM ZPUBLICATION GROUP BY Z_ENT)"
      )
    let way: [String: ParameterValue] = [
      "to": try LibraryFixture.write(LibraryFixture.nextModel(isUnique: true), in: bench),
      "duplicates": .text(duplicates),
    ]
    let error = #expect(throws: Refusal.self) { try bench.verify(way) }
    let words = "Publication: objects of different sub-entities have equal values of 'code'"
    #expect(error?.message.hasPrefix(words) == true)
  }
}
