@testable import Inspector

extension StoreSurvey {
  /// The rules that the survey reports, each once, in name order.
  var rules: [String] { Set(findings.map(\.rule)).sorted() }

  func entity(_ name: String) -> EntitySurvey? { entities.first { $0.name == name } }

  func attribute(_ name: String, of entity: String) -> EntitySurvey.Attribute? {
    self.entity(entity)?.attributes.first { $0.name == name }
  }

  func relationship(_ name: String, of entity: String) -> EntitySurvey.Relationship? {
    self.entity(entity)?.relationships.first { $0.name == name }
  }
}
