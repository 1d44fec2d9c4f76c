import Basics

/// Compares a store's expected content with its actual content, object by object in key order.
package struct ContentComparison {
  /// The properties of an ordered relationship that must be equal, in addition to the related
  /// objects.
  package enum Order: Hashable, Sendable {
    case keys
    /// The resulting order of the objects, regardless of the stored order keys.
    case places
    case nothing
  }

  /// Whether the optimistic-lock counters, Z_OPT, must be equal.
  package var comparesVersions = false
  package var order = Order.keys
  /// The properties that may differ, by entity.
  package var ignoredProperties: [String: Set<String>] = [:]

  private let expected: ExpectedContent
  private let actual: StoreContent

  package init(expected: ExpectedContent, actual: StoreContent) {
    self.expected = expected
    self.actual = actual
  }

  /// Returns the differences; lists the findings up to the limit and counts the rest.
  package func findings(limit: Int = 10) throws -> Findings<String> {
    var findings = Findings<String>(limit: limit)
    for object in expected.keyMap?.unmatched ?? [] {
      findings.add("\(object) of the original has no counterpart")
    }
    for table in actual.layout.tables { try compareObjects(of: table, &findings) }
    for table in actual.layout.joinTables { try comparePairs(of: table, &findings) }
    return findings
  }

  private func compareObjects(of table: EntityTable, _ findings: inout Findings<String>) throws {
    if let outcome = expected.outcome, outcome.layout.numbers == actual.layout.numbers,
      try outcome.objects(in: table).hasSameRows(as: actual.objects(in: table))
    {
      return
    }
    var places: [String: PlaceComparison] = [:]
    let (left, right) = (try expected.objects(in: table), try actual.objects(in: table))
    try walk(left.next, right.next, by: ContentObject.precedes) { wanted, found in
      switch (wanted, found) {
      case (let object?, let other?):
        try compare(object, other, &findings)
        if order == .places { notePlaces(object, other, &places) }
      case (let object?, nil): findings.add("\(object.reference) is missing")
      case (nil, let other?): findings.add("\(other.reference) is not expected")
      case (nil, nil): break
      }
    }
    for (_, places) in places.sorted(by: { $0.key < $1.key }) { places.report(&findings) }
  }

  private func compare(
    _ wanted: ContentObject,
    _ found: ContentObject,
    _ findings: inout Findings<String>
  ) throws {
    guard wanted.entity == found.entity else {
      findings.add("\(wanted.reference) has the entity '\(found.entity)' instead")
      return
    }
    if comparesVersions, wanted.version != found.version {
      findings.add(
        "\(wanted.reference) has the version \(found.version), expected \(wanted.version)"
      )
    }
    guard wanted.shape.properties.count == found.shape.properties.count else {
      throw Refusal.unlikeShapes(entity: found.entity)
    }
    for (index, property) in found.shape.properties.enumerated() {
      guard wanted.shape.properties[index].name == property.name else {
        throw Refusal.unlikeShapes(entity: found.entity)
      }
      let (value, other) = (wanted.values[index], found.values[index])
      if value == other || isIgnored(property, of: found.entity) { continue }
      let (expected, actual) = ContentValue.descriptions(of: value, and: other)
      findings.add("\(wanted.reference) has '\(property.name)' = \(actual), expected \(expected)")
    }
  }

  private func isIgnored(_ property: ContentShape.Property, of entity: String) -> Bool {
    (order != .keys && property.isOrderKey)
      || (ignoredProperties[entity]?.contains(property.name) ?? false)
  }

  private func notePlaces(
    _ wanted: ContentObject,
    _ found: ContentObject,
    _ places: inout [String: PlaceComparison]
  ) {
    for (property, value) in zip(found.shape.properties, found.values) {
      guard case .orderKey(let toOne) = property.kind, case .integer(let order) = value,
        case .integer(let former)? = wanted[property.name],
        case .object(let parent)? = found[toOne], found[toOne] == wanted[toOne]
      else { continue }
      places[
        property.column,
        default: PlaceComparison(relationship: "\(found.entity).\(toOne)")
      ].note(found.key, of: parent.key, wanted: former, found: order)
    }
  }

  private func comparePairs(of table: JoinTable, _ findings: inout Findings<String>) throws {
    let name = table.firstSide.name
    let (left, right) = (try expected.pairs(in: table), try actual.pairs(in: table))
    var places = PairPlaces(name)
    try walk(left.next, right.next, by: ContentPair.precedes) { wanted, found in
      switch (wanted, found) {
      case (let pair?, let other?):
        if order == .places { places.note(wanted: pair, found: other) }
        if order == .keys, pair != other {
          findings.add(
            "\(name) has the pair \(pair.keys) at \(other.orders) where \(pair.orders) is expected"
          )
        }
      case (let pair?, nil): findings.add("\(name) lacks the pair \(pair.keys)")
      case (nil, let other?): findings.add("\(name) has a pair \(other.keys) that is not expected")
      case (nil, nil): break
      }
    }
    places.report(&findings)
  }
}

extension ContentComparison {
  /// Compares the order of an ordered relationship's objects, not their order keys, because a copy
  /// assigns new keys.
  private struct PlaceComparison {
    struct Place {
      let parent: Int64
      let object: Int64
      let wanted: Int64
      let found: Int64
    }

    let relationship: String
    var places: [Place] = []

    mutating func note(_ object: Int64, of parent: Int64, wanted: Int64, found: Int64) {
      places.append(Place(parent: parent, object: object, wanted: wanted, found: found))
    }

    /// Adds a finding for each object that directly precedes an object that it should follow.
    ///
    /// Objects with the same expected order key may come in any order.
    func report(_ findings: inout Findings<String>) {
      let sorted = places.sorted {
        ($0.parent, $0.found, $0.object) < ($1.parent, $1.found, $1.object)
      }
      for (place, next) in zip(sorted, sorted.dropFirst())
      where place.parent == next.parent && place.wanted > next.wanted {
        findings.add(
          "\(relationship) has \(place.object) before \(next.object) instead of after it"
        )
      }
    }
  }

  private struct PairPlaces {
    private var firsts: PlaceComparison
    private var seconds: PlaceComparison

    init(_ relationship: String) {
      firsts = PlaceComparison(relationship: relationship)
      seconds = PlaceComparison(relationship: "the inverse of " + relationship)
    }

    mutating func note(wanted: ContentPair, found: ContentPair) {
      if let former = wanted.firstOrder, let order = found.firstOrder {
        firsts.note(found.second, of: found.first, wanted: former, found: order)
      }
      if let former = wanted.secondOrder, let order = found.secondOrder {
        seconds.note(found.first, of: found.second, wanted: former, found: order)
      }
    }

    func report(_ findings: inout Findings<String>) {
      firsts.report(&findings)
      seconds.report(&findings)
    }
  }
}
