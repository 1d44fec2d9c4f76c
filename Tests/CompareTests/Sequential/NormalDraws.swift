import Foundation
import Generators

/// Normally distributed random numbers with a fixed seed (Box and Muller 1958).
struct NormalDraws {
  private var draws: Draws

  init(seed: UInt64) {
    draws = Draws(state: seed)
  }

  mutating func next(mean: Double = 0, deviation: Double = 1) -> Double {
    let radius = (-2 * log(draws.openUnit())).squareRoot()
    return mean + deviation * radius * cos(2 * .pi * draws.unit())
  }

  /// Returns a heavy-tailed random number: one in ten has ten times the standard deviation.
  mutating func spiky() -> Double {
    next(deviation: draws.happens(0.1) ? 10 : 1)
  }

  mutating func values(_ count: Int, mean: Double = 0, deviation: Double = 1) -> [Double] {
    (0..<count).map { _ in next(mean: mean, deviation: deviation) }
  }
}
