#if SwiftSource
  import SwiftModels

  struct SourceNotes {
    private static let most = 1000

    private(set) var all: [SourceNote] = []
    private var known: Set<SourceNote> = []

    mutating func add(_ note: SourceNote) {
      guard all.count <= Self.most, known.insert(note).inserted else { return }
      all.append(
        all.count < Self.most
          ? note : SourceNote("there is more of this kind than \(Self.most) notes; not listed")
      )
    }
  }
#endif
