/// The children of every parent, ascending: one pass over all children, where each knows its parent.
struct ChildLists: Sendable {
  private let starts: [UInt32]
  private let children: [UInt32]

  init(parents: Int, children count: Int, parent: (Int) -> Int?) {
    var starts = [UInt32](repeating: 0, count: parents + 2)
    for child in 0..<count {
      if let parent = parent(child) { starts[parent + 2] += 1 }
    }
    for index in 2..<(parents + 2) { starts[index] += starts[index - 1] }
    var children = [UInt32](repeating: 0, count: Int(starts[parents + 1]))
    for child in 0..<count {
      guard let parent = parent(child) else { continue }
      children[Int(starts[parent + 1])] = UInt32(child)
      starts[parent + 1] += 1
    }
    self.starts = starts
    self.children = children
  }

  subscript(parent: Int) -> [Int] {
    (Int(starts[parent])..<Int(starts[parent + 1])).map { Int(children[$0]) }
  }
}
