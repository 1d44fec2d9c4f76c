import Testing

@testable import Generators

struct MixerTests {
  @Test func `draws are SplitMix64's, by its published vector for seed 1234567`() {
    var draws = Draws(state: 1_234_567)
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
    #expect(Mixer.hash(name) == hash)
  }

  // Computed by an independent implementation in Python.
  @Test(
    arguments: [
      (0, 0x7541_3B61_3666_CF41, 0x2059_992D_1E38_29CA),
      (1, 0x6445_6E67_3EBA_A212, 0x5FA2_4D34_F18D_0B0A),
      (999_999, 0xF786_2644_4B87_D394, 0x7178_EFEE_0E56_1F34),
    ] as [(Int, UInt64, UInt64)]
  )
  func `the draws of a row never change`(row: Int, first: UInt64, second: UInt64) {
    var draws = StreamKey(seed: 20_260_401).derived("Task").derived("title").draws(row: row)
    #expect(draws.next() == first)
    #expect(draws.next() == second)
  }

  @Test func `each output bit flips for half of the changes of one input bit`() {
    var worst = 0.0
    for bit in 0..<64 {
      var flips = [Int](repeating: 0, count: 64)
      for sample in 0..<2_000 {
        let value = Mixer.mix(UInt64(sample) &* 0xD134_2543_DE82_EF95)
        let changed = Mixer.mix(value) ^ Mixer.mix(value ^ 1 << UInt64(bit))
        for output in 0..<64 where changed >> UInt64(output) & 1 == 1 { flips[output] += 1 }
      }
      for count in flips { worst = max(worst, abs(Double(count) / 2_000 - 0.5)) }
    }
    // Of 4,096 shares with a standard error of 0.011, the worst is expected at about 4 errors.
    #expect(worst < 0.06)
  }
}
