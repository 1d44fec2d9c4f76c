import Foundation
import TestSupport
import Testing

/// Databases of random shape, judged by SQLite.
struct PropertyTests {
  /// More cases where the environment asks for them.
  private static let caseCount =
    ProcessInfo.processInfo.environment["STOREBENCH_FUZZ"].flatMap(Int.init) ?? 400
  private static let batch = 50

  @Test(arguments: 0..<(caseCount + batch - 1) / batch)
  func `fuzz: writes the records that SQLite writes`(batch: Int) throws {
    let folder = try TemporaryFolder()
    for number in batch * Self.batch..<min((batch + 1) * Self.batch, Self.caseCount) {
      var random = RandomDatabase(number: number)
      let database = random.make()
      let path = try database.write(in: folder)
      let reference = try database.insert(in: folder)
      try Judgement.expectIntegrity(of: path, "case \(number)")
      try Judgement.expectSameRecords(path, reference, "case \(number)")
      try folder.removeContents()
    }
  }
}
