import Foundation

/// A machine's unit costs, measured by `storebench calibrate` or by its source in an app.
package struct MachineProfile: Codable, Hashable, Sendable {
  /// The version of the file's form.
  package static let currentFormat = 1

  package var format: Int
  package var machine: String
  package var sqlite: String
  package var costs: UnitCosts

  package init(machine: String, sqlite: String, costs: UnitCosts) {
    format = Self.currentFormat
    self.machine = machine
    self.sqlite = sqlite
    self.costs = costs
  }

  /// Reads a profile's JSON.
  ///
  /// - Throws: ``ForecastingError`` for anything else.
  package init(json: Data, path: String) throws {
    guard let profile = try? JSONDecoder().decode(MachineProfile.self, from: json) else {
      throw ForecastingError.notAProfile(path: path)
    }
    guard profile.format == Self.currentFormat, profile.costs.isSound else {
      throw ForecastingError.unusableProfile(path: path)
    }
    self = profile
  }
}

extension MachineScale {
  /// What two machines do differently beside their unit costs, as a deviation: an assumption.
  package static let unlikeness = 0.1

  /// The scale from this machine to that of a profile, both measured alike.
  package init(to profile: MachineProfile, from here: UnitCosts) {
    let factor = profile.costs.row / here.row
    // What scatters from round to round leaves the factor as uncertain, on either machine.
    let scatters = [Self.unlikeness, profile.costs.scatter ?? 0, here.scatter ?? 0]
    self.init(
      name: profile.machine,
      factor: factor,
      // The sync of this machine is in the times already, scaled with them.
      secondsPerSync: profile.costs.sync - here.sync * factor,
      variance: scatters.reduce(0) { $0 + $1 * $1 },
      freedom: 8
    )
  }
}
