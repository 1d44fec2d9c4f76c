import Testing

@testable import Forecasting

struct LadderDesignTests {
  @Test func `the full ladder goes from 1,000 to 64,000 by the square root of two`() {
    let design = LadderDesign.full()
    #expect(design.rungs.count == 13)
    #expect(design.rungs.prefix(4) == [1000, 1414, 2000, 2828])
    #expect(design.rungs.last == 64_000)
  }

  @Test func `the anchor comes first, last and after every five runs`() {
    let design = LadderDesign.quick()
    let anchors = design.turns.indices.filter { design.turns[$0].isAnchor }
    #expect(anchors == [0, 6, 12, 18, 22])
    #expect(design.turns.filter { !$0.isAnchor }.count == design.rungs.count * design.repeats)
    #expect(design.turns.filter(\.isAnchor).allSatisfy { $0.objects == design.anchor })
  }

  @Test func `the order is that of the seed, and not a rising one`() {
    let first = LadderDesign.full(seed: 1).turns
    #expect(first == LadderDesign.full(seed: 1).turns)
    #expect(first != LadderDesign.full(seed: 2).turns)
    let sizes = first.filter { !$0.isAnchor }.map(\.objects)
    #expect(sizes != sizes.sorted())
    #expect(sizes.sorted() == LadderDesign.full().rungs.flatMap { [$0, $0, $0] })
  }

  @Test(arguments: [(10_000.0, 64_000), (60_000, 128_000), (1e9, 512_000), (.infinity, 64_000)])
  func `the ladder reaches twice a bend where that is not too far`(bend: Double, top: Int) {
    #expect(LadderDesign.full().reaching(bend).rungs.last == top)
  }
}
