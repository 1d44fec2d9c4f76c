import Testing

@testable import Compare
@testable import Runner

struct SlicingTests {
  /// The slices of both sides in order of execution; measured slices are in capitals.
  private func order(_ slicing: Slicing) -> String {
    slicing.turns.map { turn in
      let pair = turn.isReversed ? "ba" : "ab"
      return turn.counts ? pair.uppercased() : pair
    }.joined()
  }

  @Test func `each side follows itself as often as it follows the other`() {
    let slicing = Slicing(target: 0.001, pairs: 4, warmUps: 3)
    #expect(order(slicing) == "baabba" + "ABBAABBA")
    #expect(order(Slicing(target: 0.001, pairs: 2, warmUps: 0)) == "ABBA")
  }
}
