import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite struct HostileStoreTests {
  /// Reads everything in a store; returns the result or the error.
  private func inspect(_ file: StoreFile, _ layout: StoreLayout) -> String {
    do {
      let findings = try StoreAudit(store: file, layout: layout).findings()
      let content = try StoreContent(store: file, layout: layout)
      let digests = try [DigestOptions.keys(), .content]
        .map { try content.digest($0).total }
      let problems = try StoreInspection(store: file, layout: layout)
        .problems(expecting: ExpectedContent(from: content), history: .fresh)
      return "\(findings) \(digests) \(problems)"
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: 0..<8) func `survives a store with bytes changed anywhere`(_ seed: Int) throws {
    let sample = try SampleStore.filled()
    let whole = try #require(try sample.files()["Sample.sqlite"])
    let before = inspect(sample.file, sample.layout)
    let folder = try TemporaryFolder()
    let file = StoreFile(path: folder.path + "/Sample.sqlite")
    var state = UInt64(seed)
    for _ in 0..<rounds {
      var bytes = [UInt8](whole)
      for _ in 0..<20 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
      }
      try folder.write(bytes, to: file.name)
      #expect(inspect(file, sample.layout) != before)
    }
  }

  /// The number of rounds: 2, or STOREBENCH_FUZZ_ROUNDS.
  private var rounds: Int {
    ProcessInfo.processInfo.environment["STOREBENCH_FUZZ_ROUNDS"].flatMap(Int.init) ?? 2
  }

  @Test(arguments: [0, 1, 99, 100, 4095, 4096, 10_000, 40_960])
  func `survives a store that was cut short`(_ count: Int) throws {
    let sample = try SampleStore.filled()
    let whole = try #require(try sample.files()["Sample.sqlite"])
    let folder = try TemporaryFolder()
    let file = StoreFile(path: folder.path + "/Sample.sqlite")
    try folder.write(whole.prefix(count), to: file.name)
    #expect(!inspect(file, sample.layout).isEmpty)
  }

  @Test(arguments: [
    "UPDATE ZTASK SET Z_PK = 9223372036854775807 WHERE Z_PK = 1",
    "UPDATE ZTASK SET Z_PK = -9223372036854775808 WHERE Z_PK = 1",
    "UPDATE ZTASK SET Z_ENT = 9223372036854775807, Z1_COVER = -9223372036854775808",
    "UPDATE ZTASK SET ZPROJECT = 9223372036854775807, ZCOVER = -9223372036854775808",
    "UPDATE ZTASK SET Z_OPT = -9223372036854775808, ZPROGRESS = 9e999",
    "UPDATE Z_8TASKS SET Z_8TAGS = 9223372036854775807 WHERE rowid = 1",
    "UPDATE ZSUBTASK SET Z_FOK_TASK = -9223372036854775808",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808, Z_NAME = NULL, Z_SUPER = 'x'",
    "UPDATE ACHANGE SET ZENTITY = 9223372036854775807, ZTRANSACTIONID = -9223372036854775808",
    "UPDATE ACHANGE SET Z_PK = 9223372036854775807 WHERE Z_PK = 1",
    "UPDATE ACHANGE SET Z_PK = -9223372036854775808 WHERE Z_PK = 1",
    "UPDATE ATRANSACTION SET ZTIMESTAMP = 'x', ZAUTHORTS = 9223372036854775807",
    "UPDATE Z_METADATA SET Z_PLIST = zeroblob(100000), Z_VERSION = 9223372036854775807",
    "UPDATE Z_MODELCACHE SET Z_CONTENT = zeroblob(100000)",
    "UPDATE ZATTACHMENT SET ZDATA = zeroblob(38)",
  ])
  func `survives absurd values and finds them`(_ sql: String) throws {
    let sample = try SampleStore.filled()
    let before = inspect(sample.file, sample.layout)
    try sample.execute(sql)
    #expect(inspect(sample.file, sample.layout) != before)
  }
}
