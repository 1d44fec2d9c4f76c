/// Compares the content expected with the content found, object by object in key order.
package struct ContentComparison {
  /// Whether the optimistic-lock counters, Z_OPT, must be equal.
  package var comparesVersions = false
  /// Whether the order keys of ordered relationships must be equal, not only which objects are
  /// related.
  package var comparesOrderKeys = true
  /// By entity the properties that may differ.
  package var ignoredProperties: [String: Set<String>] = [:]

  private let expected: ExpectedContent
  private let actual: StoreContent

  package init(expected: ExpectedContent, actual: StoreContent) {
    self.expected = expected
    self.actual = actual
  }

  /// What differs, the first findings up to the limit.
  ///
  /// - Throws: ``InspectionError``, also where the actual store's model is not the one expected.
  package func findings(limit: Int = 10) throws -> Findings<ContentFinding> {
    var findings = Findings<ContentFinding>(limit: limit)
    for object in expected.keyMap?.unmatched ?? [] { findings.add(.unmatched(object)) }
    for table in actual.layout.tables { try compareObjects(of: table, &findings) }
    for table in actual.layout.joinTables { try comparePairs(of: table, &findings) }
    return findings
  }

  private func compareObjects(
    of table: EntityTable,
    _ findings: inout Findings<ContentFinding>
  ) throws {
    let (left, right) = (try expected.objects(in: table), try actual.objects(in: table))
    var (wanted, found) = (try left.next(), try right.next())
    while true {
      switch (wanted, found) {
      case (nil, nil): return
      case (let object?, let other?) where object.key == other.key:
        try compare(object, other, &findings)
        (wanted, found) = (try left.next(), try right.next())
      case (let object?, let other) where other.map({ object.key < $0.key }) ?? true:
        findings.add(.missing(object.reference))
        wanted = try left.next()
      case (_, let other?):
        findings.add(.unexpected(other.reference))
        found = try right.next()
      default: return
      }
    }
  }

  private func compare(
    _ wanted: ContentObject,
    _ found: ContentObject,
    _ findings: inout Findings<ContentFinding>
  ) throws {
    guard wanted.entity == found.entity else {
      findings.add(.wrongEntity(wanted.reference, found: found.entity))
      return
    }
    if comparesVersions, wanted.version != found.version {
      findings.add(
        .wrongVersion(
          wanted.reference,
          expected: wanted.version.description,
          found: found.version.description
        )
      )
    }
    guard wanted.shape.properties.count == found.shape.properties.count else {
      throw InspectionError.unlikeShapes(entity: found.entity)
    }
    for (index, property) in found.shape.properties.enumerated() {
      guard wanted.shape.properties[index].name == property.name else {
        throw InspectionError.unlikeShapes(entity: found.entity)
      }
      let (value, other) = (wanted.values[index], found.values[index])
      if value == other || isIgnored(property, of: found.entity) { continue }
      let (expected, actual) = ContentValue.descriptions(of: value, and: other)
      findings.add(
        .wrongValue(
          wanted.reference,
          property: property.name,
          expected: expected,
          found: actual
        )
      )
    }
  }

  private func isIgnored(_ property: ContentProperty, of entity: String) -> Bool {
    (!comparesOrderKeys && property.isOrderKey)
      || (ignoredProperties[entity]?.contains(property.name) ?? false)
  }

  private func comparePairs(
    of table: JoinTable,
    _ findings: inout Findings<ContentFinding>
  ) throws {
    let name = table.firstSide.name
    let (left, right) = (try expected.pairs(in: table), try actual.pairs(in: table))
    var (wanted, found) = (try left.next(), try right.next())
    while true {
      switch (wanted, found) {
      case (nil, nil): return
      case (let pair?, let other?) where !pair.precedes(other) && !other.precedes(pair):
        if comparesOrderKeys, pair != other {
          findings.add(.wrongOrder(relationship: name, pair, found: other))
        }
        (wanted, found) = (try left.next(), try right.next())
      case (let pair?, let other) where other.map(pair.precedes) ?? true:
        findings.add(.missingPair(relationship: name, pair))
        wanted = try left.next()
      case (_, let other?):
        findings.add(.unexpectedPair(relationship: name, other))
        found = try right.next()
      default: return
      }
    }
  }
}
