// Export the public declarations of these modules for packages with their own kinds.
@_exported import PersistentStore
@_exported import Runner
