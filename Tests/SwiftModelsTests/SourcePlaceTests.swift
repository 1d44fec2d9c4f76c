import SwiftModels
import Testing

@Suite struct SourcePlaceTests {
  @Test func `a place has a file and a line`() {
    #expect(SourcePlace(file: "A.swift", line: 1).line == 1)
  }
}
