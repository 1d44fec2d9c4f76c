import Synchronization

extension CountingVFS {
  private static let slot = Mutex<CountingVFS?>(nil)

  /// The one that everything in this process opens files through; `nil` where none was installed.
  package static var installed: CountingVFS? { slot.withLock { $0 } }

  /// Makes a counting VFS the default of this process, for good; do it before anything is opened.
  ///
  /// - Throws: ``SQLiteError`` where SQLite refuses it.
  @discardableResult
  package static func install(faults: FaultInjector? = nil) throws -> CountingVFS {
    try slot.withLock { installed in
      if let installed { return installed }
      let vfs = try CountingVFS(name: "storebench", faults: faults, isDefault: true)
      installed = vfs
      return vfs
    }
  }
}
