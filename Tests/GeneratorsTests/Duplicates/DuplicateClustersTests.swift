import DataModel
import Foundation
import Testing

@testable import Generators

struct DuplicateClustersTests {
  private func clusters(rows: Int, rate: Double, _ copies: DistributionRecipe) -> DuplicateClusters
  {
    DuplicateClusters(
      rows: rows,
      rate: rate,
      copies: copies.distribution(),
      key: StreamKey(seed: 1)
    )
  }

  @Test(arguments: [
    (1_000, 0.1), (1_000, 0), (10, 0.3), (5_000, 0.49), (100, 0.9), (1, 0.5), (0, 0.5), (2, 0.5),
  ])
  func `the rate of copies is met, and originals are the earliest`(rows: Int, rate: Double) {
    let clusters = clusters(
      rows: rows,
      rate: rate,
      DistributionRecipe(.zipfian(exponent: 1.5, count: 10))
    )
    let copies = clusters.clusters.reduce(0) { $0 + $1.count - 1 }
    let possible = rows == 0 ? 0 : min(Int((rate * Double(rows)).rounded()), rows - 1)
    // At higher rates, small clusters use up the originals.
    if rate <= 0.5 { #expect(copies == possible) }
    #expect(copies <= possible)
    let members = clusters.clusters.flatMap { $0 }
    #expect(Set(members).count == members.count)
    for cluster in clusters.clusters {
      #expect(cluster.count >= 2)
      #expect(cluster == cluster.sorted())
      for row in cluster { #expect(clusters.original(of: row) == cluster[0]) }
    }
    for row in Set(0..<rows).subtracting(members) { #expect(clusters.original(of: row) == row) }
  }

  @Test(
    arguments: [
      (.zipfian(exponent: 2, count: 5), [1, 1 / 4, 1 / 9, 1 / 16, 1 / 25]),
      (.uniform(low: 1, high: 4, isWhole: true), [1, 1, 1, 1]),
      // Poisson probabilities for a mean of 2, times e²: 0 counts as 1, and 5 stands for 5 and
      // more.
      (.poisson(mean: 2), [1 + 2, 2, 4 / 3, 2 / 3, 7.389_056_1 - 7]),
    ] as [(DistributionRecipe.Shape, [Double])]
  )
  func `cluster sizes follow their distribution`(
    shape: DistributionRecipe.Shape,
    weights: [Double]
  ) {
    let clusters = clusters(rows: 200_000, rate: 0.2, DistributionRecipe(shape, maximum: 5))
    let sum = weights.reduce(0, +)
    let total = Double(clusters.clusters.count)
    let counts = (1...weights.count).map { copies in
      clusters.clusters.count { $0.count == copies + 1 }
    }
    #expect(chiSquare(counts, expected: weights.map { $0 / sum * total }) < limit(freedom: 4) + 5)
  }

  @Test func `copies have their original's key, and keys are distinct otherwise`() throws {
    let recipe = try Recipes.make(
      model: "Thing: { attributes: { sku: string, title: string } }",
      """
      entities:
        Thing:
          count: 2_000
          attributes: { sku: { code: { digits: 6 } } }
          duplicates: { key: sku, rate: 0.2, copies: { poisson: 1.5 } }
      """
    )
    let dataset = Dataset(recipe)
    var rowsByKey: [Value: [Int]] = [:]
    for row in 0..<2_000 {
      let key = try dataset.value(entity: "Thing", row: row, attribute: "sku")
      rowsByKey[key, default: []].append(row)
    }
    let found = rowsByKey.values.filter { $0.count > 1 }
    let expected = try #require(try dataset.entity("Thing").duplicates).clusters
    #expect(Set(found) == Set(expected))
    #expect(rowsByKey.count == 1_600)
  }

  @Test func `the answer key lists every member of every cluster`() throws {
    let recipe = try Recipes.make(
      model: "Thing: { attributes: { value: string } }",
      """
      entities:
        Thing:
          count: 10
          attributes: { value: { code: { prefix: "a,b\\"", digits: 2 } } }
          duplicates: { key: value, rate: 0.3, copies: 3 }
      """
    )
    let lines = try AnswerKey(Dataset(recipe)).csv().components(separatedBy: "\r\n")
    #expect(
      lines == [
        "entity,attributes,cluster,primaryKey,role,key,likeness,edits",
        "Thing,value,1,2,original,\"a,b\"\"84\",,",
        "Thing,value,1,4,copy,\"a,b\"\"84\",sameKey,",
        "Thing,value,1,5,copy,\"a,b\"\"84\",sameKey,",
        "Thing,value,1,10,copy,\"a,b\"\"84\",sameKey,",
        "",
      ]
    )
  }
}
