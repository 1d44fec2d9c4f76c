import Basics
import DataModel
import PersistentStore
import Runner
import SQLite

/// Compares the objects that a case read with the objects in its starting store, which are read
/// with plain SQL.
struct FetchVerification {
  let parameters: FetchParameters
  let subject: FetchSubject
  let content: StoreContent
  let path: AccessPath

  /// Checks the logs, and returns the digest of the expected objects.
  ///
  /// - Throws: ``VerificationFailure`` if other objects or values were read.
  func check(_ logs: [ReadLog]) throws -> String {
    let expected = try ExpectedObjects(parameters, subject, in: content)
    try checkMatches(expected)
    let count = parameters.strategy == .count ? expected.unlimitedCount : expected.count
    for log in logs where log.fetched != count {
      throw VerificationFailure(["\(log.fetched) objects were found, but \(count) exist"])
    }
    guard parameters.strategy != .count, path.pattern != .none else { return "\(count) objects" }
    let places = path.ranges(count: count).flatMap { Array($0) }
    let reading = try ExpectedReading(subject, in: content)
    var expectedRead = ReadLog()
    for log in logs {
      if let problem = expected.problem(with: log.keys, at: places) {
        throw VerificationFailure([problem])
      }
      if log.keys != expectedRead.keys {
        expectedRead = try reading.log(of: log.keys, isTouched: path.isTouched)
      }
      let findings = log.differences(from: expectedRead, subject)
      guard findings.isEmpty else { throw VerificationFailure(findings) }
    }
    return logs.last?.objects.unordered ?? ""
  }

  /// Checks the number of objects that the condition matches.
  ///
  /// - Throws: ``Refusal`` if the number is lower than the workload file expects: a fetch that
  ///   finds nothing is fast, but not representative of the app.
  private func checkMatches(_ expected: ExpectedObjects) throws {
    guard subject.predicate != nil, expected.unlimitedCount < parameters.matches else { return }
    guard expected.unlimitedCount == 0 else {
      throw Refusal(
        .caseFailed,
        "not measured: the condition matches \(expected.unlimitedCount) objects, fewer than "
          + "'matches: \(parameters.matches)'"
      )
    }
    throw Refusal(.caseFailed, try Self.emptyMatch(of: subject, in: content))
  }

  /// The reason why a request matches no object.
  static func emptyMatch(of subject: FetchSubject, in content: StoreContent) throws -> String {
    guard let predicate = subject.predicate else {
      return "not measured: there is no object of '\(subject.entity.name)'"
    }
    var match = EmptyMatch(predicate, of: subject.entity, in: content.layout.model)
    let rows = try StoredRows(subject.entity.name, content)
    while try rows.step() { try match.add(rows) }
    return match.text
  }
}

extension FetchVerification {
  /// The objects that match a request, in the order of the request, found with plain SQL.
  ///
  /// Objects that compare equal in the sort order have the same rank, and a result may contain them
  /// in any order.
  struct ExpectedObjects {
    /// The rank at each position, for all objects that meet the predicate.
    private var ranks: [Int] = []
    private var rankOfKey: [Int64: Int] = [:]
    private let offset: Int
    /// The number of objects after applying offset and limit.
    let count: Int
    /// The number of objects that meet the predicate.
    var unlimitedCount: Int { ranks.count }

    init(_ parameters: FetchParameters, _ subject: FetchSubject, in content: StoreContent) throws {
      let keys = parameters.sortKeys
      let rows = try StoredRows(subject.entity.name, content)
      // Check the condition in the way that the case does not use: with a statement if the case
      // checks it in memory, otherwise in memory.
      let selected = try parameters.filter == .memory ? Self.selected(subject, in: content) : nil
      var found: [(key: Int64, values: [Value])] = []
      while try rows.step() {
        let isMet: Bool? =
          if let selected { selected.contains(rows.key) } else if let predicate = subject.predicate
          {
            try predicate.isMet(by: rows)
          } else { true }
        guard isMet == true else { continue }
        found.append((rows.key, try keys.map { try rows.value(at: $0.property) }))
      }
      // Sort here rather than in SQLite, because the statements under test sort in SQL.
      func order(_ left: [Value], _ right: [Value]) -> Int {
        for (index, key) in keys.enumerated() {
          let order = left[index].rank(beside: right[index], key.collation)
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

    /// The keys of the objects that an SQL statement selects.
    private static func selected(
      _ subject: FetchSubject,
      in content: StoreContent
    ) throws -> Set<Int64> {
      let sql = try StatementFetch.Statements(FetchParameters(), subject, layout: content.layout)
      return Set(try sql.keys(on: content.connection))
    }

    /// The problem with the keys of all objects, in any order; `nil` if the keys are correct.
    func problem(withAll keys: [Int64]) -> String? {
      if let key = keys.first(where: { rankOfKey[$0] == nil }) {
        return "object \(key) does not match the request"
      }
      return keys.count == count ? nil : "\(keys.count) objects were found, but \(count) exist"
    }

    /// The problem with the keys of the objects that were read at the given positions of the
    /// result; `nil` if the keys are correct.
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

  /// The expected result of reading objects, computed with plain SQL.
  struct ExpectedReading {
    private let subject: FetchSubject
    private let digest: (Int64) throws -> UInt64?
    private let links: ExpectedLinks?

    init(_ subject: FetchSubject, in content: StoreContent) throws {
      self.subject = subject
      if subject.blobsElsewhere.isEmpty {
        digest = try content.lookup(subject.shape).digest(of:)
      } else {
        let table = try content.table(of: subject.entity.name)
        digest = { key in
          try content.object(key: key, in: table).map { try content.digest(of: $0, subject.shape) }
        }
      }
      links = try subject.touched.map {
        try ExpectedLinks($0, of: subject.entity.name, in: content)
      }
    }

    /// The expected log of reading the given objects; `changed` returns the digests of changed
    /// objects.
    func log(
      of keys: [Int64],
      isTouched: (Int) -> Bool = { _ in true },
      changed: (Int64) throws -> UInt64? = { _ in nil }
    ) throws -> ReadLog {
      var log = ReadLog()
      for (number, key) in keys.enumerated() {
        guard let object = try changed(key) ?? digest(key) else {
          throw VerificationFailure(["\(subject.entity.name) \(key) is not in the store"])
        }
        log.add(key, object)
        guard let links, isTouched(number) else { continue }
        guard let link = try links.digest(from: key) else {
          throw VerificationFailure([
            "'\(links.name)' of \(subject.entity.name) \(key) leads to an object that does not exist"
          ])
        }
        log.add(link: link)
      }
      return log
    }
  }

  /// The objects that a relationship or key path leads to, found with plain SQL.
  private struct ExpectedLinks {
    private let touched: FetchSubject.Touched
    /// The query for the targets of each relationship along the path.
    private let targets: [Statement]
    private let lookup: ContentLookup

    init(_ touched: FetchSubject.Touched, of entity: String, in content: StoreContent) throws {
      self.touched = touched
      lookup = try content.lookup(touched.shape)
      let owners = [entity] + touched.path.map(\.destination)
      targets = try zip(touched.path, owners).map { relationship, owner in
        try content.connection.prepare(
          try content.layout.targetQuery(of: relationship.name, in: owner)
        )
      }
    }

    var name: String { touched.name }

    /// The digest of the objects that an object's relationship leads to; `nil` if one of them does
    /// not exist.
    func digest(from key: Int64) throws -> UInt64? {
      var keys = [key]
      for query in targets { keys = try keys.flatMap { try Self.keys(query, of: $0) } }
      var link = LinkDigest(touched, from: key)
      for key in keys {
        guard let target = try lookup.digest(of: key) else { return nil }
        link.add(target)
      }
      return link.value
    }

    private static func keys(_ query: Statement, of key: Int64) throws -> [Int64] {
      query.reset()
      query.bind(key, at: 1)
      var keys: [Int64] = []
      while try query.step() { keys.append(query.integer(at: 0)) }
      return keys
    }
  }
}

extension StoreLayout {
  /// The query for the keys of the objects that a relationship of the object `?1` refers to, sorted
  /// if the relationship is ordered.
  ///
  /// - Throws: ``ObjectContextError`` if the entity has no such relationship.
  func targetQuery(of relationship: String, in entity: String) throws -> String {
    switch storage(of: relationship, in: entity) {
    case .foreignKey(let column, _, _):
      return "SELECT \(column) FROM \(try EntityNames(entity, in: self).table) NOT INDEXED "
        + "WHERE Z_PK = ?1 AND \(column) IS NOT NULL"
    case .inverseForeignKey(let table, let column, let order):
      return "SELECT Z_PK FROM \(table) WHERE \(column) = ?1 ORDER BY \(order ?? "Z_PK")"
    case .join(let table, let side):
      return "SELECT \(side.otherColumn) FROM \(table) WHERE \(side.ownColumn) = ?1 "
        + "ORDER BY \(side.orderColumn ?? side.otherColumn)"
    case nil: throw ObjectContextError.unknownProperty(entity: entity, property: relationship)
    }
  }
}

extension ReadLog {
  /// The differences between the values that were read and the expected values.
  func differences(from expected: ReadLog, _ subject: FetchSubject) -> [String] {
    var findings: [String] = []
    if objects.ordered != expected.objects.ordered {
      findings.append(
        "the values read for \(objects.count) objects of '\(subject.entity.name)' differ from the store"
      )
    }
    if links.ordered != expected.links.ordered {
      findings.append(
        "what '\(subject.touched?.name ?? "")' of \(expected.links.count) objects of "
          + "'\(subject.entity.name)' leads to is not what was read"
      )
    }
    return findings
  }
}
