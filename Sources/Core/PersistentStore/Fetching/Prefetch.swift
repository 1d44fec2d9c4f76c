import Basics

/// A relationship whose targets are loaded with the objects of a fetch.
struct Prefetch {
  let relationship: String
  /// The relationships of the targets whose own targets are loaded next.
  private(set) var next: [Prefetch] = []

  private init(_ relationship: String) { self.relationship = relationship }

  /// Parses key paths; paths with a common prefix share its relationships.
  static func list(of paths: [String]) -> [Prefetch] {
    var list: [Prefetch] = []
    for path in paths { add(path.pathNames[...], to: &list) }
    return list
  }

  private static func add(_ names: ArraySlice<String>, to list: inout [Prefetch]) {
    guard let name = names.first else { return }
    let place: Int
    if let known = list.firstIndex(where: { $0.relationship == name }) {
      place = known
    } else {
      place = list.count
      list.append(Prefetch(name))
    }
    add(names.dropFirst(), to: &list[place].next)
  }
}
