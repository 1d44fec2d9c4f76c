import DataModel
import PersistentStore

extension CustomStage {
  /// By entity the attribute whose bytes nobody can tell but who reads them.
  func recoded(in model: Model) -> [String: Set<String>] {
    guard transformation == .codableJSON, let entity = model.entity(named: destinationEntity) else {
      return [:]
    }
    return Dictionary(
      model.family(of: entity).map { ($0.name, [destinationAttribute]) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Names the objects that had a zero of their own, and whose value the stage changed nevertheless.
  func losses(on original: StoreContent, _ mapping: MappingModel) throws -> [String] {
    guard transformation == .zeroToOne, let entity = mapping.mapping(to: destinationEntity),
      let source = entity.source,
      let former = entity.attributes.first(where: {
        $0.destination.name == destinationAttribute
      })?.source?.name
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
      "\(count) objects had 0 as '\(former)' of their own and have 1 now: \(source) \(names)"
        + (count > first.count ? " and \(count - first.count) more" : "")
    ]
  }
}
