import DataModel
import PersistentStore
import Runner

extension BlobStorageWorkload {
  package static var fitsStores: Bool { true }

  package static func fit(_ fit: inout CaseFit, to store: StoreOffer) {
    let parameters = BlobParameters(fit.values)
    guard let entity = chooseEntity(&fit, parameters, store) else { return }
    let name = parameters.attribute
    guard name.isEmpty else {
      fit.look(parameters.$attribute) { _ = try BlobModel.blob(name, of: entity, in: store.model) }
      return
    }
    if let blob = BlobModel.binaryAttributes(of: entity, in: store.model).first {
      fit.choose(
        parameters.$attribute,
        blob,
        because: "the blob stands for '\(entity.name).\(blob)'"
      )
    } else {
      fit.note("the blob is an attribute more: '\(entity.name)' has no binary one")
    }
  }

  private static func chooseEntity(
    _ fit: inout CaseFit,
    _ parameters: BlobParameters,
    _ store: StoreOffer
  ) -> Entity? {
    let (name, model) = (parameters.entity, store.model)
    guard name.isEmpty else {
      var found: Entity?
      fit.look(parameters.$entity) { found = try BlobModel.entity(name, of: model) }
      return found
    }
    let concrete = store.layout.numbers.entities.filter { !$0.isAbstract }
    let holders = concrete.filter { !BlobModel.binaryAttributes(of: $0, in: model).isEmpty }
    let holder = holders.first(largestBy: { store.ownCount(of: $0.name) })
    guard let entity = holder ?? concrete.first(largestBy: { model.attributes(of: $0).count })
    else {
      fit.ruleOut("\(BlobStorageError.noEntity)")
      return nil
    }
    let reason =
      holder == nil
      ? "the one with most attributes" : "the one with most objects of those with a blob"
    fit.choose(
      parameters.$entity,
      entity.name,
      because: "objects have the plain attributes of '\(entity.name)', \(reason)"
    )
    return entity
  }
}

extension Array {
  /// The first of the elements with the largest number.
  fileprivate func first(largestBy number: (Element) -> Int) -> Element? {
    var best: (element: Element, number: Int)?
    for element in self where number(element) > best?.number ?? -1 {
      best = (element, number(element))
    }
    return best?.element
  }
}
