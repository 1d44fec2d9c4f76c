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
    #expect(anchors == [0, 6, 12, 18, 24, 30, 36])
    let plain = design.turns.filter { !$0.isAnchor && $0.cacheDivisor == 1 }
    #expect(plain.count == design.rungs.count * design.repeats)
    #expect(design.turns.filter(\.isAnchor).allSatisfy { $0.objects == design.anchor })
  }

  @Test func `the order is that of the seed, and not a rising one`() {
    let first = LadderDesign.full(seed: 1).turns
    #expect(first == LadderDesign.full(seed: 1).turns)
    #expect(first != LadderDesign.full(seed: 2).turns)
    let sizes = first.filter { !$0.isAnchor && $0.cacheDivisor == 1 }.map(\.objects)
    #expect(sizes != sizes.sorted())
    #expect(sizes.sorted() == LadderDesign.full().rungs.flatMap { Array(repeating: $0, count: 5) })
  }

  @Test func `smaller caches look beyond the top, and at what is measured as well`() {
    let probes = LadderDesign.full().probes
    let looks = probes.map { $0.objects * $0.cacheDivisor }
    #expect(looks == [128_000, 256_000, 512_000, 1_024_000, 64_000, 16_000])
    #expect(LadderDesign(rungs: [1000, 2000], repeats: 1).probes.isEmpty)
  }

  @Test func `truths are measured among the rungs, and are none of them`() {
    let design = LadderDesign(rungs: [1000, 2000], repeats: 3, truths: [64_000])
    #expect(design.turns.filter { $0.objects == 64_000 }.count == 3)
    #expect(design.rungs == [1000, 2000])
  }
}
