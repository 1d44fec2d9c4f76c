import Testing

@testable import Generators

struct StreamKeyDrawTests {
  // The expected values come from an independent implementation in Python.
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
}
