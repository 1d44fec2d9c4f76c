import Basics
import Foundation
import TestSupport
import Testing

@testable import Generators

struct PublishedDigestTests {
  // The two larger tiers take gigabytes; 'storebench generate --verify' checks their digests.
  @Test(arguments: ["10k", "100k"])
  func `the tiers have the bytes that are published`(name: String) throws {
    let path = "\(Recipes.workloads)/recipes/tiers/\(name).yaml"
    let recipe = try RecipeFile.read(path: path)
    let folder = try TemporaryFolder()
    try StoreGenerator(recipe).generate(at: folder.file("s.sqlite"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("s.sqlite")))
    let published = try #require(try PublishedDigests(besideRecipe: path).digest(of: recipe))
    #expect(SHA256.hash(data: bytes).hexadecimal == published)
  }

  @Test func `lines of other forms are no digests`() throws {
    let digest = String(repeating: "a1", count: 32)
    var recipe = try Recipes.named("feed-small")
    recipe.name = "tier"
    let texts = ["", "tier.sqlite", "a1  tier.sqlite", "\(digest)", "\(digest)  other.sqlite"]
    for text in texts { #expect(PublishedDigests(text: text).digest(of: recipe) == nil) }
    for text in ["\(digest)  tier.sqlite\n", "#\n\(digest.uppercased()) *tier.sqlite"] {
      #expect(PublishedDigests(text: text).digest(of: recipe) == digest)
    }
  }

  @Test func `where no file is published there are no digests`() throws {
    let folder = try TemporaryFolder()
    #expect(try PublishedDigests(besideRecipe: folder.file("r.yaml")) == PublishedDigests(text: ""))
  }
}
