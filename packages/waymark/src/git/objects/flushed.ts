/** Makes git fsync objects, indexes and refs: acknowledged writes must survive a power cut. */
export const FLUSHED = ['-c', 'core.fsync=all']
