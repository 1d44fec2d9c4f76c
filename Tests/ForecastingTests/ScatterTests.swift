import Basics
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
    var generator = SplitMix64(state: 4)
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

  @Test func `one disturbed run of each size makes no scatter`() {
    var generator = SplitMix64(state: 9)
    let rungs = (1...12).map { step -> Rung in
      let seconds = Double(step)
      let runs = (0..<4).map { _ in seconds * exp(0.03 * generator.normal()) }
      return rung(Double(step) * 1000, runs + [seconds * 2])
    }
    let scatter = Scatter(rungs)
    #expect((0.015...0.06).contains(scatter.share), "\(scatter.share)")
  }

  @Test(arguments: [2, 3, 5, 12])
  func `few runs tell the same scatter as many`(runs: Int) {
    var generator = SplitMix64(state: 5)
    let rungs = (1...4000).map { step in
      rung(Double(step), (0..<runs).map { _ in exp(0.05 * generator.normal()) })
    }
    let scatter = Scatter(rungs)
    #expect(abs(scatter.share - 0.05) < 0.003, "\(scatter.share)")
  }

  @Test func `runs that agree have no scatter`() {
    let scatter = Scatter([rung(1000, [1, 1, 1]), rung(2000, [2, 2, 2])])
    #expect(scatter.share == 0)
    #expect(scatter.jitter == 0)
    #expect(scatter.weight(seconds: 0.001) == 1)
  }
}
