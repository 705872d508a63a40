/** What is acknowledged must survive a power cut; git alone leaves new objects, indexes and refs to the operating system. */
export const FLUSHED = ['-c', 'core.fsync=all']
