import Basics
import DataModel
import PersistentStore

/// An entity with the attributes by which a list is grouped and sorted, and the moves of objects
/// between sections.
struct SectionContent: Scenario {
  private static let day = 86_400.0

  let plain: PlainEntity
  let parameters: SectionParameters
  let seed: UInt64
  /// The attribute that names the section; `nil` if the section is computed from the date.
  let section: String?
  let date: String

  init(_ model: Model, _ parameters: SectionParameters, seed: UInt64) throws {
    var plain = try PlainEntity(model, entity: parameters.entity)
    date = plain.add(.date, named: "shownAt")
    switch (parameters.by, parameters.isComputed) {
    case (.category, _): section = plain.add(.string, named: "shownCategory")
    case (.day, false): section = plain.add(.integer32, named: "shownDay")
    case (.day, true): section = nil
    }
    self.plain = plain
    self.parameters = parameters
    self.seed = seed
  }

  var model: Model {
    let index = FetchIndex(
      name: "byShown",
      elements: ([section].compactMap { $0 } + [date]).map { FetchIndex.Element(property: $0) }
    )
    return Model(entities: [plain.entity(indexes: parameters.isIndexed ? [index] : [])])
  }

  var order: [FetchRequest.SortDescriptor] {
    ([section].compactMap { $0 } + [date]).map { FetchRequest.SortDescriptor($0) }
  }

  private func number(_ key: Int64, _ moves: Int) -> Int {
    let word = SplitMix64.word(seed, 0x7365_6374 &+ UInt64(moves), UInt64(bitPattern: key))
    return Int(word % UInt64(parameters.sections))
  }

  /// The values of an object after a number of moves; all dates are distinct.
  func values(of key: Int64, moves: Int) -> [PropertyValue] {
    let number = number(key, moves)
    let days = parameters.by == .day ? Double(number) : Double(key % 365)
    let date = (self.date, Value.real(days * Self.day + Double(key) * 0.0625 + 0.03125))
    guard let section else { return [date] }
    return [date, (section, parameters.by == .day ? .integer(Int64(number)) : .text(name(number)))]
  }

  private func name(_ number: Int) -> String {
    "section " + String(repeating: "0", count: 5 - String(number).count) + String(number)
  }

  func section(of date: Value, _ section: Value) -> String {
    switch section {
    case .text(let name): return name
    case .integer(let day): return String(day)
    case .real, .blob, .null: break
    }
    guard case .real(let seconds) = date else { return "" }
    return String(Int((seconds / Self.day).rounded(.down)))
  }

  func moved(by save: Int) -> [Int64] {
    let count = parameters.objectsPerSave
    var keys: [Int64] = []
    var place = 0
    while keys.count < count {
      let word = SplitMix64.word(seed, 0x6d6f_7665, UInt64(save) << 32 | UInt64(place))
      let key = Int64(word % UInt64(parameters.objects)) + 1
      if !keys.contains(key) { keys.append(key) }
      place += 1
    }
    return keys
  }
}

struct SectionList: Hashable, Sendable {
  struct Section: Hashable, Sendable {
    let name: String
    var count: Int
  }

  var sections: [Section] = []
  var screen: [Int64] = []

  mutating func add(_ name: String) {
    if sections.last?.name == name {
      sections[sections.count - 1].count += 1
    } else {
      sections.append(Section(name: name, count: 1))
    }
  }

  var digest: String {
    let text =
      sections.map { "\($0.name)=\($0.count)" }.joined(separator: ";")
      + screen.map(String.init).joined(separator: ",")
    return SHA256.hash(data: Array(text.utf8)).hexadecimal
  }
}
