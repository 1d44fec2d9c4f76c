import Foundation
import Testing

@testable import Forecasting

/// Tests predictions of memory and disk usage for stores larger than the ladder's.
struct SpaceTests {
  @Test func `a batch that is full for the first time in the ladder's last step grows no further`()
    throws
  {
    // One in five objects is a project: memory stops growing at 20,000 projects.
    let ladder = SyntheticLadder(seconds: { 1e-5 * $0 }, memory: { 36e6 + 1200 * min($0, 100_000) })
    let known = try ladder.forecast(batchSize: 20_000).predict(.memory, objects: 2e6).get()
    #expect(abs(known.value / 156e6 - 1) < 0.05, "\(known)")
    let unknown = try ladder.forecast().predict(.memory, objects: 2e6).get()
    #expect(unknown.value > 3 * known.value)
  }

  @Test func `what grows with the store is seen in spite of batches`() throws {
    let ladder = SyntheticLadder(seconds: { 1e-5 * $0 }, memory: { 36e6 + 1200 * $0 })
    let interval = try ladder.forecast(batchSize: 100).predict(.memory, objects: 1e6).get()
    #expect(abs(interval.value / 1236e6 - 1) < 0.05, "\(interval)")
  }

  @Test func `runs with a smaller page cache tell where the whole one is full`() throws {
    let ladder = SyntheticLadder(
      seconds: { 1e-5 * $0 },
      memory: { 36e6 + 6 * $0 },
      pageCache: { 75 * min($0, 200_000 * $1) }
    )
    let interval = try ladder.forecast().predict(.memory, objects: 1e6).get()
    #expect(abs(interval.value / 57e6 - 1) < 0.1, "\(interval)")
  }

  @Test func `the log of a batch grows until its entries dirty a page each`() throws {
    let ladder = SyntheticLadder(
      seconds: { 1e-5 * $0 },
      logs: { 600 * Term.saturating(reach: 60_000)($0) }
    )
    let interval = try ladder.forecast(batchSize: 1000).predict(.disk, objects: 1e6).get()
    let truth = 1e6 + 1500e6 + 600 * Term.saturating(reach: 60_000)(1e6)
    #expect(abs(interval.value / truth - 1) < 0.03, "\(interval)")
  }

  @Test func `what every store has alike is not copied`() throws {
    let ladder = SyntheticLadder(seconds: { 1e-5 * $0 }, logs: { 200 * $0 - 1e6 })
    let interval = try ladder.forecast().predict(.disk, objects: 1e6).get()
    #expect(abs(interval.value / 1700e6 - 1) < 0.01, "\(interval)")
  }
}
