import Basics
import DataModel
import PersistentStore

/// An entity with the attributes that a user edits: a string, a flag and an integer that orders a
/// list.
struct SaveContent: Scenario {
  let plain: PlainEntity
  let parameters: SaveParameters
  let seed: UInt64
  let text: String
  let flag: String
  /// The binary attribute in external storage; `nil` if the case has no blobs.
  let blob: String?

  init(_ model: Model, _ parameters: SaveParameters, seed: UInt64) throws {
    var plain = try PlainEntity(model, entity: parameters.entity)
    (self.parameters, self.seed) = (parameters, seed)
    text = plain.attribute(of: .string, orNew: "title")
    flag = plain.attribute(of: .boolean, orNew: "isDone")
    self.plain = plain
    blob = parameters.hasBlob ? plain.add(.binary, named: "photo") : nil
  }

  var keepsHistory: Bool { parameters.keepsHistory }
  var attributes: [String] { plain.seeded.map(\.name) + [blob].compactMap(\.self) }

  var model: Model {
    let blobs = blob.map { Attribute(name: $0, type: .binary, allowsExternalStorage: true) }
    return Model(entities: [plain.entity(with: blobs.map { [$0] } ?? [])])
  }
}

/// The edits of a case, and the points at which it saves.
///
/// The parameters and the seed determine everything. The clock of an editing session is simulated,
/// so it spends no time waiting.
struct EditScript: Sendable {
  enum Change: Sendable {
    case insert(Int64)
    case set(Int64, [PropertyValue])
    /// Sets the blob of an object that also gets other new values.
    case blob(Int64, version: Int)
    case delete(Int64)

    var key: Int64 {
      switch self {
      case .insert(let key), .set(let key, _), .blob(let key, _), .delete(let key): key
      }
    }
  }

  /// The changes that a single action of the user makes.
  struct Edit: Sendable {
    /// The time in milliseconds since the session began.
    let time: Int
    let changes: [Change]
  }

  struct Save: Hashable, Sendable {
    let edits: Range<Int>
    let time: Int
  }

  /// The numbers of objects that a mixed save inserts, deletes and updates.
  struct Share {
    let inserted, deleted, updated: Int

    init(_ objects: Int) {
      inserted = objects * 2 / 10
      deleted = objects / 10
      updated = objects - inserted - deleted
    }
  }

  private(set) var edits: [Edit] = []
  private(set) var saves: [Save] = []
  private let content: SaveContent
  private let rows: SeededRow
  private var parameters: SaveParameters { content.parameters }
  /// The distance between the keys of successive changes, chosen so that the changes reach every
  /// object.
  private let stride: Int

  init(_ content: SaveContent) {
    self.content = content
    rows = content.rows
    let parameters = content.parameters
    stride = Self.stride(through: parameters.stored)
    if parameters.operation == .edit {
      edits = session()
      saves = autosaves()
    } else {
      for save in 0..<parameters.saves {
        let start = edits.count
        edits += changes(of: save).map { Edit(time: save, changes: $0) }
        saves.append(Save(edits: start..<edits.count, time: save))
      }
    }
  }

  var unsaved: Range<Int> { (saves.last?.edits.upperBound ?? 0)..<edits.count }

  /// The maximum number of edits, and the maximum number of milliseconds, that could be lost in a
  /// crash.
  var atRisk: (edits: Int, milliseconds: Int) {
    var (count, time) = (0, 0)
    for save in saves + [Save(edits: unsaved, time: edits.last?.time ?? 0)]
    where !save.edits.isEmpty {
      count = max(count, save.edits.count)
      time = max(time, save.time - edits[save.edits.lowerBound].time)
    }
    return (count, time)
  }

  private func word(_ purpose: UInt64, _ position: Int) -> Int {
    Int(SplitMix64.word(content.seed, purpose, UInt64(position)) >> 33)
  }
}

// MARK: Saves of many objects

extension EditScript {
  private func changes(of save: Int) -> [[Change]] {
    let (size, stored) = (parameters.objectsPerSave, parameters.stored)
    switch parameters.operation {
    case .insert: return insertions(save, size)
    case .update: return updates(save, size, from: 0)
    case .delete: return deletions(save, size)
    case .mixed:
      let share = Share(size)
      let kept = min(parameters.saves * share.deleted, stored)
      return insertions(save, share.inserted) + updates(save, share.updated, from: kept)
        + deletions(save, share.deleted)
    case .edit: return []
    }
  }

  private func insertions(_ save: Int, _ count: Int) -> [[Change]] {
    (0..<count).map { [.insert(Int64(parameters.stored + save * count + $0 + 1))] }
  }

  /// Updates one object after the other, in an order that spreads them over the table.
  private func updates(_ save: Int, _ count: Int, from first: Int) -> [[Change]] {
    let number = parameters.stored - first
    return (0..<count).map { index in
      let key = spread((save * count + index) % number + first)
      let set = Change.set(
        key,
        [
          (content.plain.counter, rows.counterValue(of: key, version: 1 + save % 9_999)),
          (content.text, .text("edited by save \(save)")),
        ]
      )
      return content.blob == nil ? [set] : [set, .blob(key, version: 1 + save % 7)]
    }
  }

  private func deletions(_ save: Int, _ count: Int) -> [[Change]] {
    (0..<count).map { [.delete(spread(save * count + $0))] }
  }

  private func spread(_ place: Int) -> Int64 {
    Int64((place * stride) % parameters.stored) + 1
  }

  private static func stride(through count: Int) -> Int {
    var stride = max(1, count * 5 / 8)
    while greatestCommonDivisor(stride, count) > 1 { stride += 1 }
    return stride
  }

  private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
    second == 0 ? first : greatestCommonDivisor(second, first % second)
  }
}

// MARK: An editing session

extension EditScript {
  /// The maximum number of objects on the screen that the user edits.
  private static let screen = 200

  private func session() -> [Edit] {
    var list = UserList(rows: rows, content: content, count: min(parameters.stored, Self.screen))
    var (edits, time, burst): ([Edit], Int, Int) = ([], 0, 0)
    while edits.count < parameters.edits {
      let kind = word(0x6b69_6e64, burst) % 100
      let object = word(0x6f62_6a65, burst) % list.count
      time += 2_000 + word(0x7061_7573, burst) % 18_000
      if kind < 60 {
        let letters = 20 + word(0x6c65_7474, burst) % 41
        for letter in 0..<letters where edits.count < parameters.edits {
          time += 150 + word(0x7479_7065, burst * 64 + letter) % 250
          edits.append(Edit(time: time, changes: [list.type(word(0x63, burst + letter), object)]))
        }
      } else if kind < 85 || list.count < 2 {
        edits.append(Edit(time: time, changes: [list.toggle(object)]))
      } else {
        edits.append(Edit(time: time, changes: list.exchange(object, (object + 1) % list.count)))
      }
      burst += 1
    }
    return edits
  }

  /// The values of the objects on the screen, as the user has edited them.
  private struct UserList {
    private var texts: [String] = []
    private var flags: [Value] = []
    private var places: [Value] = []
    private let content: SaveContent

    var count: Int { texts.count }

    init(rows: SeededRow, content: SaveContent, count: Int) {
      self.content = content
      func value(_ name: String, _ key: Int64) -> Value {
        rows.attributes.first { $0.name == name }.map { rows.value(of: $0, key: key) } ?? .null
      }
      for key in 1...Int64(count) {
        if case .text(let text) = value(content.text, key) { texts.append(text) }
        flags.append(value(content.flag, key))
        places.append(value(content.plain.counter, key))
      }
    }

    private func set(_ index: Int, _ attribute: String, _ value: Value) -> Change {
      .set(Int64(index) + 1, [(attribute, value)])
    }

    mutating func type(_ number: Int, _ index: Int) -> Change {
      texts[index].unicodeScalars.append(Unicode.Scalar(UInt8(97 + number % 26)))
      return set(index, content.text, .text(texts[index]))
    }

    mutating func toggle(_ index: Int) -> Change {
      flags[index] = flags[index] == .integer(0) ? .integer(1) : .integer(0)
      return set(index, content.flag, flags[index])
    }

    mutating func exchange(_ first: Int, _ second: Int) -> [Change] {
      places.swapAt(first, second)
      return [first, second].map { set($0, content.plain.counter, places[$0]) }
    }
  }

  private func autosaves() -> [Save] {
    var saves: [Save] = []
    var first = 0
    func save(upTo end: Int, at time: Int) {
      guard end > first else { return }
      saves.append(Save(edits: first..<end, time: time))
      first = end
    }
    let interval = parameters.autosaveInterval
    for (index, edit) in edits.enumerated() {
      switch parameters.autosave {
      case .time where index > first && edits[first].time + interval <= edit.time:
        save(upTo: index, at: edits[first].time + interval)
      case .pause where index > first && edits[index - 1].time + interval <= edit.time:
        save(upTo: index, at: edits[index - 1].time + interval)
      case .edit: save(upTo: index + 1, at: edit.time)
      case .count where index + 1 - first == parameters.autosaveCount:
        save(upTo: index + 1, at: edit.time)
      default: break
      }
    }
    if parameters.ending == .quit { save(upTo: edits.count, at: edits.last?.time ?? 0) }
    return saves
  }
}
