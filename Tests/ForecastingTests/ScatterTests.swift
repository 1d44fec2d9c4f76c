import Foundation
import Testing

@testable import Forecasting

struct ScatterTests {
  private func rung(_ size: Double, _ runs: [Double]) -> Rung {
    Rung(
      size: size,
      objects: [:],
      seconds: runs.median ?? 0,
      phases: [:],
      peakMemory: nil,
      peakDisk: nil,
      storeBytes: 0,
      counters: [:],
      runs: runs
    )
  }

  @Test func `the jitter of short runs is not the scatter of long ones`() {
    var generator = SeededGenerator(seed: 4)
    let rungs = (0..<40).map { step -> Rung in
      let seconds = 0.02 * pow(1.25, Double(step))
      let runs = (0..<5).map { _ in
        seconds * exp(0.04 * generator.normal()) + 0.01 * generator.normal()
      }
      return rung(Double(step + 1) * 1000, runs.map { max($0, 0.001) })
    }
    let scatter = Scatter(rungs)
    #expect((0.025...0.06).contains(scatter.share), "\(scatter.share)")
    #expect((0.004...0.02).contains(scatter.jitter), "\(scatter.jitter)")
    #expect(scatter.weight(seconds: 10) > 0.99)
    #expect(scatter.weight(seconds: 0.02) < 0.1)
  }

  @Test func `runs that agree have no scatter`() {
    let scatter = Scatter([rung(1000, [1, 1, 1]), rung(2000, [2, 2, 2])])
    #expect(scatter.share == 0)
    #expect(scatter.jitter == 0)
    #expect(scatter.weight(seconds: 0.001) == 1)
  }
}
