/// One fact that differs between a baseline and a result.
package struct Mismatch: Hashable, Sendable {
  /// The fact: `SQLite source id`, `pragma page_size`.
  package var fact: String
  /// The workload or case it belongs to; `nil` for the whole run.
  package var place: String?
  package var baseline: String
  package var candidate: String

  package init(_ fact: String, place: String? = nil, baseline: String, candidate: String) {
    self.fact = fact
    self.place = place
    self.baseline = baseline
    self.candidate = candidate
  }

  /// A mismatch where the two values differ, else `nil`.
  init?(_ fact: String, place: String? = nil, unless baseline: String, equals candidate: String) {
    guard baseline != candidate else { return nil }
    self.init(fact, place: place, baseline: baseline, candidate: candidate)
  }
}

extension Mismatch: CustomStringConvertible {
  package var description: String {
    "\(subject) is \(Self.named(baseline)) in the baseline and \(Self.named(candidate)) in the result"
  }

  /// The same of a baseline that is replaced: what was, and what is now.
  package var change: String {
    "\(subject) was \(Self.named(baseline)), now \(Self.named(candidate))"
  }

  private var subject: String { place.map { "\(fact) of '\($0)'" } ?? fact }

  private static func named(_ value: String) -> String {
    value.isEmpty ? "not set" : "'\(value)'"
  }
}
