import Basics
import DataModel
import Foundation
import Testing

@testable import Generators

struct BlobGeneratorTests {
  private func blobs(_ rule: String, count: Int = 20) throws -> [[UInt8]] {
    try Dataset.ofThing("binary", "{ blob: \(rule) }", count: count).things().map {
      if case .blob(let bytes) = $0 { bytes } else { [] }
    }
  }

  @Test func `blobs have the sizes of their distribution`() throws {
    #expect(try blobs("{ size: 12_345 }").allSatisfy { $0.count == 12_345 })
    let sizes = try blobs("{ size: { uniform: [0, 9] } }", count: 1_000).map(\.count)
    let counts = (0...9).map { size in sizes.count { $0 == size } }
    #expect(chiSquare(counts, expected: .init(repeating: 100, count: 10)) < limit(freedom: 9))
  }

  @Test(arguments: [0, 0.25, 0.5, 0.9, 1])
  func `blobs compress by the share asked for`(share: Double) throws {
    let blob = try blobs("{ size: 300_000, compressibility: \(share) }", count: 1)[0]
    let compressed = try Deflate.compress(blob).count
    #expect(abs(Double(compressed) / 300_000 - (1 - share)) < 0.04)
  }

  @Test func `no two blobs are alike`() throws {
    #expect(Set(try blobs("{ size: 64 }", count: 500)).count == 500)
  }

  @Test(
    arguments: [
      ("jpeg", [0xFF, 0xD8, 0xFF, 0xE0], [0xFF, 0xD9]),
      ("png", [0x89, 0x50, 0x4E, 0x47], [0x60, 0x82]),
      ("pdf", Array("%PDF-1.7\n".utf8), Array("%%EOF\n".utf8)),
    ] as [(String, [UInt8], [UInt8])]
  )
  func `blobs start and end as their format does`(
    format: String,
    head: [UInt8],
    tail: [UInt8]
  ) throws {
    for blob in try blobs("{ size: { uniform: [100, 9_000] }, signature: \(format) }") {
      #expect(blob.starts(with: head))
      #expect(blob.suffix(tail.count).elementsEqual(tail))
    }
  }

  @Test func `a blob too small for its format is plain bytes`() throws {
    #expect(try blobs("{ size: 5, signature: png }").allSatisfy { $0.count == 5 })
  }

  @Test(arguments: [0, 1, 2, 3, 81, 82, 83, 84, 5_000])
  func `JSON blobs are JSON of the exact size`(size: Int) throws {
    for blob in try blobs("{ size: \(size), signature: json }", count: 3) {
      #expect(blob.count == size)
      guard size > 0 else { continue }
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(blob), options: .fragmentsAllowed)
      }
    }
  }

  @Test func `JSON blobs compress the better the more of them repeats`() throws {
    let sizes = try [0, 0.5, 0.95].map { share in
      let rule = "{ size: 200_000, signature: json, compressibility: \(share) }"
      let blob = try blobs(rule, count: 1)[0]
      #expect(blob.count == 200_000)
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(blob)) }
      return Double(try Deflate.compress(blob).count)
    }
    #expect(sizes[1] < 0.65 * sizes[0])
    #expect(sizes[2] < 0.15 * sizes[0])
  }

  @Test func `blobs of one stream are equal, inline and in a file`() throws {
    let recipe = try Recipes.make(
      model: "Thing: { attributes: { data: binary, path: string, bytes: integer64 } }",
      """
      entities:
        Thing:
          count: 10
          attributes:
            data: { blob: { size: { uniform: [10, 5_000] } }, stream: photos }
            path: { file: { size: { uniform: [10, 5_000] } }, stream: photos }
            bytes: { fileSize: path }
      """
    )
    let dataset = Dataset(recipe)
    for row in 0..<10 {
      let data = try dataset.value(entity: "Thing", row: row, attribute: "data")
      let file = try dataset.fileContents(entity: "Thing", row: row, attribute: "path")
      #expect(data == .blob(try #require(file)))
      let size = try dataset.value(entity: "Thing", row: row, attribute: "bytes")
      #expect(size == .integer(Int64(try #require(file).count)))
    }
  }
}
