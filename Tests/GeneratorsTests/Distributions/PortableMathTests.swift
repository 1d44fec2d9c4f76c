import Foundation
import Testing

@testable import Generators

struct PortableMathTests {
  // The expected values come from an independent implementation in Python.
  @Test(
    arguments: [
      (1.0, 0x4005_BF0A_8B14_576A), (-1.0, 0x3FD7_8B56_362C_EF38), (0.5, 0x3FFA_6129_8E1E_069C),
      (-0.1, 0x3FEC_F46D_99D5_2B3A), (10.0, 0x40D5_829D_CF95_0560),
      (100.25, 0x48F8_C39B_9134_BAC4), (-700.0, 0x00D1_4F2B_0FB9_307F),
      (709.0, 0x7FDD_422D_2BE5_DC9B), (-740.0, 0x55), (3e-05, 0x3FF0_001F_752F_39E5),
    ] as [(Double, UInt64)]
  )
  func `exponentials have fixed bits`(x: Double, bits: UInt64) {
    #expect(PortableMath.exponential(x).bitPattern == bits)
  }

  @Test(
    arguments: [
      (2.0, 0x3FE6_2E42_FEFA_39EF), (0.5, 0xBFE6_2E42_FEFA_39EF), (10.0, 0x4002_6BB1_BBB5_5516),
      (1.0000001, 0x3E7A_D7F2_847B_6491), (0.9999, 0xBF1A_3738_D2CF_1CC2),
      (3.141592653589793, 0x3FF2_50D0_48E7_A1BD), (1e+300, 0x4085_9634_47F8_7FB5),
      (1e-300, 0xC085_9634_47F8_7FB5), (0x0.0000000000001p-1022, 0xC087_4385_446D_71C3),
      (1.4142135623730951, 0x3FD6_2E42_FEFA_39F1), (123456.789, 0x4027_7281_CAD8_A844),
    ] as [(Double, UInt64)]
  )
  func `logarithms have fixed bits`(x: Double, bits: UInt64) {
    #expect(PortableMath.logarithm(x).bitPattern == bits)
  }

  @Test func `agrees with the C library over the whole range`() {
    var draws = Draws(state: 3)
    for _ in 0..<20_000 {
      let x = draws.unit() * 1_400 - 700
      #expect(relativeError(PortableMath.exponential(x), exp(x)) < 1e-12)
      let positive = exp(draws.unit() * 1_400 - 700)
      #expect(relativeError(PortableMath.logarithm(positive), log(positive)) < 1e-12)
      let small = (draws.unit() - 0.5) * exp(draws.unit() * -30)
      #expect(relativeError(PortableMath.logarithmPlusOne(small), log1p(small)) < 1e-12)
      #expect(relativeError(PortableMath.exponentialMinusOne(small), expm1(small)) < 1e-12)
    }
  }

  @Test func `knows the ends of the range`() {
    #expect(PortableMath.exponential(710) == .infinity)
    #expect(PortableMath.exponential(-746) == 0)
    #expect(PortableMath.exponential(0) == 1)
    #expect(PortableMath.exponential(.nan).isNaN)
    #expect(PortableMath.logarithm(0) == -.infinity)
    #expect(PortableMath.logarithm(1) == 0)
    #expect(PortableMath.logarithm(.infinity) == .infinity)
    #expect(PortableMath.logarithm(-1).isNaN)
  }

  @Test(arguments: [0, 1, 2, 5, 15, 16, 17, 100, 1e6, 1e9])
  func `knows the logarithm of factorials`(n: Double) {
    #expect(abs(PortableMath.logarithmOfFactorial(n) - lgamma(n + 1)) <= 1e-14 * lgamma(n + 1))
  }

  private func relativeError(_ value: Double, _ reference: Double) -> Double {
    reference == 0 ? abs(value) : abs(value / reference - 1)
  }
}
