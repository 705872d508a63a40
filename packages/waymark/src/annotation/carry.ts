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
  /** The region's location in the target commit; undefined if it is not there. */
  readonly linesOf: (region: Region) => LineRange | undefined
}

/**
 * A copy of a record for the commit that replaced the annotated one. The id stays, so that copies can be deduplicated;
 * the hashes stay, because they identify the code that was annotated originally.
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
    // The id of a record without one is derived from its content, which changes here.
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
