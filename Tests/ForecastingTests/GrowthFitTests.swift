import Basics
import Reporting
import Runner
import Testing

@testable import Forecasting

struct GrowthFitTests {
  private static let sizes = [300, 1_200, 4_800]

  private func fit(
    _ declared: CostGrowth,
    unit: Metric.Unit = .count,
    _ cost: (Double) -> Double
  ) -> GrowthFit {
    GrowthFit(
      caseID: "a",
      metric: Metric("sqlite.vmSteps", unit: unit, isExact: true),
      declared: declared,
      points: Self.sizes.map {
        GrowthFit.Point(objects: $0, cost: cost(Double($0)).rounded(), seconds: Double($0) / 1e6)
      }
    )
  }

  private func isFaster(_ fit: GrowthFit) -> Bool {
    if case .faster = fit.verdict { true } else { false }
  }

  @Test(arguments: CostGrowth.allCases)
  func `a cost that grows as declared passes, whatever is constant in it`(growth: CostGrowth) {
    for constant in [0.0, 50, 100_000] {
      #expect(
        !isFaster(fit(growth) { constant + 7 * growth.relative($0) }),
        "\(growth) \(constant)"
      )
    }
  }

  @Test(arguments: zip(CostGrowth.allCases, CostGrowth.allCases.dropFirst()))
  func `a cost that grows faster is found, but for a logarithm`(
    declared: CostGrowth,
    found: CostGrowth
  ) {
    let isLogarithm = [.logarithmic, .linearithmic].contains(found)
    #expect(isFaster(fit(declared) { 1_000 + 9 * found.relative($0) }) == !isLogarithm)
  }

  @Test func `a quadratic part is found when it is a small part of the cost`() throws {
    // The quadratic term is 5 % of the cost on the smallest store.
    let planted = fit(.linear) { 5_000 + 40 * $0 + 40 * 0.05 / 300 * $0 * $0 }
    #expect(isFaster(planted))
    #expect(!isFaster(fit(.linear) { 5_000 + 40 * $0 }))
  }

  /// Cost functions of the number of objects that must pass as linear.
  private static let harmless: [@Sendable (Double) -> Double] = [
    { $0 }, { 3 * $0 }, { $0 + 10_000 }, { 900 - $0 / 100 }, { _ in 12 }, { $0 / 50 },
    { ($0 / 40).rounded(.up) }, { ($0 / 40).rounded(.up) * 3 + 2 }, { $0 * 7 + log($0) * 100 },
    { $0 * log($0) }, { $0 * log($0) / 60 }, { $0.squareRoot() * 40 }, { log($0) * 5 },
    { $0 * 2 + $0.squareRoot() * 30 }, { ($0 / 200).rounded(.up) + 3 },
    { $0 + ($0 / 256).rounded(.up) },
    { 25 * $0 + ($0 / 30).rounded(.down) * 4 }, { $0 > 1_000 ? 4 * $0 : 3 * $0 },
    { 12 * $0 + ($0 > 4_000 ? 3 * $0 : 2 * $0) }, { 5 * $0 - 40 * log($0) },
  ]

  @Test func `twenty harmless costs pass as linear`() {
    #expect(Self.harmless.count == 20)
    for (number, cost) in Self.harmless.enumerated() {
      let fit = fit(.linear, cost)
      #expect(!isFaster(fit), "\(number): \(fit.exponent ?? 0)")
    }
  }

  @Test func `bytes are allowed the rounding to pages`() {
    #expect(
      !isFaster(fit(.linear, unit: .bytes) { $0 < 1_000 ? 4_096 : $0 < 4_000 ? 8_192 : 36_864 })
    )
    #expect(isFaster(fit(.linear, unit: .bytes) { $0 * $0 }))
  }

  @Test func `a cost that should grow and does not is told apart`() {
    #expect(fit(.linear) { _ in 40 }.verdict == .constant)
    #expect(fit(.constant) { _ in 40 }.verdict == .asDeclared)
  }

  @Test func `what it means for the largest store follows from the growth`() throws {
    let seconds = try #require(fit(.linear) { $0 * $0 }.seconds(at: 48_000))
    // By quadratic growth, 48,000 objects take 100 times the 4.8 ms of 4,800 objects.
    #expect(abs(seconds.now - 0.48) < 0.01)
    #expect(seconds.declared < seconds.now / 100)
  }

  private func outcome(_ id: String, stepsPerObject: Double) -> GrowthRun.Outcome {
    var outcome = GrowthRun.Outcome()
    outcome.fits = [
      GrowthFit(
        caseID: id,
        metric: Metric("sqlite.vmSteps", unit: .count, isExact: true),
        declared: .linear,
        points: Self.sizes.map {
          let cost = Double($0) * stepsPerObject
          return GrowthFit.Point(objects: $0, cost: cost, seconds: cost / 1.04e5)
        }
      )
    ]
    return outcome
  }

  @Test
  func `the largest user's upgrade fails where it passes a limit that it did not pass before`()
    throws
  {
    let before = outcome("upgrade/to=v2", stepsPerObject: 8)
    func report(_ steps: Double, largest: Double, before: GrowthRun.Outcome?) -> GrowthReport {
      GrowthReport(
        outcome("upgrade/to=v3", stepsPerObject: steps),
        largest: largest,
        before: before
      )
    }
    let same = report(8, largest: 200_000, before: before)
    #expect(same.exitStatus == 0)
    #expect(
      same.annotations.contains(
        "at 200,000 objects, the largest user's store: 16 s → 16 s "
          + "(sqlite.vmSteps 1,600,000 → 1,600,000), in upgrade/to=v3; The cost does not grow"
      ),
      "\(same.annotations)"
    )
    let dearer = report(12, largest: 200_000, before: before)
    #expect(dearer.exitStatus == 2)
    #expect(
      dearer.report.title.plain
        == "1 of 1 cost passes a launch limit that it did not pass before"
    )
    #expect(dearer.report.next?.plain.contains("declare it") == false)
    #expect(dearer.annotations.contains("::error title=upgrade/to=v3 passes a limit"))
    #expect(
      dearer.annotations.contains("16 s → 24 s, over the limit of 20 s (watchdog) ("),
      "\(dearer.annotations)"
    )
    // A time over the limit is no error if the baseline exceeds the limit too or is missing.
    #expect(report(12, largest: 2_000_000, before: before).exitStatus == 0)
    #expect(report(12, largest: 200_000, before: nil).exitStatus == 0)
  }
}
