import DataModel
import PersistentStore
import Runner
import SQLite

/// Holds what a case read against the store it was made from, read by plain SQL.
struct FetchVerification {
  let parameters: FetchParameters
  let subject: FetchSubject
  let content: StoreContent
  let path: AccessPath

  /// The digest of what had to be read.
  ///
  /// - Throws: ``VerificationFailure``.
  func check(_ logs: [ReadLog]) throws -> String {
    let expected = try ExpectedObjects(parameters, subject, in: content)
    let count = parameters.strategy == .count ? expected.unlimitedCount : expected.count
    for log in logs where log.fetched != count {
      throw VerificationFailure(["\(log.fetched) objects were found, but \(count) exist"])
    }
    guard parameters.strategy != .count, path.pattern != .none else { return "\(count) objects" }
    let places = path.ranges(count: count).flatMap { Array($0) }
    var digest = ""
    var checked: [Int64]?
    var expectedRead = ReadLog()
    for log in logs {
      if let problem = expected.problem(with: log.keys, at: places) {
        throw VerificationFailure([problem])
      }
      if log.keys != checked {
        expectedRead = try read(log.keys)
        checked = log.keys
      }
      try compare(log, with: expectedRead)
      digest = log.objects.unordered
    }
    return digest
  }

  /// What reading these objects gives.
  private func read(_ keys: [Int64]) throws -> ReadLog {
    let lookup = try content.lookup(subject.shape)
    let links = try subject.touched.map {
      try ExpectedLinks($0, of: subject.entity.name, in: content)
    }
    var log = ReadLog()
    for (number, key) in keys.enumerated() {
      guard let object = try lookup.digest(of: key) else {
        throw VerificationFailure(["\(subject.entity.name) \(key) is not in the store"])
      }
      log.add(key, object)
      guard let links, path.isTouched(number) else { continue }
      guard let link = try links.digest(from: key) else {
        throw VerificationFailure([
          "'\(links.name)' of \(subject.entity.name) \(key) leads to an object that does not exist"
        ])
      }
      log.add(link: link)
    }
    return log
  }

  private func compare(_ log: ReadLog, with expected: ReadLog) throws {
    var findings: [String] = []
    if log.objects.ordered != expected.objects.ordered {
      findings.append(
        "the values read for \(log.objects.count) objects of '\(subject.entity.name)' differ from "
          + "the store"
      )
    }
    if log.links.ordered != expected.links.ordered {
      findings.append(
        "what '\(subject.touched?.relationship.name ?? "")' of \(expected.links.count) objects of "
          + "'\(subject.entity.name)' leads to is not what was read"
      )
    }
    guard findings.isEmpty else { throw VerificationFailure(findings) }
  }
}

extension FetchVerification {
  /// The objects that a request describes, in its order, found by plain SQL.
  ///
  /// Objects that sort alike have one rank: an answer may have them in any order.
  struct ExpectedObjects {
    /// The rank at each place, of all that meet the predicate.
    private var ranks: [Int] = []
    private var rankOfKey: [Int64: Int] = [:]
    private let offset: Int
    /// The number of objects after offset and limit.
    let count: Int
    /// The number of objects that meet the predicate.
    var unlimitedCount: Int { ranks.count }

    init(_ parameters: FetchParameters, _ subject: FetchSubject, in content: StoreContent) throws {
      let layout = content.layout
      let table = try content.table(of: subject.entity.name)
      let keys = parameters.sortKeys
      var check = ConditionCheck(
        entity: subject.entity.name,
        content: content,
        firstColumn: 1 + keys.count
      )
      let sorted = try keys.map { try check.column(of: $0.property) }
      let truth = try subject.predicate.map { try check.truth(of: $0) }
      let row = try content.connection.prepare(
        "SELECT \((["t.Z_PK"] + sorted + check.columns).joined(separator: ", ")) "
          + "FROM \(table.name) AS t NOT INDEXED "
          + "WHERE t.Z_ENT IN (\(layout.numberList(ofFamily: subject.entity.name)))"
      )
      var found: [(key: Int64, values: [Value])] = []
      while try row.step() {
        guard truth.map({ $0(row) == true }) ?? true else { continue }
        found.append((row.integer(at: 0), (1..<1 + keys.count).map { row.value(at: $0) }))
      }
      // Sorted here and not by SQLite: the statements under test put the order into SQL.
      func order(_ left: [Value], _ right: [Value]) -> Int {
        for (index, key) in keys.enumerated() {
          let order = left[index].rank(beside: right[index], parameters.collation)
          if order != 0 { return key.isDescending ? -order : order }
        }
        return 0
      }
      if !keys.isEmpty { found.sort { order($0.values, $1.values) < 0 } }
      var rank = 0
      for (index, object) in found.enumerated() {
        if index > 0, order(found[index - 1].values, object.values) != 0 { rank += 1 }
        ranks.append(rank)
        rankOfKey[object.key] = rank
      }
      offset = min(parameters.offset, ranks.count)
      let rest = ranks.count - offset
      count = parameters.limit > 0 ? min(rest, parameters.limit) : rest
    }

    /// What is wrong with objects read at some places of the result; `nil` where nothing is.
    func problem(with keys: [Int64], at places: [Int]) -> String? {
      guard keys.count == places.count else {
        return "\(keys.count) objects were read instead of \(places.count)"
      }
      var keyAtPlace: [Int: Int64] = [:]
      var placeOfKey: [Int64: Int] = [:]
      for (key, place) in zip(keys, places) {
        guard let rank = rankOfKey[key] else {
          return "object \(key) at position \(place) does not match the request"
        }
        if rank != ranks[offset + place] {
          return "object \(key) at position \(place) is out of order"
        }
        if keyAtPlace.updateValue(key, forKey: place) ?? key != key {
          return "position \(place) had two objects, the second time \(key)"
        }
        if placeOfKey.updateValue(place, forKey: key) ?? place != place {
          return "object \(key) was read at two positions, the second is \(place)"
        }
      }
      return nil
    }
  }

  /// The objects that a relationship leads to, found by plain SQL.
  struct ExpectedLinks {
    private let touched: FetchSubject.Touched
    private let targets: Statement
    private let lookup: ContentLookup

    init(_ touched: FetchSubject.Touched, of entity: String, in content: StoreContent) throws {
      self.touched = touched
      lookup = try content.lookup(touched.shape)
      targets = try content.connection.prepare(
        try Self.sql(touched.relationship.name, of: entity, content.layout)
      )
    }

    private static func sql(
      _ relationship: String,
      of entity: String,
      _ layout: StoreLayout
    ) throws -> String {
      switch layout.storage(of: relationship, in: entity) {
      case .foreignKey(let column, _, _):
        return "SELECT \(column) FROM \(try EntityNames(entity, in: layout).table) NOT INDEXED "
          + "WHERE Z_PK = ?1 AND \(column) IS NOT NULL"
      case .inverseForeignKey(let table, let column, let order):
        return "SELECT Z_PK FROM \(table) WHERE \(column) = ?1 ORDER BY \(order ?? "Z_PK")"
      case .join(let table, let side):
        return "SELECT \(side.otherColumn) FROM \(table) WHERE \(side.ownColumn) = ?1 "
          + "ORDER BY \(side.orderColumn ?? side.otherColumn)"
      case nil: throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
      }
    }

    var name: String { touched.relationship.name }

    /// The digest of what an object's relationship leads to; `nil` where an object is not there.
    func digest(from key: Int64) throws -> UInt64? {
      targets.reset()
      targets.bind(key, at: 1)
      var link = LinkDigest(touched, from: key)
      while try targets.step() {
        guard let target = try lookup.digest(of: targets.integer(at: 0)) else { return nil }
        link.add(target)
      }
      return link.value
    }
  }

  /// Whether rows meet a predicate, worked out here and not by SQLite: the statements under test
  /// put the predicate into SQL.
  struct ConditionCheck {
    /// What a row meets: true, false, or nil where SQL would say NULL.
    typealias Truth = (Statement) -> Bool?

    /// The columns that the check reads, in the order of the selection.
    private(set) var columns: [String] = []
    private let entity: String
    private let content: StoreContent
    private let firstColumn: Int
    private var layout: StoreLayout { content.layout }

    init(entity: String, content: StoreContent, firstColumn: Int) {
      self.entity = entity
      self.content = content
      self.firstColumn = firstColumn
    }

    private mutating func select(_ column: String) -> Int {
      columns.append(column)
      return firstColumn + columns.count - 1
    }

    mutating func truth(of predicate: Predicate) throws -> Truth {
      switch predicate {
      case .comparison(let property, let comparison, let value):
        let column = select(try self.column(of: property))
        return { $0.value(at: column).meets(comparison, value) }
      case .isNull(let property):
        let column = select(try self.column(of: property))
        return { $0.isNull(at: column) }
      case .beginsWith(let property, let prefix):
        let column = select(try self.column(of: property))
        return { row in
          row.isNull(at: column) ? nil : row.text(at: column).utf8.starts(with: prefix.utf8)
        }
      case .contains(let property, let text):
        let column = select(try self.column(of: property))
        // The function finds nothing in a text that is missing.
        return { row in
          !row.isNull(at: column) && FrameworkFunctions.isFound(text, in: row.text(at: column))
        }
      case .has(let relationship, let key):
        let counts = try counts(of: relationship, having: key)
        return { counts[$0.integer(at: 0)] != nil }
      case .count(let relationship, let comparison, let number):
        let counts = try counts(of: relationship)
        return { row in
          Value.integer(counts[row.integer(at: 0)] ?? 0)
            .meets(comparison, .integer(Int64(number)))
        }
      case .isIn(let property, let list):
        let column = select(try self.column(of: property))
        let known = Set(list)
        return { $0.isNull(at: column) ? nil : known.contains($0.value(at: column)) }
      case .keys(let keys):
        let known = Set(keys)
        return { known.contains($0.integer(at: 0)) }
      case .not(let inner):
        let truth = try truth(of: inner)
        return { truth($0).map { !$0 } }
      case .and(let parts): return Self.all(try truths(of: parts), are: true)
      case .or(let parts): return Self.all(try truths(of: parts), are: false)
      }
    }

    private mutating func truths(of parts: [Predicate]) throws -> [Truth] {
      var truths: [Truth] = []
      for part in parts { truths.append(try truth(of: part)) }
      return truths
    }

    /// The value where all parts have it, its opposite where one has that, and otherwise NULL.
    private static func all(_ parts: [Truth], are value: Bool) -> Truth {
      { row in
        var result: Bool? = value
        for part in parts {
          guard let truth = part(row) else {
            result = nil
            continue
          }
          if truth != value { return truth }
        }
        return result
      }
    }

    func column(of property: String) throws -> String {
      "t." + (try EntityNames(entity, in: layout).column(property))
    }

    /// How many targets an object has, or how often a certain one, by its key; objects without any
    /// are left out.
    private func counts(
      of relationship: String,
      having target: Int64? = nil
    ) throws -> [Int64: Int64] {
      let (table, own, other): (String, String, String)
      switch layout.storage(of: relationship, in: entity) {
      case .inverseForeignKey(let found, let key, _): (table, own, other) = (found, key, "Z_PK")
      case .join(let found, let side):
        (table, own, other) = (found, side.ownColumn, side.otherColumn)
      case .foreignKey, nil:
        throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
      }
      let rows = try content.connection.prepare(
        "SELECT \(own) FROM \(table) NOT INDEXED WHERE \(own) IS NOT NULL"
          + (target.map { " AND \(other) = \($0)" } ?? "")
      )
      var counts: [Int64: Int64] = [:]
      while try rows.step() { counts[rows.integer(at: 0), default: 0] += 1 }
      return counts
    }
  }
}

extension Value {
  /// Whether a stored value stands so to another; `nil` where one of them is NULL.
  fileprivate func meets(_ comparison: Predicate.Operator, _ other: Value) -> Bool? {
    guard let order = order(to: other) else { return nil }
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Below, at or above zero, as SQLite sorts values, NULL first, and texts by a collation.
  fileprivate func rank(beside other: Value, _ collation: FrameworkFunctions.Collation) -> Int {
    if case .text(let left) = self, case .text(let right) = other, collation != .binary {
      return collation.order(left, right)
    }
    return order(to: other) ?? rank - other.rank
  }

  /// Below, at or above zero, as SQLite orders values: numbers, then texts, then blobs
  /// (https://www.sqlite.org/datatype3.html, section 4.1).
  private func order(to other: Value) -> Int? {
    switch (self, other) {
    case (.null, _), (_, .null): nil
    case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.real(let left), .real(let right)): left < right ? -1 : left == right ? 0 : 1
    case (.integer(let left), .real(let right)): Self.order(left, right)
    case (.real(let left), .integer(let right)): -Self.order(right, left)
    case (.text(let left), .text(let right)): Self.order(Array(left.utf8), Array(right.utf8))
    case (.blob(let left), .blob(let right)): Self.order(left, right)
    default: rank < other.rank ? -1 : 1
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func order(_ left: Int64, _ right: Double) -> Int {
    let rounded = Double(left)
    guard rounded == right else { return rounded < right ? -1 : 1 }
    // Equal but for what rounding took; beyond 64 bits lies only 2^63, above every integer.
    guard let exact = Int64(exactly: right) else { return -1 }
    return left < exact ? -1 : left == exact ? 0 : 1
  }

  private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}
