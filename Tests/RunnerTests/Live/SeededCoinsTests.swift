import Testing

@testable import Runner

struct SeededCoinsTests {
  private func flips(seed: UInt64, name: String, number: Int) -> [Bool] {
    var coins = SeededCoins(seed: seed, name: name, number: number)
    return (0..<64).map { _ in coins.flip() }
  }

  @Test func `one seed gives the same coins again`() {
    #expect(flips(seed: 7, name: "a", number: 3) == flips(seed: 7, name: "a", number: 3))
  }

  @Test func `seed, case and block each change them`() {
    let all = [
      flips(seed: 7, name: "a", number: 3), flips(seed: 8, name: "a", number: 3),
      flips(seed: 7, name: "b", number: 3), flips(seed: 7, name: "a", number: 4),
    ]
    #expect(Set(all).count == 4)
  }

  @Test func `the first coins of many blocks are fair and follow no pattern`() {
    let first = (0..<10_000).map { flips(seed: 1, name: "fetch/a", number: $0)[0] }
    // The tolerance of 250 is five standard deviations.
    #expect(abs(first.filter(\.self).count - 5000) < 250)
    let repeats = zip(first, first.dropFirst()).filter { $0 == $1 }.count
    #expect(abs(repeats - 5000) < 250)
  }
}
