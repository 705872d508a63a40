import {
  type LineRange,
  type ProvenanceOperation,
  type RecordDocument,
  type Region,
  toRecord,
  toRegion,
} from './record.ts'

export interface Carrying {
  readonly from: string
  readonly operation: ProvenanceOperation
  /** Where a region is in the commit that it is carried to; undefined if it is not there. */
  readonly linesOf: (region: Region) => LineRange | undefined
}

/**
 * A record for the commit that another one became. Its id stays, so that copies are known to be one; its hashes stay
 * too, because they say what was annotated, not what it was carried to.
 */
export function carryDocument(
  document: RecordDocument,
  { from, operation, linesOf }: Carrying,
): RecordDocument {
  const record = toRecord(document)
  if (record === undefined) return document
  const regions = Array.isArray(document['regions']) ? (document['regions'] as unknown[]) : []
  return {
    ...document,
    // A record without an id gets one from what it says, and what it says changes here.
    id: record.id,
    regions: regions.map((raw) => {
      const region = toRegion(raw)
      const lines = region === undefined ? undefined : linesOf(region)
      return lines === undefined ? raw : { ...(raw as RecordDocument), lines }
    }),
    provenance: {
      ...record.provenance,
      operation,
      derived_from: [...new Set([...record.provenance.derived_from, from])],
      original_annotations_preserved: true,
    },
  }
}
