import DataModel

/// A keyed archive as Xcode's model editor writes it: the `elements` file of early versions, or the
/// copy of a model in a mapping model.
package struct EditorArchive {
  private var objects: [PropertyList] = [.string("$null")]

  package init() {}

  private mutating func add(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(objects.count - 1)
  }

  package mutating func text(_ text: String) -> PropertyList { add(.string(text)) }

  private mutating func object(_ name: String, _ fields: [String: PropertyList]) -> PropertyList {
    let kind = add(.dictionary(["$classname": .string(name), "$classes": .array([.string(name)])]))
    return add(.dictionary(fields.merging(["$class": kind]) { first, _ in first }))
  }

  private mutating func dictionary(_ entries: [(String, PropertyList)]) -> PropertyList {
    let keys = entries.map { text($0.0) }
    return object(
      "NSMutableDictionary",
      ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.1))]
    )
  }

  private mutating func stereotype(_ facts: [(String, PropertyList)]) -> PropertyList {
    let owned = facts.map { ($0.0, object("XDUMLPropertyImp", ["_default": $0.1])) }
    let inside = dictionary(owned)
    let one = object("XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": inside])
    return dictionary([("XD_PStereotype", one)])
  }

  package mutating func attribute(_ name: String, _ facts: [(String, PropertyList)]) -> PropertyList
  {
    object(
      "XDPMAttribute",
      ["_name": text(name), "XDBucketForStereotypesstorage": stereotype(facts)]
    )
  }

  package mutating func entity(_ name: String, _ properties: [(String, PropertyList)])
    -> PropertyList
  {
    object(
      "XDPMEntity",
      [
        "_name": text(name),
        "XDBucketForStereotypesstorage": stereotype([("XD_PSK_entityClassName", text(name))]),
        "XDBucketForOwnedAttributesstorage": dictionary(properties),
      ]
    )
  }

  package mutating func model(_ entities: [(String, PropertyList)]) -> [UInt8] {
    let package = object("XDModelPackage", ["XDBucketForClassesstorage": dictionary(entities)])
    let root = object("XDPMModel", ["_xd_rootPackage": package])
    return PropertyList.dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": root]), "$objects": .array(objects),
    ]).binary()
  }
}
