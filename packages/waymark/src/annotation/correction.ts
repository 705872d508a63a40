import { type Correction, type RecordDocument, type Region, toRegion } from './record.ts'

/** What can be corrected in a region, field by field. */
export const CORRECTABLE_FIELDS = [
  'intent',
  'reasoning',
  'constraints',
  'risk_notes',
  'semantic_dependencies',
  'tags',
] as const

export type CorrectableField = (typeof CORRECTABLE_FIELDS)[number]

/** The values of a field as they are named in a correction. */
export function valuesOf(region: Region, field: CorrectableField): readonly string[] {
  switch (field) {
    case 'constraints':
      return region.constraints.map(({ text }) => text)
    case 'semantic_dependencies':
      return region.semantic_dependencies.map(({ file, anchor }) => `${file}:${anchor}`)
    case 'tags':
      return region.tags
    case 'intent':
    case 'reasoning':
    case 'risk_notes':
      return region[field] === undefined ? [] : [region[field]]
  }
}

/**
 * The document with a correction added to one region, named by its position among those that can be understood: in each
 * copy of a record it is the same, while lines differ. Everything else in it stays as it is.
 */
export function addCorrection(
  document: RecordDocument,
  position: number,
  correction: Correction,
): RecordDocument {
  const regions = Array.isArray(document['regions']) ? (document['regions'] as unknown[]) : []
  const understood = regions.filter((raw) => toRegion(raw) !== undefined)
  return {
    ...document,
    regions: regions.map((raw) => {
      if (raw !== understood[position]) return raw
      const { corrections } = raw as RecordDocument
      const before = Array.isArray(corrections) ? (corrections as unknown[]) : []
      if (correction.id !== undefined && before.some((one) => idOf(one) === correction.id))
        return raw
      return { ...(raw as RecordDocument), corrections: [...before, correction] }
    }),
  }
}

function idOf(correction: unknown): unknown {
  return (correction as { readonly id?: unknown } | null)?.id
}
