import Basics
import Foundation

/// All entities of one schema version (`NSManagedObjectModel`).
///
/// A model may be invalid; ``Model/problems()`` lists its problems. All unordered parts are sorted
/// by name, so the same model read from two sources gives equal values.
package struct Model: Hashable, Sendable {
  /// The entities sorted by name, case-insensitively and then by bytes, which is the order of their
  /// numbers in a store.
  ///
  /// The attributes and relationships of each entity are in the byte order of their names.
  package private(set) var entities: [Entity]
  /// The model's own version identifiers; `[""]` if there are none.
  package var versionIdentifiers: [String]
  /// The names of the entities in each named configuration.
  package var configurations: [String: [String]]
  /// The model's fetch requests, in the byte order of their names.
  package var fetchRequests: [FetchRequestTemplate]

  package init(
    entities: [Entity],
    versionIdentifiers: [String] = [""],
    configurations: [String: [String]] = [:],
    fetchRequests: [FetchRequestTemplate] = []
  ) {
    self.entities = entities.map(\.canonical).sorted { Model.precedes($0.name, $1.name) }
    self.versionIdentifiers = versionIdentifiers.sorted()
    self.configurations = configurations.mapValues { $0.sorted(by: Model.precedes) }
    self.fetchRequests = fetchRequests.sortedOnce(byBytesOf: \.name)
  }

  /// Whether one entity name sorts before another: case-insensitively, then by bytes
  /// (coredata-format.md, section 3).
  package static func precedes(_ first: String, _ second: String) -> Bool {
    let (left, right) = (first.lowercased(), second.lowercased())
    return left == right ? first.utf8.lexicographicallyPrecedes(second.utf8) : left < right
  }

  /// The entity of the given name, if any.
  package func entity(named name: String) -> Entity? {
    entities.first { $0.name == name }
  }

  /// The direct sub-entities, in the order of their numbers.
  package func subentities(of name: String) -> [Entity] {
    entities.filter { $0.superentity == name }
  }

  /// The entity and all its super-entities, the root first.
  ///
  /// If the inheritance is a cycle, each entity occurs once.
  package func lineage(of entity: Entity) -> [Entity] {
    var chain = [entity]
    var seen: Set<String> = [entity.name]
    while let name = chain[0].superentity, seen.insert(name).inserted,
      let above = self.entity(named: name)
    {
      chain.insert(above, at: 0)
    }
    return chain
  }

  /// The root entity, whose table stores the entity's objects.
  package func root(of entity: Entity) -> Entity {
    lineage(of: entity)[0]
  }

  /// The entity and all its sub-entities, depth first in the order of their numbers.
  package func family(of entity: Entity) -> [Entity] {
    var result: [Entity] = []
    var seen: Set<String> = []
    func visit(_ entity: Entity) {
      guard seen.insert(entity.name).inserted else { return }
      result.append(entity)
      for below in subentities(of: entity.name) { visit(below) }
    }
    visit(entity)
    return result
  }

  /// The attributes of an entity, inherited ones first.
  package func attributes(of entity: Entity) -> [Attribute] {
    lineage(of: entity).flatMap(\.attributes)
  }

  /// The relationships of an entity, inherited ones first.
  package func relationships(of entity: Entity) -> [Relationship] {
    lineage(of: entity).flatMap(\.relationships)
  }

  /// The highest of an entity and its super-entities that declares a property, if any.
  package func declarer(of property: String, in entity: Entity) -> Entity? {
    lineage(of: entity).first {
      $0.attribute(named: property) != nil || $0.relationship(named: property) != nil
    }
  }

  /// Whether the only configuration is "default", as in every model of SwiftData
  /// (coredata-format.md, section 14).
  package var isSwiftData: Bool { Array(configurations.keys) == ["default"] }

  /// Whether an object may be saved with an empty relationship.
  ///
  /// SwiftData's arrays are initially empty, and stores saved by SwiftData contain objects whose
  /// required array is empty.
  package func allowsNothing(in relationship: Relationship) -> Bool {
    relationship.isOptional
      || isSwiftData && relationship.isToMany && relationship.minimumCount == 0
  }

  /// The inverse of a relationship; `nil` if the model does not name it or lacks it.
  package func inverse(of relationship: Relationship) -> Relationship? {
    guard let name = relationship.inverse, let destination = entity(named: relationship.destination)
    else { return nil }
    return relationships(of: destination).first { $0.name == name }
  }
}

extension Entity {
  fileprivate var canonical: Entity {
    var entity = self
    if renamingIdentifier == name { entity.renamingIdentifier = nil }
    entity.attributes = attributes.map(\.canonical).sorted(byBytesOf: \.name)
    entity.relationships = relationships.map(\.canonical).sorted(byBytesOf: \.name)
    entity.fetchedProperties = fetchedProperties.sortedOnce(byBytesOf: \.name)
    return entity
  }
}

extension Array {
  /// Sorts the elements by the bytes of their names and keeps the first element of each name.
  fileprivate func sortedOnce(byBytesOf name: (Element) -> String) -> [Element] {
    var seen: Set<String> = []
    return filter { seen.insert(name($0)).inserted }.sorted(byBytesOf: name)
  }
}

extension Attribute {
  /// The attribute with each value in its type's storage form: integers become reals for
  /// floating-point types, and whole decimals become integers, as in SQLite.
  ///
  /// Types that a store cannot hold make the attribute transient (coredata-format.md, section 16).
  fileprivate var canonical: Attribute {
    var attribute = self
    if [.undefined, .objectID].contains(type) { attribute.isTransient = true }
    if renamingIdentifier == name { attribute.renamingIdentifier = nil }
    attribute.elements = elements.map(\.canonical)
    let form: (Value) -> Value
    switch type {
    case .double, .float, .date: form = { $0.asReal }
    case .decimal: form = { $0.asInteger }
    default: return attribute
    }
    attribute.defaultValue = form(defaultValue)
    attribute.minimum = form(minimum)
    attribute.maximum = form(maximum)
    return attribute
  }
}

extension Relationship {
  fileprivate var canonical: Relationship {
    var relationship = self
    if renamingIdentifier == name { relationship.renamingIdentifier = nil }
    return relationship
  }
}

extension Value {
  fileprivate var asReal: Value {
    guard case .integer(let value) = self else { return self }
    return .real(Double(value))
  }

  fileprivate var asInteger: Value {
    guard case .real(let value) = self, let whole = Int64(exactly: value) else { return self }
    return .integer(whole)
  }
}

/// A named version of a model (`VersionedSchema`).
package struct VersionedSchema: Hashable, Sendable {
  /// The version's short name within a family of versions, such as `v2`.
  package var name: String
  package var model: Model

  package init(name: String, model: Model) {
    self.name = name
    self.model = model
  }
}

/// All versions of one model, with further information from their source.
package struct ModelFamily: Hashable, Sendable {
  /// The versions in the order of the source's migration plan; without a plan, in the order of
  /// their names, with numbers compared by value.
  package var versions: [VersionedSchema]
  /// The name of the version with which an app opens its stores, if the source names it.
  package var current: String?
  /// The 32-byte version hash of each entity, by version name; only compiled models contain hashes.
  package var versionHashes: [String: [String: [UInt8]]]
  /// Whether a version is marked in the model editor as used with CloudKit.
  package var isUsedWithCloudKit = false
  /// The parts of the source that could not be read, with location and action taken.
  package var unknown: [String]
  /// The parts of the source that a store cannot represent exactly, with location and action taken.
  package var unusual: [String] = []
  /// The versions that cannot be read; they do not affect the other versions.
  package var failures: [Failure] = []

  /// The properties (`Trip.kind`) whose storage is assumed, with the assumption, by version name.
  ///
  /// A version has no entry if it is unknown whether any storage is assumed.
  package var assumed: [String: [String: String]] = [:]
  /// The cases of the enums in Swift sources, by version name and property (`Trip.kind`).
  package var enumCases: [String: [String: [EnumValue]]] = [:]
  /// The steps of the source's migration plan, if it has one.
  package var stages: [Stage]?

  /// The raw values of the enums in Swift sources, by version name and property (`Trip.kind`).
  package var enumValues: [String: [String: [Value]]] {
    enumCases.mapValues { $0.mapValues { $0.map(\.value) } }
  }

  /// A step of a plan between two versions.
  package struct Stage: Hashable, Sendable {
    package let from: String
    package let to: String
    /// Whether the app's own code runs before or after the step.
    package let isCustom: Bool

    package init(from: String, to: String, isCustom: Bool) {
      (self.from, self.to, self.isCustom) = (from, to, isCustom)
    }
  }

  /// A version that cannot be read, with the reason.
  package struct Failure: Hashable, Sendable {
    package let version: String
    package let reason: String
  }

  package init(
    versions: [VersionedSchema],
    current: String? = nil,
    versionHashes: [String: [String: [UInt8]]] = [:],
    unknown: [String] = []
  ) {
    self.versions = versions
    self.current = current
    self.versionHashes = versionHashes
    self.unknown = unknown
  }

  /// The version of the given name, if any.
  package func version(named name: String) -> VersionedSchema? {
    versions.first { $0.name == name }
  }
}

/// A case of an enum in Swift sources, with its raw value in storage form.
package struct EnumValue: Hashable, Sendable {
  package let name: String
  package let value: Value

  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }
}

/// A value as SQLite stores it: one of the five storage classes.
///
/// Dates are seconds since 2001-01-01 00:00:00 UTC, and Booleans are 0 or 1. UUIDs are 16 bytes in
/// RFC order, URIs are text, and decimals are integers or reals (coredata-format.md, section 8).
package enum Value: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The value as a number; `nil` for text, blobs and NULL.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    case .null, .text, .blob: nil
    }
  }
}

/// Conversions of stored dates: seconds since 2001-01-01 00:00:00 UTC.
package enum ReferenceDate {
  /// The seconds at an ISO 8601 time in UTC, such as `2026-04-01T12:00:00Z` or `2026-04-01`; `nil`
  /// if the string is not a valid time.
  package static func seconds(iso8601 text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 10 || bytes.count == 20 else { return nil }
    let shape = Array("0000-00-00T00:00:00Z".utf8)
    for (byte, expected) in zip(bytes, shape) {
      let isDigit = (48...57).contains(byte)
      guard expected == 48 ? isDigit : byte == expected else { return nil }
    }
    func number(_ range: Range<Int>) -> Int {
      bytes[range].reduce(0) { $0 * 10 + Int($1 - 48) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let isTimed = bytes.count == 20
    let time = isTimed ? (number(11..<13), number(14..<16), number(17..<19)) : (0, 0, 0)
    guard (1...12).contains(month), day >= 1, day <= length(of: month, in: year),
      time.0 < 24, time.1 < 60, time.2 < 60
    else { return nil }
    let seconds = days(toYear: year, month: month, day: day) * 86_400
    return Int64(seconds + time.0 * 3600 + time.1 * 60 + time.2)
  }

  /// The ISO 8601 string for a time in the years 0 to 9999; `nil` for any other time.
  package static func iso8601(seconds: Int64) -> String? {
    guard seconds >= first, seconds <= last else { return nil }
    let day = Int(seconds - first) / 86_400
    let second = Int(seconds - first) % 86_400
    // The average year has 365.2425 days, so this estimate is at most one year off.
    var year = min(9999, day * 400 / 146_097)
    while daysBefore(year: year) > day { year -= 1 }
    while daysBefore(year: year + 1) <= day { year += 1 }
    var rest = day - daysBefore(year: year)
    var month = 1
    while rest >= length(of: month, in: year) {
      rest -= length(of: month, in: year)
      month += 1
    }
    let date = "\(year.digits(4))-\(month.digits(2))-\((rest + 1).digits(2))"
    let (hour, minute) = (second / 3600, second / 60 % 60)
    return "\(date)T\(hour.digits(2)):\(minute.digits(2)):\((second % 60).digits(2))Z"
  }

  private static let first = Int64(days(toYear: 0, month: 1, day: 1) * 86_400)
  private static let last = Int64(days(toYear: 10_000, month: 1, day: 1) * 86_400) - 1

  private static func days(toYear year: Int, month: Int, day: Int) -> Int {
    let months = (1..<month).reduce(0) { $0 + length(of: $1, in: year) }
    return daysBefore(year: year) - daysBefore(year: 2001) + months + day - 1
  }

  private static func daysBefore(year: Int) -> Int {
    let past = year - 1
    return year == 0 ? 0 : year * 365 + past / 4 - past / 100 + past / 400 + 1
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// Converts UUIDs between strings of 36 characters and the 16 bytes in a store.
package enum UUIDText {
  /// The bytes in RFC order, or `nil` if the string is not a UUID.
  package static func bytes(of text: String) -> [UInt8]? {
    UUID(uuidString: text).map { uuid in withUnsafeBytes(of: uuid.uuid) { Array($0) } }
  }

  /// The UUID in upper case, with hyphens after bytes 4, 6, 8 and 10.
  package static func text(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(0x2d) }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
