import DataModel

/// A model with one optional attribute more, the smallest change that a release makes.
///
/// Written `+ENTITY` where a model's path may stand: every store has such a version.
struct AdditiveVersion {
  static let prefix = "+"

  let model: Model

  /// `nil` where the text is a path and no such version.
  ///
  /// - Throws: ``MigrationCaseError/unknownEntity(_:known:)``.
  init?(_ text: String, of model: Model) throws {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let name = String(text.dropFirst(Self.prefix.count))
    guard let index = model.entities.firstIndex(where: { $0.name == name }) else {
      throw MigrationCaseError.unknownEntity(name, known: model.entities.map(\.name))
    }
    let taken = Set(
      model.entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
    )
    var attribute = "addition"
    while taken.contains(attribute) { attribute += "More" }
    var entities = model.entities
    entities[index].attributes.append(Attribute(name: attribute, type: .string))
    self.model = Model(
      entities: entities,
      versionIdentifiers: model.versionIdentifiers,
      configurations: model.configurations
    )
  }
}
