// Of the platform: named by types, and nothing that a script has.
type AbortSignal = never
