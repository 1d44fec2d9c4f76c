import Basics
import Foundation

/// The observations (measured runs) of one case, cached between runs and sessions.
struct LadderFile {
  private struct Content: Codable {
    struct Entry: Codable {
      var objects: Int
      var isAnchor: Bool
      var cacheDivisor: Int
      var observation: Observation
    }

    static let currentFormat = 1

    var format = currentFormat
    var entries: [Entry] = []
  }

  /// The maximum size of a file in bytes; no ladder (runs on stores of increasing size) needs a
  /// larger file.
  private static let mostBytes = 16 << 20

  private let path: String
  private let turns: [LadderDesign.Turn]
  private var content = Content()
  /// The observations, keyed by their turn (the run's index) in the design.
  private(set) var kept: [Int: Observation] = [:]

  /// Reads the cached observations and assigns each to a matching turn of the design; ignores a
  /// damaged file.
  init(path: String, design: LadderDesign) {
    self.path = path
    turns = design.turns
    guard let data = FileManager.default.contents(atPath: path), data.count <= Self.mostBytes,
      let found = try? JSONDecoder().decode(Content.self, from: data),
      found.format == Content.currentFormat
    else { return }
    content = found
    for entry in found.entries where entry.observation.isSound {
      let fitting = turns.indices.first { index in
        kept[index] == nil && turns[index].objects == entry.objects
          && turns[index].isAnchor == entry.isAnchor
          && turns[index].cacheDivisor == entry.cacheDivisor
      }
      if let fitting { kept[fitting] = entry.observation }
    }
  }

  /// Removes the file if it exists.
  ///
  /// - Throws: ``Refusal/cannotWrite(_:reason:)``
  func remove() throws {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw Refusal.cannotWrite(path)
  }

  var observations: [Observation] { kept.sorted { $0.key < $1.key }.map(\.value) }

  /// Saves an observation immediately and atomically.
  ///
  /// - Throws: ``Refusal/cannotWrite(_:reason:)``
  mutating func keep(_ observation: Observation, turn: Int) throws {
    kept[turn] = observation
    content.entries.append(
      Content.Entry(
        objects: turns[turn].objects,
        isAnchor: turns[turn].isAnchor,
        cacheDivisor: turns[turn].cacheDivisor,
        observation: observation
      )
    )
    do {
      let url = URL(fileURLWithPath: path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try JSONEncoder.document().encode(content).write(to: url, options: .atomic)
    } catch {
      throw Refusal.cannotWrite(path)
    }
  }
}
