import Foundation
import TestSupport
import Testing

/// Tests README, the guide in docs, and the evidence in Evidence/docs.
struct DocumentedPagesTests {
  private static let guide = pages(in: "docs")
  private static let all = ["README.md", "GLOSSARY.md"] + guide + pages(in: "Evidence/docs")

  private static func pages(in folder: String) -> [String] {
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: Repository.path(folder))) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Returns the text of a page without its blocks of code.
  private static func prose(_ page: String) throws -> String {
    try String(contentsOfFile: Repository.path(page), encoding: .utf8)
      .replacing(/(?s)```.*?```/, with: "")
  }

  /// Returns the anchor of a heading, as used in links.
  private static func anchor(_ heading: Substring) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
      .replacing(" ", with: "-")
  }

  @Test(arguments: all)
  func `every link of a page leads to a file, and to a heading that it has`(page: String) throws {
    for link in try Self.prose(page).replacing(/`[^`\n]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/)
    {
      let target = String(link.output.1)
      guard !target.contains(":") else { continue }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let folder = (page as NSString).deletingLastPathComponent
      let path = ((folder as NSString).appendingPathComponent(String(parts[0])) as NSString)
        .standardizingPath
      let other = parts[0].isEmpty ? page : path
      #expect(FileManager.default.fileExists(atPath: Repository.path(other)), "\(page): \(target)")
      if parts.count > 1, other.hasSuffix(".md") {
        let headings = try Self.prose(other).matches(of: /(?m)^#+ (.*)$/).map {
          Self.anchor($0.output.1)
        }
        #expect(headings.contains(String(parts[1])), "\(page): \(target)")
      }
    }
  }

  @Test func `the guide has twelve pages at most, and README names each`() throws {
    let readme = try String(contentsOfFile: Repository.path("README.md"), encoding: .utf8)
    #expect((1...12).contains(Self.guide.count))
    for page in Self.guide { #expect(readme.contains("(\(page))"), "\(page)") }
  }

  @Test func `README is read as source: a hundred lines at most, and no marker`() throws {
    let readme = try String(contentsOfFile: Repository.path("README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 101)
    #expect(!readme.contains("<!--"))
  }
}
