import CSQLite

/// A VFS as SQLite sees it, followed by the VFS to which it forwards calls, in raw memory that
/// never moves.
struct VFSShim {
  var vfs: sqlite3_vfs
  let real: UnsafeMutablePointer<sqlite3_vfs>
  let owner: Unmanaged<CountingVFS>

  init(
    name: UnsafePointer<CChar>,
    real: UnsafeMutablePointer<sqlite3_vfs>,
    owner: Unmanaged<CountingVFS>
  ) {
    vfs = real.pointee
    self.real = real
    self.owner = owner
    vfs.iVersion = min(3, vfs.iVersion)
    vfs.szOsFile = Int32(CountingFile.headerBytes) + real.pointee.szOsFile
    vfs.zName = name
    vfs.pNext = nil
    vfs.pAppData = nil
    addCounted()
    addForwarded()
    addLoading()
    addSystemCalls()
  }

  private static func at(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?
  ) -> UnsafeMutablePointer<VFSShim>? {
    UnsafeMutableRawPointer(vfs)?.assumingMemoryBound(to: VFSShim.self)
  }

  private mutating func addCounted() {
    vfs.xOpen = { vfs, path, file, flags, outFlags in
      guard let shim = Self.at(vfs), let file else { return SQLITE_MISUSE }
      return shim.pointee.owner.takeUnretainedValue().open(path, file, flags, outFlags)
    }
    vfs.xDelete = { vfs, path, syncsFolder in
      guard let shim = Self.at(vfs), let path else { return SQLITE_MISUSE }
      return shim.pointee.owner.takeUnretainedValue().delete(path, syncsFolder: syncsFolder)
    }
  }

  // Forward each call with the address of the real VFS, which that VFS needs to find its data.
  private mutating func addForwarded() {
    vfs.xAccess = { vfs, path, flags, result in
      guard let real = Self.at(vfs)?.pointee.real else { return SQLITE_MISUSE }
      return real.pointee.xAccess?(real, path, flags, result) ?? SQLITE_IOERR
    }
    vfs.xFullPathname = { vfs, path, size, result in
      guard let real = Self.at(vfs)?.pointee.real else { return SQLITE_MISUSE }
      return real.pointee.xFullPathname?(real, path, size, result) ?? SQLITE_CANTOPEN
    }
    vfs.xRandomness = { vfs, size, bytes in
      guard let real = Self.at(vfs)?.pointee.real else { return 0 }
      return real.pointee.xRandomness?(real, size, bytes) ?? 0
    }
    vfs.xSleep = { vfs, microseconds in
      guard let real = Self.at(vfs)?.pointee.real else { return 0 }
      return real.pointee.xSleep?(real, microseconds) ?? 0
    }
    vfs.xCurrentTime = { vfs, time in
      guard let real = Self.at(vfs)?.pointee.real else { return SQLITE_MISUSE }
      return real.pointee.xCurrentTime?(real, time) ?? SQLITE_ERROR
    }
    vfs.xCurrentTimeInt64 = { vfs, time in
      guard let real = Self.at(vfs)?.pointee.real else { return SQLITE_MISUSE }
      return real.pointee.xCurrentTimeInt64?(real, time) ?? SQLITE_ERROR
    }
    vfs.xGetLastError = { vfs, size, text in
      guard let real = Self.at(vfs)?.pointee.real else { return 0 }
      return real.pointee.xGetLastError?(real, size, text) ?? 0
    }
  }

  private mutating func addLoading() {
    vfs.xDlOpen = { vfs, path in
      guard let real = Self.at(vfs)?.pointee.real else { return nil }
      return real.pointee.xDlOpen?(real, path)
    }
    vfs.xDlError = { vfs, size, text in
      guard let real = Self.at(vfs)?.pointee.real else { return }
      real.pointee.xDlError?(real, size, text)
    }
    vfs.xDlSym = { vfs, library, name in
      guard let real = Self.at(vfs)?.pointee.real else { return nil }
      return real.pointee.xDlSym?(real, library, name)
    }
    vfs.xDlClose = { vfs, library in
      guard let real = Self.at(vfs)?.pointee.real else { return }
      real.pointee.xDlClose?(real, library)
    }
  }

  private mutating func addSystemCalls() {
    vfs.xSetSystemCall = { vfs, name, call in
      guard let real = Self.at(vfs)?.pointee.real else { return SQLITE_MISUSE }
      return real.pointee.xSetSystemCall?(real, name, call) ?? SQLITE_NOTFOUND
    }
    vfs.xGetSystemCall = { vfs, name in
      guard let real = Self.at(vfs)?.pointee.real else { return nil }
      return real.pointee.xGetSystemCall?(real, name)
    }
    vfs.xNextSystemCall = { vfs, name in
      guard let real = Self.at(vfs)?.pointee.real else { return nil }
      return real.pointee.xNextSystemCall?(real, name)
    }
  }
}
