/// Collects the objects of a keyed archive; equal texts are written once.
struct ArchiveEncoder {
  /// What stands for no object.
  static let null = PropertyList.uid(0)

  private var objects: [PropertyList] = [.string("$null")]
  /// By their bytes: texts that compare equal can still differ.
  private var texts: [[UInt8]: Int] = [:]
  private var classes: [String: Int] = [:]

  /// An object whose content comes later, so that others can refer to it.
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
    return add(
      className,
      ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))]
    )
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

  /// The classes between one and NSObject, as real archives list them.
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
