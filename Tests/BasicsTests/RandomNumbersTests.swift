import Basics
import Testing

struct RandomNumbersTests {
  @Test func `random numbers equal SplitMix64's published vector for seed 1234567`() {
    var draws = SplitMix64(state: 1_234_567)
    let expected: [UInt64] = [
      6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
    ]
    #expect((0..<5).map { _ in draws.next() } == expected)
  }

  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)]
  )
  func `names are hashed by FNV-1a, by its published vectors`(name: String, hash: UInt64) {
    #expect(SplitMix64.hash(name) == hash)
  }

  @Test func `each output bit flips for half of the changes of one input bit`() {
    var worst = 0.0
    for bit in 0..<64 {
      var flips = [Int](repeating: 0, count: 64)
      for sample in 0..<2_000 {
        let value = SplitMix64.mix(UInt64(sample) &* 0xD134_2543_DE82_EF95)
        let changed = SplitMix64.mix(value) ^ SplitMix64.mix(value ^ 1 << UInt64(bit))
        for output in 0..<64 where changed >> UInt64(output) & 1 == 1 { flips[output] += 1 }
      }
      for count in flips { worst = max(worst, abs(Double(count) / 2_000 - 0.5)) }
    }
    // Of 4,096 deviations with a standard error of 0.011, the largest is expected at about 0.044.
    #expect(worst < 0.06)
  }
}
