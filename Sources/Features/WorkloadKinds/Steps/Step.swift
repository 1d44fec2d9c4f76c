import Basics
import DataModel
import Foundation

/// One thing that an app does with its store, as a scenario's file writes it.
struct Step: Codable, Hashable, Sendable {
  enum Verb: String, CaseIterable, Codable, Sendable {
    /// Fetches objects and reads them.
    case fetch
    case count
    /// Fetches the objects whose text contains another one, and reads them.
    case search
    case insert
    case update
    case delete
    case save
    /// Lets go of all objects.
    case reset
    /// Several steps as one part of the work.
    case `do`
    /// Changes by a second context, while the first one reads a list again and again.
    case background
  }

  /// How objects are picked out of those of an entity.
  enum Choice: String, CaseIterable, Codable, Sendable {
    /// One after the other, by their keys.
    case inTurn
    case uniform
    /// A few are picked most of the time, wherever they lie.
    case zipfian
    /// The newest are picked most of the time.
    case latest
  }

  var verb: Verb
  /// Its line and column in the workload file; `nil` once the step is compared with others.
  var position: [Int]?
  var entity = ""
  /// The part that the step's cost is counted for; the verb if the file gives none.
  var part: String?
  var weight: Double?
  var times = 1
  // Which objects.
  var objects = Numbers(1...1)
  var choose: Choice?
  var isAdjacent = false
  var condition = ""
  var keptAs = ""
  var from = ""
  // How they are read.
  var sort: [String] = []
  var limit = 0
  var batch = 0
  var prefetch: [String] = []
  var read: Int?
  var followed = ""
  var readsBlobs = true
  var searched = ""
  var text = ""
  // What changes.
  var set: [Setting] = []
  /// How the target of a relationship is picked: a choice, the key of an object or ``noTarget``.
  var links: [String: String] = [:]
  var blobs: [String: Numbers] = [:]
  var fetchesFirst = true
  var chunk = 0
  var resetsChunks = true
  var steps: [Step] = []
  /// The list that is read beside a background step.
  var beside: [Step] = []

  init(_ verb: Verb) { self.verb = verb }

  /// The word for a to-one that is emptied.
  static let noTarget = "none"

  /// An attribute that gets a value.
  struct Setting: Codable, Hashable, Sendable {
    let name: String
    /// The value as it is written, or `+1` for so much more; `nil` for another one than the object has.
    var text: String?
    /// Whether the value is taken away.
    var isEmptied = false
  }

  /// Numbers of a range, each as likely as the others; of sizes, each doubling as likely.
  struct Numbers: Codable, Hashable, Sendable {
    let low, high: Int

    init(_ range: ClosedRange<Int>) { (low, high) = (range.lowerBound, range.upperBound) }

    /// Reads `100`, `5 KB` or `5 KB to 3 MB`.
    init?(_ text: String, isInBytes: Bool) {
      let ends = text.components(separatedBy: " to ").map { text -> Int? in
        guard isInBytes else { return Quantity.count(text, in: 0...1_000_000_000) }
        guard let quantity = Quantity(text), [.bytes, .plain].contains(quantity.dimension) else {
          return nil
        }
        return Int(exactly: quantity.value)
      }
      guard ends.count <= 2, let low = ends[0], let high = ends[ends.count - 1], low <= high else {
        return nil
      }
      (self.low, self.high) = (low, high)
    }

    func number(_ word: UInt64) -> Int { low + Int(word % UInt64(high - low + 1)) }

    /// A size between the ends; square roots are exact on every machine, powers are not.
    func size(_ word: UInt64) -> Int {
      guard low > 0, high > low else { return number(word) }
      var (size, factor) = (Double(low), Double(high) / Double(low))
      for bit in 0..<24 {
        factor = factor.squareRoot()
        if word >> UInt64(bit) & 1 == 1 { size *= factor }
      }
      return min(high, Int(size))
    }
  }
}

extension Step {
  /// The name of the part that its cost is counted for.
  var partName: String { part ?? verb.rawValue }
  /// Whether it picks objects by a rule, and not by a condition.
  var picks: Bool { choose != nil || condition.isEmpty && from.isEmpty }
  var reads: Bool { [.fetch, .search, .count].contains(verb) }
  var changes: Bool { [.insert, .update, .delete].contains(verb) }
  /// Whether it is made of other steps.
  var isComposite: Bool { verb == .do || verb == .background }
  /// The steps that are made of no others.
  var leaves: [Step] { isComposite ? steps + beside : [self] }
  /// Whether it or a step in it changes objects.
  var changesAny: Bool { changes || steps.contains(where: \.changesAny) }

  /// What is done, wherever it stands in the file.
  var unplaced: Step {
    var step = self
    step.position = nil
    step.steps = steps.map(\.unplaced)
    step.beside = beside.map(\.unplaced)
    return step
  }

  /// The step in words: `update Note`.
  var words: String { entity.isEmpty ? verb.rawValue : "\(verb.rawValue) \(entity)" }
}

extension Array where Element: Codable {
  /// The elements as the text that a plan carries.
  var planText: String {
    (try? JSONEncoder.document(isPretty: false).encode(self))
      .map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }

  /// The elements of ``planText``; `nil` for any other text.
  init?(planText: String) {
    guard let elements = try? JSONDecoder().decode(Self.self, from: Data(planText.utf8)) else {
      return nil
    }
    self = elements
  }
}
