import SwiftModels
import Testing

@Suite struct SourcePlaceTests {
  @Test func `places sort by file, then by line as a number`() {
    let places = [("B", 1), ("A", 10), ("A", 9)].map { SourcePlace(file: $0.0, line: $0.1) }
    #expect(places.sorted().map(\.description) == ["A:9", "A:10", "B:1"])
  }
}
