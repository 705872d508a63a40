/** zod bundled into one file: resolving its hundred modules takes longer than the rest of a server's start. */
export * from 'zod'
