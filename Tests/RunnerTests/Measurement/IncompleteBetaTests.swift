import Runner
import Testing

struct IncompleteBetaTests {
  // The expected values come from scipy.special.betainc.
  @Test(
    arguments: [
      (0.3, 2, 5, 0.579825), (0.5, 40, 40, 0.5), (0.2, 0.5, 12, 0.9780170029558978),
      (0.97, 3.5, 0.5, 0.6558521087759752),
    ]
      as [(Double, Double, Double, Double)]
  )
  func `has the values of another implementation`(x: Double, a: Double, b: Double, value: Double) {
    #expect(abs(IncompleteBeta.value(x, a, b) - value) < 1e-12)
    #expect(abs(IncompleteBeta.value(x, a, b) + IncompleteBeta.value(1 - x, b, a) - 1) < 1e-12)
  }
}
