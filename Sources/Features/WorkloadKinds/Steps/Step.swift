import Basics
import DataModel
import Foundation

/// A step of an app's work with its store, as written in a scenario's workload file.
struct Step: Codable, Hashable, Sendable {
  enum Verb: String, CaseIterable, Codable, Sendable {
    /// Fetches objects and reads them.
    case fetch
    case count
    /// Fetches the objects whose searched attribute contains a given string, and reads them.
    case search
    case insert
    case update
    case delete
    case save
    /// Releases all objects.
    case reset
    /// Groups several steps as one part of the work.
    case `do`
    /// Changes objects in a second context, while the first context reads a list again and again.
    case background
  }

  /// The ways to pick objects of an entity.
  enum Choice: String, CaseIterable, Codable, Sendable {
    /// Picks the objects one after the other, in the order of their keys.
    case inTurn
    case uniform
    /// Picks some objects much more often than others, regardless of their positions in the table.
    case zipfian
    /// Picks the newest objects most of the time.
    case latest
  }

  var verb: Verb
  /// The line and column in the workload file; set to `nil` before steps are compared, so that the
  /// position does not matter.
  var position: [Int]?
  var entity = ""
  /// The name of the part to which the step's cost is added; `nil` to use the verb as the name.
  var part: String?
  var weight: Double?
  var times = 1
  // The properties from `objects` to `from` determine the objects that the step uses.
  var objects = Numbers(1...1)
  /// `true` if an update or a deletion takes all objects of the entity; otherwise `nil`.
  var takesAll: Bool?
  var choose: Choice?
  var isAdjacent = false
  var condition = ""
  /// 0 if the condition may match no object; `nil` if the workload file does not specify it, so
  /// that a condition without any match is an error.
  var matches: Int?
  var keptAs = ""
  var from = ""
  // The properties from `sort` to `text` describe how the objects are read.
  var sort: [String] = []
  var limit = 0
  var batch = 0
  var prefetch: [String] = []
  var read: Int?
  var followed = ""
  var readsBlobs = true
  var searched = ""
  var text = ""
  // The properties from `set` to `batchRequest` describe the changes.
  var set: [Setting] = []
  /// The new target of each relationship: a choice by which it is picked, the key of an object,
  /// ``newTarget`` or ``noTarget``.
  var links: [String: String] = [:]
  /// The objects to remove from each to-many relationship: a choice by which they are picked, or
  /// the key of an object.
  var removals: [String: String]?
  var blobs: [String: Numbers] = [:]
  /// The attribute by which an insertion looks for existing objects to update; `nil` if it only
  /// inserts new objects.
  var upsert: String?
  var fetchesFirst = true
  var chunk = 0
  var resetsChunks = true
  /// Whether SQL statements make the changes for all objects at once, bypassing the context; `nil`
  /// if the workload file does not specify it.
  var batchRequest: Bool?
  var steps: [Step] = []
  /// The fetch of the list that is read during a background step.
  var beside: [Step] = []

  init(_ verb: Verb) { self.verb = verb }

  /// The types of the attributes that get bytes of a given size.
  static let blobTypes: [AttributeType] = [.binary, .transformable]

  /// The word that sets a to-one relationship to nil, and empties a to-many relationship.
  static let noTarget = "none"

  /// The word for the objects of the last insertion, which are not saved yet.
  static let newTarget = "new"

  /// The number of objects that the word of a relationship picks, and the choice by which it picks
  /// them: 1 for `uniform`, 3 for `3 uniform`; `nil` for a key and for words that pick no object.
  static func picking(_ word: String) -> (count: Int, choice: Choice)? {
    let parts = word.split(separator: " ")
    guard let choice = parts.last.flatMap({ Choice(rawValue: String($0)) }) else { return nil }
    guard parts.count > 1 else { return (1, choice) }
    guard parts.count == 2, let count = Int(parts[0]), (1...1_000).contains(count) else {
      return nil
    }
    return (count, choice)
  }

  /// An attribute and its new value.
  struct Setting: Codable, Hashable, Sendable {
    let name: String
    /// The value as a string, or `+1` to add 1; `nil` to assign any value that differs from the
    /// current one.
    var text: String?
    /// `true` if a value that begins with a plus sign is a text, because it is quoted; otherwise
    /// `nil`.
    var isText: Bool?
    /// Whether the attribute is set to nil.
    var isEmptied = false
  }

  /// A range of numbers.
  ///
  /// Random numbers in the range are distributed uniformly, random sizes log-uniformly.
  struct Numbers: Codable, Hashable, Sendable {
    let low, high: Int

    init(_ range: ClosedRange<Int>) { (low, high) = (range.lowerBound, range.upperBound) }

    /// Parses a string such as `100`, `5 KB`, `5 KB to 3 MB` or `50 to 60 KB`.
    init?(_ text: String, isInBytes: Bool) {
      let written = text.components(separatedBy: " to ")
      // A first size without a unit has the unit of the second size.
      let last = written[written.count - 1]
      let unit = last.lastIndex(where: \.isNumber).map { last[last.index(after: $0)...] } ?? ""
      let ends = written.map { text -> Int? in
        guard isInBytes else { return Quantity.count(text, in: 0...1_000_000_000) }
        guard let quantity = Quantity(text.last?.isNumber == true ? text + unit : text),
          [.bytes, .plain].contains(quantity.dimension)
        else { return nil }
        return Int(exactly: quantity.value)
      }
      guard ends.count <= 2, let low = ends[0], let high = ends[ends.count - 1], low >= 0,
        low <= high
      else { return nil }
      (self.low, self.high) = (low, high)
    }

    func number(_ word: UInt64) -> Int { low + Int(word % UInt64(high - low + 1)) }

    /// A random size in the range.
    ///
    /// The size is computed with square roots, because they have the same result on every machine,
    /// unlike general powers.
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
  /// The name of the part to which the step's cost is added.
  var partName: String { part ?? verb.rawValue }
  /// Whether the step picks objects by a choice instead of a condition.
  var picks: Bool { choose != nil || condition.isEmpty && from.isEmpty && takesAll == nil }
  /// Whether the step selects objects by a condition, a search or `objects: all`, and must find
  /// some.
  var mustMatch: Bool {
    matches != 0 && (!condition.isEmpty || takesAll == true || verb == .search)
  }
  /// Whether the step needs an object of its entity; other steps also work if there are no objects.
  var needsObjects: Bool {
    verb != .insert && matches != 0 && (mustMatch || !reads || choose != nil)
  }
  var reads: Bool { [.fetch, .search, .count].contains(verb) }
  var changes: Bool { [.insert, .update, .delete].contains(verb) }
  /// Whether the step may remove objects from to-many relationships.
  var hasLosses: Bool { removals != nil || links.values.contains(Self.noTarget) }
  var isBatchRequest: Bool { batchRequest == true }
  /// Whether the step saves its own changes.
  var savesItself: Bool { chunk > 0 || isBatchRequest }
  /// Whether the step gives several objects the same values of all given properties.
  func repeats(_ properties: [String]) -> Bool {
    guard objects.high > 1 || takesAll == true else { return false }
    return properties.allSatisfy { name in
      Int64(links[name] ?? "") != nil
        || set.contains { $0.name == name && $0.text?.hasPrefix("+") == false }
    }
  }

  /// Whether the step consists of other steps.
  var isComposite: Bool { verb == .do || verb == .background }
  /// The simple steps: the inner steps of a composite step, or the step itself.
  var leaves: [Step] { isComposite ? steps + beside : [self] }
  /// Whether the step or a step inside it changes objects.
  var changesAny: Bool { changes || steps.contains(where: \.changesAny) }

  /// The step without its position in the file.
  var unplaced: Step {
    var step = self
    step.position = nil
    step.steps = steps.map(\.unplaced)
    step.beside = beside.map(\.unplaced)
    return step
  }

  /// The reason why a relationship cannot refer to the object with a key.
  static func noObject(_ key: Int64, of entity: String) -> String {
    "no object of '\(entity)' has the key \(key): name another one, or pick one, as by uniform"
  }

  /// A short description of the step, such as `update Note`.
  var words: String { entity.isEmpty ? verb.rawValue : "\(verb.rawValue) \(entity)" }

  /// The short description with the line of the workload file, for messages of a running case.
  var placedWords: String {
    (position?.first).map { "line \($0), '\(words)'" } ?? "'\(words)'"
  }
}

extension Array where Element: Codable {
  /// The elements as JSON, in the form used in a plan.
  var planText: String {
    (try? JSONEncoder.document(isPretty: false).encode(self))
      .map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }

  /// Parses the elements from the JSON of ``planText``; returns `nil` if that fails.
  init?(planText: String) {
    guard let elements = try? JSONDecoder().decode(Self.self, from: Data(planText.utf8)) else {
      return nil
    }
    self = elements
  }
}
