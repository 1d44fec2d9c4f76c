import Basics
import DataModel
import PersistentStore
import SQLite

/// The values of new and changed objects, determined by the seed, the attribute and the key.
struct StepValues {
  /// The plain attributes whose size the step does not determine.
  let attributes: [Attribute]
  private let row: SeededRow
  private let unique: Set<String>
  /// The blobs and texts whose size the step determines.
  private let blobs: [(attribute: Attribute, bytes: SeededBlobs, size: Step.Numbers)]
  /// The blobs for which the case chooses a strategy, by the attribute's name.
  let kept: [String: KeptBlob]
  private let seed: UInt64
  /// The values that the step sets in all of its objects, by the attribute's name.
  private let given: [String: Value]

  init(_ step: Step, _ entity: Entity, _ places: BlobPlaces, seed: UInt64) {
    self.seed = seed
    let model = places.given
    kept = Dictionary(keepingFirst: places.of(entity).map { ($0.attribute, $0) })
    let all = model.attributes(of: model.entity(named: entity.name) ?? entity)
    attributes = all.filter { $0.isPlain && step.blobs[$0.name] == nil }
    row = SeededRow(seed: seed, attributes: attributes, counter: "")
    given = Dictionary(
      keepingFirst: step.set.compactMap { setting in
        guard let attribute = all.first(where: { $0.name == setting.name }),
          case .value(let value)? = try? setting.change(of: attribute)
        else { return nil }
        return (setting.name, value)
      }
    )
    unique = step.uniqueNames(of: entity, in: model)
    blobs = all.compactMap { attribute in
      step.blobs[attribute.name].map { size in
        let own = seed ^ SplitMix64.hash(attribute.name)
        let isText = attribute.type == .string
        return (attribute, SeededBlobs(seed: own, size: size.high, isText: isText), size)
      }
    }
  }

  /// Whether an attribute can be set to a value that it does not have yet.
  static func isChangeable(_ attribute: Attribute) -> Bool {
    attribute.isPlain && attribute.type != .uuid
  }

  /// The attributes for which a new object has values.
  var names: [String] { attributes.map(\.name) + blobs.map(\.attribute.name) }

  /// The attributes in external storage.
  ///
  /// If a value is stored in the row, its first byte indicates this.
  var externalNames: Set<String> {
    Set(
      blobs.map(\.attribute).filter {
        kept[$0.name].map { $0.strategy == .externalStorage } ?? $0.allowsExternalStorage
      }.map(\.name)
    )
  }

  /// The values of a new object, in the order of the names.
  func values(of key: Int64) -> [Value] {
    plainValues(of: key) + blobValues(of: key).map(\.value)
  }

  private func plainValues(of key: Int64) -> [Value] {
    attributes.map { attribute in
      given[attribute.name]
        ?? (unique.contains(attribute.name)
          ? Self.unique(attribute, key)
          : attribute.within(row.value(of: attribute, key: key)))
    }
  }

  /// The new blobs and texts of a changed object, except texts that it already has.
  func blobValues(of change: StepOperation.ObjectChange) -> [PropertyValue] {
    guard let version = change.blobs else { return [] }
    return blobValues(of: change.key, version: version)
      .filter { !change.unchanged.contains($0.property) }
  }

  /// The blobs and texts of an object; those of a new object have version 0.
  func blobValues(of key: Int64, version: Int = 0) -> [PropertyValue] {
    blobs.map { attribute, bytes, size in
      let word = SplitMix64.word(
        seed &+ UInt64(version),
        SplitMix64.hash(attribute.name + ".size"),
        UInt64(bitPattern: key)
      )
      let some = bytes.bytes(of: key, version: version).prefix(size.size(word))
      let value: Value =
        attribute.type == .string
        ? .text(String(decoding: some, as: UTF8.self)) : .blob(Array(some))
      return (attribute.name, value)
    }
  }

  /// The values that a record gives to an existing object: the values of all attributes that need
  /// not be unique, without blobs and texts of a given size.
  func refreshed(by record: Int64) -> [PropertyValue] {
    zip(attributes.map(\.name), plainValues(of: record)).filter { !unique.contains($0.0) }
      .map { ($0, $1) }
  }

  private static func unique(_ attribute: Attribute, _ key: Int64) -> Value {
    switch attribute.type {
    case .string: .text("new \(attribute.name) \(key)")
    case .uri: .text("https://example.org/new/\(key)")
    case .uuid:
      .blob((0..<16).map { UInt8(truncatingIfNeeded: $0 < 8 ? key >> (8 * Int64($0)) : 0xA5) })
    case .double, .float, .date: .real(Double(key) + 0.125)
    case .boolean: .integer(key & 1)
    case .integer16: .integer(key % 32_768)
    default: .integer(1_000_000_000 + key)
    }
  }
}

extension Step {
  /// The properties whose values must differ between objects: those of uniqueness constraints, and
  /// the attribute by which an upsert finds objects.
  func uniqueNames(of entity: Entity, in model: Model) -> Set<String> {
    let constraints = model.lineage(of: entity).flatMap(\.uniquenessConstraints)
    return Set(constraints.joined()).union([upsert].compactMap(\.self))
  }
}

extension Step.Setting {
  enum Change {
    /// Sets any value that differs from the current one.
    case another
    case value(Value)
    case more(Value)
  }

  /// Parses the change that a step specifies for an attribute.
  ///
  /// - Throws: ``Refusal`` if the attribute cannot have the value.
  func change(of attribute: Attribute) throws -> Change {
    func refuse(_ reason: String) -> Refusal { .badInput("'\(name)' \(reason)") }
    guard StepValues.isChangeable(attribute) || attribute.type == .uuid && text != nil else {
      if Step.blobTypes.contains(attribute.type) {
        throw refuse("gets no new value by 'set': write 'blobs: { \(name): 10 KB }'")
      }
      throw refuse(
        "gets no new value: name an attribute that is not derived, and no blob or identifier"
      )
    }
    guard !isEmptied else {
      guard attribute.isOptional else { throw refuse("must have a value: write one") }
      return .value(.null)
    }
    guard let text else {
      guard attribute.changed(1) != attribute.changed(2) else {
        let limit = attribute.limit(brokenBy: attribute.anyValue(1))
        throw refuse(limit ?? "can have one value only: write 'set: { \(name): VALUE }'")
      }
      return .another
    }
    let numbers: [AttributeType] = [
      .integer16, .integer32, .integer64, .decimal, .double, .float, .date,
    ]
    let isMore = text.hasPrefix("+") && numbers.contains(attribute.type)
    if text.hasPrefix("+"), isText != true, [.string, .uri].contains(attribute.type) {
      throw refuse("is a text, to which nothing is added: write \"\(text)\" in quotes to set it")
    }
    guard
      let value = try Condition.Literal.value(
        isMore ? String(text.dropFirst()) : text,
        of: attribute
      )
    else {
      guard attribute.isOptional, !isMore else { throw refuse("must have a value: write one") }
      return .value(.null)
    }
    guard !isMore else { return .more(value) }
    if let limit = attribute.limit(brokenBy: value) {
      let isNegative = text.hasPrefix("-") && numbers.contains(attribute.type)
      throw refuse(limit + (isNegative ? ", or '+\(text)' to subtract" : ""))
    }
    return .value(value)
  }
}

extension Value {
  /// The sum of two numbers, where NULL counts as 0; `nil` if it is beyond the integer type.
  func plus(_ other: Value, of type: AttributeType) -> Value? {
    if let number = integer ?? (self == .null ? 0 : nil), let added = other.integer {
      let sum = number.addingReportingOverflow(added)
      let range = Condition.Literal.ranges[type]
      guard !sum.overflow, range?.contains(sum.partialValue) != false else { return nil }
      return .integer(sum.partialValue)
    }
    let sum = (number ?? 0) + (other.number ?? 0)
    let isWhole = type == .decimal || type == .date
    return isWhole ? Int64(exactly: sum).map { .integer($0) } ?? .real(sum) : .real(sum)
  }
}
