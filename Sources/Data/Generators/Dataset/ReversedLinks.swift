import Synchronization

/// A many-to-many relationship that can be asked from both sides.
///
/// From the source's side any row is made alone; the other side is one pass over all sources, made
/// once when it is first asked for.
final class ReversedLinks: Sendable {
  private struct Lists {
    let starts: [Int]
    let sources: [UInt32]
  }

  let links: Links
  private let lists = Mutex<Lists?>(nil)

  init(_ links: Links) {
    self.links = links
  }

  /// The sources that lead to a target, ascending.
  func sources(of target: Int) -> [Int] {
    let lists = reversed()
    return (lists.starts[target]..<lists.starts[target + 1]).map { Int(lists.sources[$0]) }
  }

  private func reversed() -> Lists {
    lists.withLock { made in
      if let made { return made }
      let lists = makeLists()
      made = lists
      return lists
    }
  }

  private func makeLists() -> Lists {
    var starts = [Int](repeating: 0, count: links.targets + 2)
    var chosen: [Int] = []
    for source in 0..<links.sources {
      chosen.removeAll(keepingCapacity: true)
      links.append(targetsOf: source, to: &chosen)
      for target in chosen { starts[target + 2] += 1 }
    }
    for index in 2..<starts.count { starts[index] += starts[index - 1] }
    var sources = [UInt32](repeating: 0, count: starts[links.targets + 1])
    for source in 0..<links.sources {
      chosen.removeAll(keepingCapacity: true)
      links.append(targetsOf: source, to: &chosen)
      for target in chosen {
        sources[starts[target + 1]] = UInt32(source)
        starts[target + 1] += 1
      }
    }
    return Lists(starts: starts, sources: sources)
  }
}
