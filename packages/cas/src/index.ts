export type { ContentSource } from './chunks.ts'
export { ContentError, type ContentErrorCode } from './content-error.ts'
export {
  type Content,
  type ContentEntry,
  type ContentFacts,
  type ContentStore,
  type ContentStoreOptions,
  createContentStore,
} from './content-store.ts'
export { detectMime } from './detect-mime.ts'
export { isContentHash } from './hash.ts'
export type { PutOptions, StoredContent, Upload } from './upload.ts'
export type { ByteRange } from './verified.ts'
