import Basics
import DataModel
import PersistentStore

/// The expected result of a case's transformation of values.
///
/// The rule is selected by the value of the case's parameter, and shares no code with the
/// migration.
struct ExpectedTransformation {
  private enum Rule {
    case add
    case capitals
    case floor
    case ones
    /// Leaves archives as they are, because another check compares them with Foundation's readers.
    case archive
  }

  private let rule: Rule
  private let greatest: Int64

  /// Looks up the transformation that a case names for an attribute; `nil` if the attribute's type
  /// does not allow it.
  init?(named name: String, of attribute: Attribute) {
    switch attribute.type {
    case .integer16: greatest = 0x7fff
    case .integer32: greatest = 0x7fff_ffff
    default: greatest = 0x7fff_ffff_ffff_ffff
    }
    switch (name, attribute.type) {
    case ("automatic", .integer16), ("automatic", .integer32), ("automatic", .integer64),
      ("oneBased", _):
      rule = .add
    case ("automatic", .string), ("uppercased", _): rule = .capitals
    case ("automatic", .date), ("wholeSeconds", _): rule = .floor
    case ("zeroToOne", _): rule = .ones
    case ("automatic", .transformable), ("codableJSON", _): rule = .archive
    default: return nil
    }
  }

  /// Whether the transformation changes only the encoding of values, not their meaning.
  var isRecoding: Bool { rule == .archive }
  /// Whether the transformation also changes zeros that an app set on purpose.
  var losesZeros: Bool { rule == .ones }

  func callAsFunction(_ value: ContentValue) -> ContentValue {
    switch (rule, value) {
    case (.add, .integer(let number)):
      number >= greatest ? value : .integer(number &+ 1)
    case (.ones, .integer(let number)): number.magnitude < 1 ? .integer(1) : value
    case (.capitals, .text(let text)):
      .text(
        String(
          String.UnicodeScalarView(
            text.unicodeScalars.map { scalar in
              ("a"..."z").contains(scalar)
                ? Unicode.Scalar(UInt8(ascii: scalar) ^ 0b10_0000) : scalar
            }
          )
        )
      )
    case (.floor, .real(let seconds)): Self.whole(seconds)
    default: value
    }
  }

  /// Rounds a time down to whole seconds, as an integer, because date columns store whole seconds
  /// as integers.
  private static func whole(_ seconds: Double) -> ContentValue {
    guard seconds.magnitude < 0x1p62 else { return .real(seconds) }
    let cut = Int64(seconds)
    return .integer(Double(cut) > seconds ? cut - 1 : cut)
  }
}

struct ExpectedStage {
  let entity: String
  let attribute: String
  /// The attribute to transform, as named in the new model.
  ///
  /// A backfill writes the results to another attribute.
  let former: String
  let transformation: ExpectedTransformation

  init?(_ parameters: MigrationParameters, _ mapping: MappingModel) {
    for found in mapping.entities where found.source != nil {
      guard parameters.entity.isEmpty || found.destination == parameters.entity,
        let (old, new) = Self.attributes(of: found, parameters),
        let transformation = ExpectedTransformation(
          named: parameters.transformation.rawValue,
          of: new
        )
      else { continue }
      (entity, attribute, former) = (found.destination, new.name, old.name)
      self.transformation = transformation
      return
    }
    return nil
  }

  private static func attributes(
    of entity: EntityMapping,
    _ parameters: MigrationParameters
  ) -> (old: Attribute, new: Attribute)? {
    let named = entity.attributes.filter {
      parameters.attribute.isEmpty || $0.destination.name == parameters.attribute
    }
    switch parameters.strategy {
    case .customStage:
      let kept = named.first { $0.source != nil }
      return kept.map { ($0.destination, $0.destination) }
    case .additive:
      guard let new = named.first(where: { $0.source == nil })?.destination else { return nil }
      let old = entity.attributes.first {
        $0.source != nil && $0.destination.type == new.type
          && (parameters.beside.isEmpty || $0.destination.name == parameters.beside)
      }
      return old.map { ($0.destination, new) }
    default: return nil
    }
  }

  func apply(to expected: inout ExpectedContent) throws {
    try expected.change(entity) { object in
      guard let value = object[former], value != .null else { return }
      try object.set(attribute, transformation(value))
    }
  }

  /// The attributes whose values are decoded before they are compared, by entity.
  func recoded(in model: Model) -> [String: Set<String>] {
    guard transformation.isRecoding, let entity = model.entity(named: entity) else { return [:] }
    return Dictionary(
      keepingFirst: model.family(of: entity).map { ($0.name, [attribute]) }
    )
  }

  /// Lists the objects whose 0 was set on purpose but was changed by the stage.
  func losses(on original: StoreContent, _ mapping: MappingModel) throws -> [String] {
    guard transformation.losesZeros, let entity = mapping.mapping(to: entity),
      let source = entity.source,
      let former = entity.attributes.first(where: { $0.destination.name == attribute })?.source?
        .name
    else { return [] }
    var (count, first) = (0, [Int64]())
    let cursor = try original.objects(of: source)
    while let object = try cursor.next() {
      guard object[former] == .integer(0) else { continue }
      count += 1
      if first.count < 5 { first.append(object.key) }
    }
    guard count > 0 else { return [] }
    let names = first.map(String.init).joined(separator: ", ")
    return [
      "\(count) objects really had '\(former)' = 0, and have 1 now: \(source) \(names)"
        + (count > first.count ? " and \(count - first.count) more" : "")
    ]
  }
}
