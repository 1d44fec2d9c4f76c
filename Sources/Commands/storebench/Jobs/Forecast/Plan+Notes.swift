import Runner

extension Plan {
  /// What was chosen in place of what the files say, and what was left out.
  ///
  /// That a store is small is none of it: the ladder's stores are not.
  var forecastNotes: [String] {
    var notes: [String] = []
    for note in workloads.flatMap(\.cases).flatMap(\.notes) where !notes.contains(note) {
      notes.append(note)
    }
    let small = notes.filter { note in remarks.contains { $0.hasPrefix(note) } }
    let leftOut = remarks.filter { remark in
      !remark.hasPrefix(" ") && !small.contains(where: remark.hasPrefix)
    }
    return notes.filter { !small.contains($0) } + leftOut
  }
}
