import SQLite
import Testing

@testable import Runner

/// Tests the choice of the events before which launches are killed.
struct KillChoiceTests {
  private let events: [FileEvent.Kind: Int] = [.write: 900, .sync: 12, .commit: 3, .rename: 1]

  private func points(_ count: Int, index: Int = 0, among cases: Int = 1) -> [KillPoint] {
    KillChoice.count(count, seed: 7).points(of: "a/b", index: index, among: cases, events: events)
  }

  @Test func `every kind of event has its turn, half of them by a loss of power`() {
    let points = points(80)
    #expect(points.count == 80)
    for kind in events.keys {
      let own = points.filter { $0.event.kind == kind }
      #expect(own.count == 20)
      #expect(own.count { $0.losesPower } == 10)
    }
    #expect(
      points.allSatisfy { (1..<events[$0.event.kind, default: 0] + 1).contains($0.event.number) }
    )
  }

  @Test func `the points of a kind are spread over the run`() {
    let numbers = points(80).map(\.event).filter { $0.kind == .write }.map(\.number)
    // Each twentieth of the range has one number.
    #expect(numbers.enumerated().allSatisfy { $1 > $0 * 45 && $1 <= ($0 + 1) * 45 })
  }

  @Test func `one seed chooses the same points again, another one others`() {
    #expect(points(40) == points(40))
    let others = KillChoice.count(40, seed: 8).points(of: "a/b", index: 0, among: 1, events: events)
    #expect(points(40) != others)
  }

  @Test func `kills are dealt out to all cases`() {
    let counts = (0..<3).map { points(20, index: $0, among: 3).count }
    #expect(counts == [7, 7, 6])
    let first = (0..<4).flatMap { points(4, index: $0, among: 4) }
    #expect(Set(first.map(\.event.kind)) == Set(events.keys))
  }

  @Test func `a launch without events is killed nowhere`() {
    let choice = KillChoice.count(5, seed: 1)
    #expect(choice.points(of: "a", index: 0, among: 1, events: [:]) == [])
  }
}
