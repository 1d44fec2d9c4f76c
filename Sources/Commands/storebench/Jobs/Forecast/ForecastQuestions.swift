import ArgumentParser
import Forecasting
import Foundation
import Runner

/// How much of a ladder is measured.
enum ForecastLadder: String, CaseIterable, ExpressibleByArgument {
  case full
  case quick

  var design: LadderDesign {
    switch self {
    case .full: .full()
    case .quick: .quick()
    }
  }
}

enum ForecastFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

/// What is asked of a forecast, its files read but not yet understood.
struct ForecastQuestions {
  /// A size that somebody wants to know of.
  enum Size: Hashable {
    case objects(Double)
    case bytes(Double)
    /// Objects of one entity, those of the others in proportion.
    case entity(String, Double)
  }

  var sizes: [Size] = []
  var budgets: [ResourceBudget] = ResourceBudget.launch
  var population: TextInput?
  var observed: TextInput?
  var profile: TextInput?
  /// The unit costs of this machine, measured where a profile of another one is given.
  var here: UnitCosts?

  /// Reads what can be wrong in the files before anything is measured.
  ///
  /// - Throws: ``ForecastingError``
  func check(shape: EntityShape) throws {
    let known = Set(shape.entities.map { $0.lowercased() })
    for case .entity(let name, _) in sizes where !known.contains(name.lowercased()) {
      throw ForecastingError.unknownEntity(name: name, known: shape.entities)
    }
    // Sizes in bytes are objects of some size or other, as long as nothing was measured.
    let scale = SizeScale(shape: shape) { $0 / 500 }
    if let population {
      _ = try Population(csv: population.text, path: population.path, scale: scale)
    }
    if let observed {
      _ = try ObservedMigration.read(csv: observed.text, path: observed.path, scale: scale)
    }
    if let profile { _ = try MachineProfile(json: profile.data, path: profile.path) }
  }
}

/// A small file of somebody's, read whole.
struct TextInput {
  private static let mostBytes: UInt64 = 64 << 20

  let path: String
  let text: String

  var data: Data { Data(text.utf8) }

  /// Reads a file.
  ///
  /// - Throws: ``RunnerError/noSuchInput(path:)``, and ``ForecastingError`` for what is no text.
  init(path: String) throws {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let attributes, let size = attributes[.size] as? UInt64 else {
      throw RunnerError.noSuchInput(path: path)
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw ForecastingError.notAFile(path: path)
    }
    guard size <= Self.mostBytes else {
      throw ForecastingError.tooLarge(path: path, limit: "64 MB")
    }
    // A file of zeros is text in UTF-8 as well.
    guard let text = try? String(contentsOfFile: path, encoding: .utf8),
      !text.utf8.contains(0)
    else {
      throw ForecastingError.notReadable(path: path)
    }
    self.path = path
    self.text = text
  }
}
