import Foundation
import Testing

@testable import Forecasting

struct TermTests {
  @Test func `page misses begin at the bend and come to one an object`() {
    let misses = Term.misses(bend: 1000)
    #expect(misses(1000) == 0)
    // The misses are the integral of 1 - 1000/x from 1,000 to 2,000.
    #expect(abs(misses(2000) - (1000 - 1000 * log(2))) < 1e-9)
    #expect(misses(1e9) / 1e9 > 0.99999 - 1e-4)
  }

  @Test func `batches of random entries come to dirty a page each`() {
    let dirtying = Term.dirtying(batch: 500)
    // Each batch of b objects writes every page of a small index once: x/b page writes per object
    // for an index of x pages.
    #expect(abs(dirtying(10) / (10 * 10 / 2 / 500) - 1) < 0.01)
    #expect(abs(dirtying(5e7) / 5e7 - 1) < 0.02)
  }

  @Test func `tables double at three quarters of their capacity`() throws {
    let rungs = [1000, 2000].compactMap {
      Rung([Observation(objects: ["Task": $0], seconds: 1)])
    }
    let doubling = Term.doubling(EntityShape(rungs))
    #expect(doubling(768) == 1024)
    #expect(doubling(769) == 2048)
  }
}
