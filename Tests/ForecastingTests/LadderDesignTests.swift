import Testing

@testable import Forecasting

struct LadderDesignTests {
  @Test func `the full ladder goes from 1,000 to 128,000 by the square root of two`() {
    let design = LadderDesign.full()
    #expect(design.rungs.count == 15)
    #expect(design.rungs.prefix(4) == [1000, 1414, 2000, 2828])
    #expect(design.rungs.last == 128_000)
  }

  @Test func `the anchor comes first, last and after every five runs`() {
    let design = LadderDesign.quick()
    let anchors = design.turns.indices.filter { design.turns[$0].isAnchor }
    #expect(anchors == [0, 6, 12, 18, 24, 29])
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
    let runs = LadderDesign.full().rungs.flatMap { size in
      Array(repeating: size, count: size > 40_000 ? 3 : 5)
    }
    #expect(sizes.sorted() == runs)
  }

  @Test func `probes look beyond the top, and at what is measured as well`() {
    let probes = LadderDesign.full().probes
    let looks = probes.map { $0.objects * $0.cacheDivisor }
    #expect(looks == [256_000, 512_000, 1_024_000, 2_048_000, 128_000, 32_000])
    #expect(LadderDesign(rungs: [1000, 2000], repeats: 1).probes.isEmpty)
  }

  @Test func `truths are measured among the rungs, and are none of them`() {
    let design = LadderDesign(rungs: [1000, 2000], repeats: 3, truths: [64_000])
    #expect(design.turns.filter { $0.objects == 64_000 }.count == 3)
    #expect(design.rungs == [1000, 2000])
  }
}
