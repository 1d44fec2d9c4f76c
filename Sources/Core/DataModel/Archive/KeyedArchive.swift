import Basics

/// The objects of a keyed archive, and notes about the parts that could not be read.
///
/// Archives may share or repeat objects, so the number of items that are read is limited.
final class ArchiveDecoder {
  private static let mostItems = 1_000_000

  struct Object {
    let uid: Int
    let className: String
    let fields: [String: PropertyList]
  }

  private let objects: [PropertyList]
  let root: PropertyList
  private var notes = ModelNotes()
  private var itemsLeft = ArchiveDecoder.mostItems

  init(_ bytes: [UInt8]) throws {
    // Old tools wrote some archives as XML. In archives from custom coders, the root may have
    // another name.
    let isBinary = bytes.starts(with: Array("bplist".utf8))
    let list = isBinary ? try PropertyList(binary: bytes) : try PropertyList(archivedMarkup: bytes)
    let (archive, top) = (list.dictionary ?? [:], list.dictionary?["$top"]?.dictionary ?? [:])
    guard let objects = archive["$objects"]?.array,
      let root = top["root"] ?? (top.count == 1 ? top.first?.value : nil)
    else { throw Refusal.damagedArchive(reason: "it is not a keyed archive") }
    self.objects = objects
    self.root = root
  }

  var unknown: [String] { notes.sentences }

  func note(_ text: String, action: String = "left out", kind: String? = nil) {
    notes.add(text, at: nil, action: action, kind: kind)
  }

  func resolved(_ value: PropertyList?) throws -> PropertyList? {
    guard case .uid(let uid)? = value else { return value }
    guard uid < objects.count else { throw damage("reference \(uid) has no target") }
    // The object at index 0 is `$null`.
    if uid == 0 { return nil }
    if case .uid = objects[uid] { throw damage("object \(uid) is a reference") }
    return objects[uid]
  }

  func object(_ value: PropertyList?) throws -> Object? {
    guard let fields = try resolved(value)?.dictionary, case .uid(let uid)? = value else {
      return nil
    }
    guard let name = try resolved(fields["$class"])?.dictionary?["$classname"]?.string else {
      throw damage("object \(uid) has no class")
    }
    return Object(uid: uid, className: name, fields: fields)
  }

  func required(_ value: PropertyList?, _ classes: String...) throws -> Object {
    guard let object = try object(value), classes.contains(object.className) else {
      throw damage("a required \(classes[0]) is missing")
    }
    return object
  }

  func string(_ value: PropertyList?) throws -> String? {
    switch try resolved(value) {
    case .string(let text)?: return text
    // A mutable string is archived as an object that contains the string.
    case .dictionary(let fields)?: return fields["NS.string"]?.string
    default: return nil
    }
  }

  func requiredString(_ value: PropertyList?, _ what: String) throws -> String {
    guard let text = try string(value) else { throw damage("\(what) has no name") }
    return text
  }

  func items(_ value: PropertyList?) throws -> [PropertyList] {
    guard let object = try object(value) else { return [] }
    guard let items = object.fields["NS.objects"]?.array else {
      throw damage("a \(object.className) has no items")
    }
    try spend(items.count)
    return items
  }

  func entries(_ value: PropertyList?) throws -> [(key: String, value: PropertyList)] {
    guard let object = try object(value) else { return [] }
    let keys: [PropertyList]
    let values: [PropertyList]
    if object.className == "NSKnownKeysDictionary1" {
      let mapping = try self.object(object.fields["searchMapping"])?.fields["keys"]
      (keys, values) = (try items(mapping), try items(object.fields["values"]))
    } else {
      keys = object.fields["NS.keys"]?.array ?? []
      values = object.fields["NS.objects"]?.array ?? []
    }
    guard keys.count == values.count else { throw damage("a dictionary lacks keys or values") }
    try spend(keys.count)
    let names = try keys.map { try requiredString($0, "a key") }
    guard Set(names).count == names.count else { throw damage("a dictionary has a key twice") }
    return zip(names, values).sorted {
      $0.0.utf8.lexicographicallyPrecedes($1.0.utf8)
    }.map { (key: $0.0, value: $0.1) }
  }

  func check(_ object: Object, knows keys: Set<String>, as what: String) {
    for key in object.fields.keys.sorted() where key != "$class" && !keys.contains(key) {
      let kind = "\(object.className) \(key)"
      note(
        "\(what): the key \(key) of \(object.className) is unknown",
        action: "ignored",
        kind: kind
      )
    }
  }

  private func spend(_ count: Int) throws {
    itemsLeft -= count
    guard itemsLeft >= 0 else {
      throw damage("it refers to more than \(ArchiveDecoder.mostItems) objects")
    }
  }

  func damage(_ reason: String) -> Refusal {
    .damagedArchive(reason: reason)
  }
}

/// Collects the objects of a keyed archive; equal strings are written once.
struct ArchiveEncoder {
  static let null = PropertyList.uid(0)

  private var objects: [PropertyList] = [.string("$null")]
  /// The keys are UTF-8 bytes, because strings that compare equal can have different bytes.
  private var texts: [[UInt8]: Int] = [:]
  private var classes: [String: Int] = [:]

  /// Reserves an object that is filled later, so that other objects can already refer to it.
  mutating func reserve() -> Int {
    objects.append(.boolean(false))
    return objects.count - 1
  }

  mutating func fill(_ uid: Int, _ className: String, _ fields: [String: PropertyList]) {
    var fields = fields
    fields["$class"] = classReference(className)
    objects[uid] = .dictionary(fields)
  }

  mutating func add(_ className: String, _ fields: [String: PropertyList]) -> PropertyList {
    let uid = reserve()
    fill(uid, className, fields)
    return .uid(uid)
  }

  mutating func text(_ text: String?) -> PropertyList {
    guard let text else { return ArchiveEncoder.null }
    let bytes = Array(text.utf8)
    if let uid = texts[bytes] { return .uid(uid) }
    objects.append(.string(text))
    texts[bytes] = objects.count - 1
    return .uid(objects.count - 1)
  }

  mutating func scalar(_ value: PropertyList) -> PropertyList {
    objects.append(value)
    return .uid(objects.count - 1)
  }

  mutating func list(_ className: String, _ items: [PropertyList]) -> PropertyList {
    add(className, ["NS.objects": .array(items)])
  }

  mutating func dictionary(
    _ className: String,
    _ entries: [(key: String, value: PropertyList)]
  ) -> PropertyList {
    let keys = entries.map { text($0.key) }
    return add(className, ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))])
  }

  func archive(root: Int) -> [UInt8] {
    PropertyList.dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": .uid(root)]), "$objects": .array(objects),
    ]).binary()
  }

  private mutating func classReference(_ name: String) -> PropertyList {
    if let uid = classes[name] { return .uid(uid) }
    let lineage = [name] + (ArchiveEncoder.superclasses[name] ?? []) + ["NSObject"]
    objects.append(
      .dictionary([
        "$classname": .string(name), "$classes": .array(lineage.map { .string($0) }),
      ])
    )
    classes[name] = objects.count - 1
    return .uid(objects.count - 1)
  }

  /// The superclasses of each class up to NSObject, as real archives list them.
  private static let superclasses: [String: [String]] = [
    "NSAttributeDescription": ["NSPropertyDescription"],
    "NSComparisonPredicate": ["NSPredicate"],
    "NSComparisonPredicateOperator": ["NSPredicateOperator"],
    "NSConstantValueExpression": ["NSExpression"],
    "NSDecimalNumberPlaceholder": ["NSDecimalNumber", "NSNumber", "NSValue"],
    "NSKnownKeysDictionary1": ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"],
    "NSKnownKeysMappingStrategy1": ["NSKnownKeysMappingStrategy"],
    "NSMutableArray": ["NSArray"],
    "NSMutableDictionary": ["NSDictionary"],
    "NSRelationshipDescription": ["NSPropertyDescription"],
    "NSSelfExpression": ["NSExpression"],
  ]
}
