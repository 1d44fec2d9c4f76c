import Foundation
import TestSupport
import Testing

/// Compares databases of random shape with those that SQLite writes.
struct PropertyTests {
  @Test(arguments: FuzzSeeds.portions(of: 25, usually: 50))
  func `fuzz: writes the records that SQLite writes`(numbers: Range<Int>) throws {
    let folder = try TemporaryFolder()
    for number in numbers {
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
