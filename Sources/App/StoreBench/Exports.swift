// What a package with kinds of its own needs of the modules below: their public declarations.
@_exported import PersistentStore
@_exported import Runner
